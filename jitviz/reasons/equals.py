"""Values of different types that are equal: `1` and `True`, `"a"` and `numpy.str_("a")`, forms of one dtype.

In: two descriptions.  Out: whether `==` treats them as equal.
Must never: treat values of a user-defined class as equal.
"""

from __future__ import annotations

import re

from ..model import Description

_NUMBER = re.compile(r"bool_?|u?int\d*|float\d*|complex\d*")
_DTYPE = re.compile(r"bool_?|u?int\d+|b?float\d+\w*|complex\d+")
_NUMPY_TEXT = re.compile(r"np\.\w+\((.*)\)")
_SCALAR_TYPES = ("numpy", "jax.numpy", "ml_dtypes")


def are_alike(before: Description, after: Description) -> bool:
    """Whether two values of different types are equal with equal hashes: one value to a cache that ignores types."""
    if type_of(before) == type_of(after):
        return False
    value = _value(before)
    return value is not None and value == _value(after)


def is_one_dtype(before: Description, after: Description) -> bool:
    """Whether they are two forms of one dtype: its name, its scalar type, the dtype itself."""
    name = _dtype(before)
    return name is not None and name == _dtype(after) and type_of(before) != type_of(after)


def is_number(kind: str) -> bool:
    """Whether values of this type are numbers or truth values."""
    return _NUMBER.fullmatch(kind.removeprefix("numpy.")) is not None


def type_of(description: Description) -> str:
    """The type; for a scalar type also its library: `jax.numpy.float32` and `numpy.float32` are different objects."""
    if description.type == "type" and _scalar_type(description) is not None:
        return f"{description.text.rpartition('.')[0]} scalar type"
    return "numpy.dtype" if description.is_dtype else description.type


def _value(description: Description) -> object:
    """Equal for values that are equal with equal hashes; None if the value is not plain."""
    if (scalar := _scalar_type(description)) is not None:
        return "scalar type", scalar
    text = description.plain or description.text
    if description.type in ("str", "numpy.str_") or description.plain[:1] in ("'", '"'):
        return None if description.is_cut else text
    if not description.plain and not is_number(description.type):
        return None
    if (inside := _NUMPY_TEXT.fullmatch(text)) is not None:
        text = inside.group(1)
    try:
        return complex({"True": "1", "False": "0"}.get(text, text))
    except ValueError:
        return None


def _dtype(description: Description) -> str | None:
    text = description.text[1:-1] if description.type == "str" else description.text if description.is_dtype else ""
    return _scalar_type(description) or (text if _DTYPE.fullmatch(text) else None)


def _scalar_type(description: Description) -> str | None:
    if description.type != "type":
        return None
    module, _, name = description.text.rpartition(".")
    return name if module in _SCALAR_TYPES and _DTYPE.fullmatch(name) else None
