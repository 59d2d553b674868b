"""Equations that compute what an earlier one has computed.

In: the equations of a program in order.  Out: whether each is one.
Must never: compare or hash a parameter that may be the user's; those are equal if they are one object.
"""

from typing import Any, TypeAlias

from .jaxprs import aval_text, literal_text
from .raw import items_of

_PLAIN = (str, bool, int, float, type(None))
_Key: TypeAlias = object


class EqualEquations:
    """Numbers the values of a program. What is known by its address lives as long as the program."""

    def __init__(self) -> None:
        self._values: dict[int, int] = {}  # by the address of a variable: that of the first with its value
        self._seen: dict[_Key, list[int]] = {}  # the values that an equation has made

    def is_again(self, equation: Any) -> bool:
        """Whether an earlier equation has made the same of the same inputs. One with effects never has."""
        made = [id(var) for var in equation.outvars]
        if equation.effects:
            return False
        inputs = tuple(map(self._value, equation.invars))
        params = tuple((name, _key(value)) for name, value in equation.params.items())
        before = self._seen.setdefault((equation.primitive.name, inputs, params), made)
        self._values |= zip(made, before, strict=True)
        return before is not made

    def _value(self, atom: Any) -> _Key:
        if not hasattr(atom, "val"):
            return self._values.get(id(atom), id(atom))
        return id(atom.val) if getattr(atom.val, "shape", ()) else (literal_text(atom), aval_text(atom.aval))


def _key(value: Any) -> _Key:
    if type(value) in _PLAIN:
        return value
    return tuple(map(_key, items_of(value))) if issubclass(type(value), tuple) else id(value)
