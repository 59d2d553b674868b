"""Which part of a static argument cannot be hashed.

In: an object.  Out: text.
Must never: call its `__hash__`.
"""

from typing import Any

from .describe import describe

_UNHASHABLE = ("list", "dict", "set", "bytearray", "numpy.ndarray")


def unhashable(value: Any) -> tuple[str, str]:
    """The class of an object, and which part of it cannot be hashed: "`.x` is `f32[3]`"; "" if none is known."""
    whole = describe(value)
    waiting = [("", whole)]
    for path, part in waiting:
        if part.type in _UNHASHABLE or part.type.endswith("ArrayImpl"):
            return whole.type, f"`{path}` is `{part.text}`" if path else f"it is `{part.text}`"
        waiting += [(path + label, one) for label, one in part.fields if label[0] in ".["]
    return whole.type, ""
