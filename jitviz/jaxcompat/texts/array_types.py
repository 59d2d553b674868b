"""Array types, as JAX and XLA write them: "f32[3,4]", or "tensor<3x4xf32>".

In: a type.  Out: its dtype and shape, and the size of such an array in bytes.
"""

import math
import re
from functools import lru_cache

_AVAL = re.compile(r"(.*)\[([\d,]*)\]")
_TENSOR = re.compile(r"tensor<((?:[\d?]+x)*+)(.*)>")
_SIZED = re.compile(r"\b(?:pred|bool|[a-z]+(\d+)\w*)\[((?:(?:<=)?\d+,?)*)\]")


def read_aval(written: str) -> tuple[str, tuple[int, ...]] | None:
    """The dtype and the shape of an array type; None for any other type."""
    parts = _AVAL.fullmatch(written)
    return None if parts is None else (parts[1], tuple(int(size) for size in parts[2].split(",") if size))


@lru_cache(maxsize=4096)
def size_of(written: str) -> float:
    """The size in bytes of an array type, or of all arrays of a tuple type."""
    total = 0.0
    for bits, shape in _SIZED.findall(written):
        width = int(bits) / 8 if bits else 1.0  # pred and bool
        total += width * math.prod(int(axis.lstrip("<=")) for axis in shape.split(",") if axis.lstrip("<="))
    return total


@lru_cache(maxsize=4096)
def read_type(written: str) -> tuple[tuple[int, ...], str]:
    """The sizes of the axes of an array type, and its dtype. A size that is not known is -1."""
    found = _TENSOR.fullmatch(written)
    if found is None:
        return (), written
    return tuple(int(size) if size != "?" else -1 for size in found[1].split("x")[:-1]), found[2]
