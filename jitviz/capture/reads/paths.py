"""Where a value comes from: a variable or an object, and constant steps from there.

In: a `Path`, and what holds its root.  Out: the value there now; its name as the user would write it.
"""

import functools
import weakref
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
import numpy as np

from ...jaxcompat import devices, raw
from ...jaxcompat.raw import is_a
from ...model import ReadKind, Token
from ..tokens import token

NOTHING: Any = type("Nothing", (), {})()  # there is no value, or it is not known
How = Literal[".", "[", "len", "bool", "entries", "type", "is None", "in"]
PLAIN = (bool, int, float, complex, str, bytes, type(None))
_DESCRIPTORS = (staticmethod, classmethod, property)
_OF_PARTIALS = ("func", "args", "keywords")
_OF_ARRAYS = ("shape", "ndim", "dtype", "size")


class PathStep(NamedTuple):
    """An attribute, an item, or a question: its length, whether it is empty, its type, whether it is None, whether it
    has a key. "entries" is what a loop asks: their number, and their names."""

    how: How
    key: Any = None


class Root(NamedTuple):
    """A variable of a module or function, or an object at a path of the user's. `holder` is the token of the module,
    function or object."""

    kind: ReadKind
    of: str  # the module, the function, or the path of the object
    name: str  # of the variable; "" for an object
    holder: Token


class Path(NamedTuple):
    root: Root
    steps: tuple[PathStep, ...] = ()

    def then(self, how: How, key: Any = None) -> "Path":
        """One step further."""
        return Path(self.root, (*self.steps, PathStep(how, key)))

    def starts_with(self, other: "Path") -> bool:
        """Whether the other path is this one, or leads to a holder of it."""
        return self.root == other.root and self.steps[: len(other.steps)] == other.steps

    @property
    def shown(self) -> "Path":
        """What is shown of it: where the number of entries is another one, the entries."""
        is_loop = self.steps and self.steps[-1].how == "entries"
        return Path(self.root, self.steps[:-1]) if is_loop else self

    @property
    def words(self) -> tuple[ReadKind, str, str]:
        """What a `Read` says of it: the kind, the object or scope, the name in there with the items below it."""
        root, of, name = self.root, self.root.of, self.root.name
        kind: ReadKind = root.kind
        for how, key in self.shown.steps:
            if how == ".":
                of, name = (f"{of}.{name}" if name and kind in ("static", "attribute") else name or of), key
                kind = "static" if kind == "static" else "attribute"
            elif name or how == "[":
                name = _told(how, key, name)
            else:
                name = _told(how, key, of)
        return kind, of, name


_FORMS: dict[How, str] = {
    "[": "{0}[{1!r}]", "len": "len({0})", "bool": "bool({0})", "type": "type({0})", "is None": "{0} is None",
    "in": "{1!r} in {0}",
}  # fmt: skip


def _told(how: How, key: Any, name: str) -> str:
    return _FORMS[how].format(name, key)


class Holders:
    """The modules, functions and objects that paths begin at, by token. They may die."""

    def __init__(self) -> None:
        self._references: dict[Token, Callable[[], Any]] = {}

    def root(self, kind: ReadKind, of: str, name: str, holder: Any) -> Root | None:
        """The root for a variable of `holder`, or for itself; None if it cannot be referred to weakly."""
        number = token(holder)
        try:
            self._references.setdefault(number, weakref.ref(holder))
        except TypeError:
            return None
        return Root(kind, of, name, number)

    def value_at(self, path: Path) -> Any:
        """What is there now; NOTHING if it is gone."""
        root = path.root
        holder = self._references[root.holder]()
        value = NOTHING if holder is None else variable(root.kind, holder, root.name) if root.name else holder
        for step in path.steps:
            if value is NOTHING:
                break
            value = step_into(value, step)
        return value

    def is_alive(self, path: Path) -> bool:
        """Whether what holds the root is still there."""
        return self._references[path.root.holder]() is not None


def variable(kind: ReadKind, holder: Any, name: str) -> Any:
    """The value of a variable of a module or function."""
    if kind == "closure":
        return raw.closure_of(holder).get(name, NOTHING)
    if kind == "default":
        return raw.default_values(holder).get(name, NOTHING)
    return globals_of(holder).get(name, NOTHING)


def globals_of(holder: Any) -> dict[str, Any]:
    """The names of a module, or those of the module of a function."""
    found: dict[str, Any] = raw.namespace(holder) or getattr(holder, "__globals__", {})
    return found


def step_into(value: Any, step: PathStep) -> Any:
    """What one step leads to; NOTHING if that is not known without running code."""
    how, key = step
    if how == ".":
        return attribute(value, key)
    if how == "type":
        return type(value)
    if how == "is None":
        return value is None
    if how == "entries" and type(value) is dict:
        return tuple(value)
    if how in ("len", "bool", "entries"):
        size = length(value)
        return bool(size) if how == "bool" and size is not NOTHING else size
    return item(value, key) if how == "[" else holds(value, key)


def attribute(value: Any, name: str) -> Any:
    """An attribute that is plain data, of a module, a class or an object."""
    if is_a(value, jax.Array, np.ndarray):
        known = type(value) is devices.ArrayImpl or type(value) is np.ndarray
        return getattr(value, name) if known and name in _OF_ARRAYS else NOTHING
    module = raw.namespace(value)
    if module:
        return module.get(name, NOTHING)
    if is_a(value, functools.partial) and name in _OF_PARTIALS:
        return raw.bound(value)[_OF_PARTIALS.index(name)]
    fields = raw.class_attribute(type(value), "_fields") if is_a(value, tuple) else None
    if type(fields) is tuple and name in fields:
        return tuple.__getitem__(value, fields.index(name))
    if not is_a(value, type):
        found = raw.attributes(value).get(name, NOTHING)
        if found is not NOTHING:
            return found
    found = raw.class_attribute(value if is_a(value, type) else type(value), name, NOTHING)
    is_method = callable(found) and not is_a(value, type)
    return NOTHING if is_method or is_a(found, *_DESCRIPTORS) or hasattr(type(found), "__get__") else found


def item(value: Any, key: Any) -> Any:
    """An item of a plain container."""
    if type(value) is dict or (is_a(value, dict) and raw.class_attribute(type(value), "__missing__") is None):
        own = raw.class_attribute(type(value), "__getitem__") is dict.__getitem__
        return dict.get(value, key, NOTHING) if own and _is_plain(key) else NOTHING
    if type(value) in (tuple, list) and type(key) is int:
        return value[key] if -len(value) <= key < len(value) else NOTHING
    return NOTHING


def holds(value: Any, key: Any) -> Any:
    """Whether a plain container has a key or an element."""
    if type(value) in (dict, set, frozenset) and _is_plain(key):
        return key in value
    if type(value) in (tuple, list) and _is_plain(key) and all(type(part) in PLAIN for part in value):
        return key in value
    return NOTHING


def length(value: Any) -> Any:
    """The number of elements of a plain container or an array."""
    if type(value) in (tuple, list, dict, set, frozenset, str, bytes):
        return len(value)
    shape = attribute(value, "shape") if is_a(value, jax.Array, np.ndarray) else ()
    return shape[0] if type(shape) is tuple and shape else NOTHING


def _is_plain(key: Any) -> bool:
    return type(key) in PLAIN or (type(key) is tuple and all(map(_is_plain, key)))
