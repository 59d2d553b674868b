"""What is printed in place of a value that only code of the user's could print.

In: parameters of equations, as JAX or a library made them of what the user gave.  Out: text.
Must never: call a `__repr__`, a `__str__` or a `__format__`, or keep a value or a class beyond one program.

JAX prints a parameter by `str` (`pp_kv_pair` in https://github.com/jax-ml/jax/blob/main/jax/_src/core.py). That of a
callback, of a function with static arguments, or of a treedef goes on to what the user gave, down to a class with a
`__repr__` of its own; then the class is named instead.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeAlias

from jax.tree_util import PyTreeDef

from ...jaxcompat import outputs, raw
from ..sources import frame_owner

DEPTH = 6  # parts of parts of ...
WIDTH = 64  # parts of one value
_SPEAKING = ("__repr__", "__str__", "__format__")
_PLAIN = frozenset([type(None), bool, int, float, complex, str, bytes, type, FunctionType])
_Parts: TypeAlias = Callable[[Any], Iterable[Any]]


class Reprs:
    """Made for one program: what is known of a class is remembered as long."""

    def __init__(self) -> None:
        self._silent = set(_PLAIN)  # nothing of the user's is asked for them
        self._parts_of: dict[type, _Parts | None] = {}  # None: of the user's

    def in_place_of(self, value: Any) -> str | None:
        """ "<__main__.Callback object>"; None for what can be printed."""
        if type(value) in self._silent:
            return None
        kind = self._users_class(value, DEPTH)
        return None if kind is None else f"<{raw.type_name(kind)} object>"

    def _users_class(self, value: Any, depth: int) -> type | None:
        kind = type(value)
        if kind not in self._parts_of and not self._learn(kind):
            return None
        parts_of = self._parts_of[kind]
        if parts_of is None:
            return kind
        for part in itertools.islice(parts_of(value), WIDTH) if depth else ():
            if type(part) not in self._silent and (found := self._users_class(part, depth - 1)) is not None:
                return found
        return None

    def _learn(self, kind: type) -> bool:
        """Look at a class; whether its instances must be looked at as well."""
        printers = [raw.class_attribute(kind, name) for name in _SPEAKING]
        owners = {frame_owner(one.__code__.co_filename) for one in printers if type(one) is FunctionType}
        if "user" in owners:
            self._parts_of[kind] = None
        elif known := [parts_of for base, parts_of in _KNOWN.items() if base in raw.mro_of(kind)]:
            self._parts_of[kind] = known[0]
        elif owners - {"machinery"}:
            self._parts_of[kind] = _attributes
        else:
            self._silent.add(kind)
        return kind in self._parts_of


def _attributes(value: Any) -> Iterable[Any]:
    return raw.attributes(value).values()


def _pairs(value: Any) -> Iterable[Any]:
    return itertools.chain.from_iterable(raw.items_of(value))


def _given(value: Any) -> Iterable[Any]:
    return [raw.member(value, functools.partial, name) for name in ("func", "args", "keywords")]


def _nodes(value: Any) -> Iterable[Any]:
    data = outputs.node_data(value)
    return () if data is None else (data[1], *value.children())


# What is printed as a part of a value. Of other classes, the `__repr__` of a dataclass or a library asks
# attributes; one in C, or that JAX wrote for a class of its own, asks for nothing of the user's.
_KNOWN: dict[type, _Parts] = {
    **dict.fromkeys((tuple, list, set, frozenset), raw.items_of),
    dict: _pairs,
    functools.partial: _given,
    PyTreeDef: _nodes,
}
