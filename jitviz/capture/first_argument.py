"""What the first argument of a call says about the version that it ran.

In: the first argument of a hit, which the interpreter hands over, and the signatures of the versions of a function.
Out: a key of a plain array, or of a Python number; whether a version can have run with it.
"""

import opcode
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from ..jaxcompat.devices import ArrayImpl
from ..model import Signature

# Shape, dtype and whether it is weakly typed, None if that is not told. A plain tuple, since it is made at hits.
First = tuple[tuple[int, ...], Any, bool | None]

KINDS = 64  # kinds of first arguments that a line keeps apart
LEAVES = 64  # traced leaves of `filter_jit` among which one is looked for that tells versions apart

_NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
_NUMBERS: dict[type, First] = {
    bool: ((), np.dtype(bool), None),
    int: ((), np.dtype("int32"), True),
    float: ((), np.dtype("float32"), True),
    complex: ((), np.dtype("complex64"), True),
}
_TAKES_KEYWORDS = opcode.opmap.get("CALL_KW", -1)  # from Python 3.13 on
_NAMES_KEYWORDS = opcode.opmap.get("KW_NAMES", -1)  # before CALL, on Python 3.12


class Taken(NamedTuple):
    """The first argument that a version takes. `shape` is None if it takes no array there."""

    shape: tuple[int, ...] | None
    dtype: str = ""
    is_weak: bool = False


def first_of(value: Any) -> First | None:
    """The type of a first argument that is a plain array or a number; None for any other. This runs at hits."""
    kind = type(value)
    if kind is ArrayImpl:
        aval = value.aval
        return aval.shape, aval.dtype, aval.weak_type
    if kind is np.ndarray:
        return value.shape, value.dtype, False
    return _NUMBERS.get(kind)


def taken_by(signature: Signature) -> Taken | None:
    """The first positional argument of a version, if it is a tree or traced; None if it is not known."""
    if not signature.form or signature.is_partial:
        return None
    name, form = signature.form[0]
    if form != "positional":
        return Taken(None)
    leaf = next((leaf for leaf in signature.leaves if leaf.path == name), None)
    if leaf is not None and leaf.role == "traced" and leaf.shape is not None:
        return Taken(leaf.shape, _narrow(leaf.dtype or ""), leaf.weak_type)
    return Taken(None) if leaf is None and any(node.path == name for node in signature.nodes) else None


def taken_as(first: First | None) -> Taken | None:
    """The same of a leaf of which only its type is known."""
    return None if first is None or first[2] is None else Taken(first[0], _narrow(first[1].name), first[2])


def may_take(taken: Taken | None, first: First | None) -> bool:
    """Whether a version can have run with this first argument."""
    if taken is None or first is None:
        return True
    shape, dtype, is_weak = first
    return taken == (shape, _narrow(dtype.name), taken.is_weak if is_weak is None else is_weak)


def is_first_positional(code: CodeType, offset: int) -> bool:
    """Whether the argument that the interpreter hands over at a call is a positional one, if there is any."""
    written = code.co_code
    if written[offset] == _TAKES_KEYWORDS:
        before = offset - 2  # a constant: the names of the keywords
    elif _NAMES_KEYWORDS >= 0 and offset >= 2 and written[offset - 2] == _NAMES_KEYWORDS:
        before = offset - 2
    else:
        return True
    if before >= 2 and written[before - 2] == opcode.EXTENDED_ARG:
        return False
    names = code.co_consts[written[before + 1]]
    return type(names) is tuple and len(names) < written[offset + 1]


def _narrow(dtype: str) -> str:
    """The dtype with 32 bits: whether JAX makes that of it depends on a setting."""
    return _NARROW.get(dtype, dtype)
