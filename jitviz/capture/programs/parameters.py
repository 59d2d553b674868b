"""The parameters of equations: which hold a user object, and texts for those that only user code could print.

In: parameters, as JAX or a library made them from user objects.  Out: yes or no; text.
Must never: run user code, keep a value or a class beyond one program, or say no for a value that refers to a user's
function, array or class.

JAX prints a parameter with `str` (`pp_kv_pair` in https://github.com/jax-ml/jax/blob/main/jax/_src/core.py). Printing a
callback, a function with static arguments, or a treedef prints the user objects inside it. If the class of one has its
own `__repr__`, the class is named instead.
"""

import enum
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any, TypeAlias

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh, PartitionSpec, Sharding
from jax.tree_util import PyTreeDef

from ...jaxcompat import equinox_internals, output_trees, raw
from ...model.equality import content_of, digest_of
from ..arguments.describe import describe
from ..sources import frame_owner

DEPTH = 6  # nested levels of parts
WIDTH = 64  # parts of one value that are searched for what prints it
_PLAIN = frozenset([type(None), bool, int, float, complex, str, bytes])
# They hold nothing but devices and names of axes, even where they hold arrays of these.
_SAFE = (enum.Enum, np.dtype, np.generic, Sharding, Mesh, AbstractMesh, PartitionSpec)
_THEIRS = frozenset(["jax", "jaxlib", "numpy"])
_HOLDING = (type, np.ndarray, jax.Array, PyTreeDef)

_PRINTERS = ("__repr__", "__str__", "__format__")
_Parts: TypeAlias = Callable[[Any], Iterable[Any]]


def _is_plain_class(kind: type) -> bool:
    """Whether a class is JAX's or NumPy's and its instances are not callable."""
    return kind.__module__.partition(".")[0] in _THEIRS and raw.class_attribute(kind, "__call__") is None


class Reprs:
    """The texts for one program, and what was found of its parameters so far: its equations share most of them."""

    def __init__(self) -> None:
        self._safe = set(_PLAIN) | {type, FunctionType}  # printing them never runs user code
        self._parts_of: dict[type, _Parts | None] = {}  # None: user code prints them
        self._printable: dict[tuple[int, int], Any] = {}  # by address and the depth that was searched
        self._alone: dict[int, Any] = {}  # by address, what refers to nothing of the user's

    def holds_more(self, value: Any, depth: int = DEPTH) -> bool:
        """Whether `value` refers to anything but plain values and JAX's own objects, at any depth."""
        if type(value) in _PLAIN or id(value) in self._alone:
            return False
        if self._refers_to_more(value, depth):
            return True
        self._alone[id(value)] = value
        return False

    def _refers_to_more(self, value: Any, depth: int) -> bool:
        kind = type(value)
        if raw.is_a(value, *_SAFE):
            return False
        if kind in (tuple, list, set, frozenset):
            parts = raw.items_of(value)
        elif kind is dict:
            parts = _pairs(value)
        elif raw.is_a(value, *_HOLDING) or not _is_plain_class(kind):
            return True
        else:
            parts = itertools.chain(raw.items_of(value), raw.attributes(value).values())
        return any(type(part) not in _PLAIN and (depth == 0 or self.holds_more(part, depth - 1)) for part in parts)

    def of_callback(self, parameters: Mapping[str, Any]) -> str:
        """What a callback does, as a digest; "" if it holds an array, or what else a description leaves out."""
        given = parameters.get("callback")
        parts = {**parameters, **raw.attributes(given)}
        if type(given) is FunctionType:
            parts |= raw.closure_of(given)
        function = describe(parts.get("callback_func", parts.get("callback")))
        if (function.origin or "").startswith(equinox_internals.ERRORS):
            told = tuple(part for part in function.fields if part[0] != equinox_internals.STACK)
            function = replace(function, fields=told)
        known = [
            content_of(description)
            for description in (function, *(describe(parts.get(name)) for name in ("fmt", "static_args")))
        ]
        tree = parts.get("in_tree")
        return "" if "" in known or self.in_place_of(tree) is not None else digest_of(f"{known} {tree}")

    def in_place_of(self, value: Any) -> str | None:
        """The text of a value that must not be printed: "<__main__.Callback object>"; None for any other."""
        if type(value) in self._safe:
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
        if (id(value), depth) in self._printable:
            return None
        for part in itertools.islice(parts_of(value), WIDTH) if depth else ():
            if type(part) not in self._safe and (found := self._users_class(part, depth - 1)) is not None:
                return found
        self._printable[id(value), depth] = value
        return None

    def _learn(self, kind: type) -> bool:
        """Inspect a class; return whether its instances must be inspected as well."""
        printers = [raw.class_attribute(kind, name) for name in _PRINTERS]
        owners = {frame_owner(printer.__code__.co_filename) for printer in printers if type(printer) is FunctionType}
        if "user" in owners:
            self._parts_of[kind] = None
        elif known := [parts_of for base, parts_of in _KNOWN.items() if base in raw.mro_of(kind)]:
            self._parts_of[kind] = known[0]
        elif owners - {"machinery"}:
            self._parts_of[kind] = lambda value: raw.attributes(value).values()
        else:
            self._safe.add(kind)
        return kind in self._parts_of


def _pairs(value: Any) -> Iterable[Any]:
    return itertools.chain.from_iterable(raw.items_of(value))


def _nodes(value: Any) -> Iterable[Any]:
    data = output_trees.node_data(value)
    return () if data is None else (data[1], *value.children())


# The parts that are printed with a value. The `__repr__` of another class prints the attributes if a dataclass or a
# library wrote it; one in C, or of JAX's own classes, prints no user object.
_KNOWN: dict[type, _Parts] = {
    **dict.fromkeys((tuple, list, set, frozenset), raw.items_of),
    dict: _pairs,
    functools.partial: raw.bound,
    PyTreeDef: _nodes,
}
