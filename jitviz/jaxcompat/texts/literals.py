"""The numbers in the constants of StableHLO, as people write them.

In: the line of a constant, "dense<1.000000e-01> : tensor<f32>".  Out: "0.1".
"""

import re
import struct
from collections.abc import Iterator

from .array_types import read_type
from .module_lines import Line

_LITERAL = re.compile(r"\([^()]*\)|[\w.+-]+")
_BYTES = re.compile(r'"0x(?:[0-9A-Fa-f]{2})*+"')
_FORMAT = {"f64": "d", "f32": "f", "f16": "e", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}
_FORMAT |= {f"u{name}": code.upper() for name, code in _FORMAT.items() if name[0] == "i"}


def read_literals(constant: Line) -> Iterator[str]:
    """The numbers of a constant in order: one if all are equal, none if they cannot be read."""
    written, dtype = constant.numbers[0], read_type("".join(constant.types[:1]))[1]
    body = written.removeprefix("dense<").removesuffix(">")
    if _BYTES.fullmatch(body):
        yield from _unpacked(bytes.fromhex(body[3:-1]), dtype)
    elif written.startswith("dense_resource<array_"):  # one that is named by its digest
        yield written[len("dense_resource<") : -1]
    elif written.startswith("dense<"):
        yield from (_plain(found[0], dtype) for found in _LITERAL.finditer(body))


def _plain(literal: str, dtype: str) -> str:
    if literal.startswith("0x"):
        digits = literal[2:]
        return next(_unpacked(bytes.fromhex(digits.zfill(len(digits) + len(digits) % 2))[::-1], dtype), literal)
    if literal.startswith("("):
        real, imaginary = (_plain(part.strip(), dtype[8:-1]) for part in literal[1:-1].split(","))
        return _complex(real, imaginary)
    return _short(float(literal), dtype) if "." in literal else literal


def _complex(real: str, imaginary: str) -> str:
    return f"{real}{imaginary if imaginary[0] == '-' else f'+{imaginary}'}j"


def _short(number: float, dtype: str) -> str:
    return repr(number) if dtype == "f64" else repr(float(f"{number:.7g}"))


def _unpacked(data: bytes, dtype: str) -> Iterator[str]:
    if dtype.startswith("complex"):
        parts = _unpacked(data, dtype[8:-1])
        return map(_complex, parts, parts)
    if dtype == "i1":
        return (str(bool(byte >> bit & 1)).lower() for byte in data for bit in range(8))
    if dtype == "bf16":  # the first half of an f32
        data, dtype = b"".join(b"\0\0" + data[at : at + 2] for at in range(0, len(data), 2)), "f32"
    code = _FORMAT.get(dtype, "")
    if not code or len(data) % struct.calcsize(f"<{code}"):
        return iter(())
    numbers = (number for (number,) in struct.iter_unpack(f"<{code}", data))
    return (_short(number, dtype) if dtype[0] == "f" else str(number) for number in numbers)
