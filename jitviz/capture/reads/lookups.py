"""The values that code asks for by name, and what it reads by that.

In: a variable, an attribute or an item, and what is known of its owner.  Out: a `Value`, with its path.
"""

import builtins
import os
import sys
import types
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from ...jaxcompat import raw
from ...jaxcompat.raw import is_a
from ...model import ReadKind
from ...recording.events import DrawKind
from ..sources import is_library, location
from .notes import Notes, Where
from .paths import NOTHING, PLAIN, Holders, Path, attribute, globals_of, holds, item
from .values import UNKNOWN, Draw, Entries, Instance, Made, Method, Parts, Super, Text, Turns, Value, joined

ARRAYS = (jax.Array, np.ndarray, jax.core.Tracer)
_STEPS = 40_000  # instructions of one trace


class Lookups(Notes, ABC):
    """Looks up what the code of one trace asks for. `statics` are the static values among its arguments, with paths."""

    def __init__(self, statics: Iterable[tuple[str, Any]]) -> None:
        super().__init__()
        self.holders = Holders()
        self.drawn = set[Draw]()  # whether or not it reaches the program
        self._drawn_into: dict[Path, Value] = {}
        self._steps = _STEPS
        self._statics = {id(value): (path, value) for path, value in statics if type(value) not in PLAIN}

    def may_go_on(self) -> bool:
        """Count one instruction; False after very many."""
        self._steps -= 1
        return self._steps > 0

    @abstractmethod
    def call(
        self,
        callee: Value,
        args: Sequence[Value],
        named: Mapping[str, Value],
        where: Where,
        *,
        is_whole: bool = True,
    ) -> Value:
        """The result of a call. Without `is_whole` there are arguments besides `args` that are not known."""

    def draw(self, kind: DrawKind, name: str, where: Where) -> Draw:
        """What an instruction draws."""
        found = Draw(kind, name, location(where.run.code.co_filename, where.run.line(where.at)))
        self.drawn.add(found)
        return found

    def draw_into(self, changed: Value, drawn: Value) -> None:
        """Note that a global variable holds something drawn from now on."""
        if changed.path is not None:
            self.store(changed)
            self._drawn_into[changed.path] = drawn

    def global_of(self, holder: Any, name: str) -> Value:
        """A variable of a module, or a built-in."""
        names = globals_of(holder)
        if name not in names:
            return Value(vars(builtins).get(name, NOTHING))
        module = sys.modules.get(str(names.get("__name__")))
        owner = module if raw.namespace(module) is names else holder
        return self.variable("global", str(names.get("__name__")), name, owner, names[name])

    def variable(self, kind: ReadKind, of: str, name: str, holder: Any, what: Any) -> Value:
        """A variable of a module or function."""
        root = self.holders.root(kind, of, name, holder)
        return self._read(what, None if root is None else Path(root))

    def _read(self, what: Any, path: Path | None) -> Value:
        """What is at a path; modules of libraries are not the user's, and so have none."""
        if path in self._drawn_into:
            return self._drawn_into[path]
        is_traced = is_a(what, *ARRAYS) and path is None
        return Value(what, None if _is_of_library(what) else path, is_traced=is_traced)

    def module(self, name: str) -> Value:
        """A module that the code imports."""
        found = sys.modules.get(name, NOTHING)
        root = None if found is NOTHING else self.holders.root("attribute", name, "", found)
        return self._read(found, None if root is None else Path(root))

    def argument(self, value: Any, path: str = "") -> Value:
        """A part of an argument. It is in the key, but for what is inside a static value."""
        static = self._statics.get(id(value))
        if static is not None and static[1] is value:
            root = self.holders.root("static", static[0], "", value)
            return Value(value, None if root is None else Path(root))
        return Value(value, is_traced=is_a(value, *ARRAYS))

    def attribute(self, owner: Value, name: str, where: Where, *, is_stored: bool = False) -> Value:
        """An attribute as the code asks for it."""
        what = owner.what
        if type(what) is Super:
            return self._of_base(what, name)
        if owner.draws or what is NOTHING or type(what) in (Made, Method, Parts, Turns, Entries, Text):
            return Value(draws=owner.draws, is_traced=owner.is_traced)
        found = NOTHING if type(what) is Instance else attribute(what, name)
        if found is not NOTHING or is_stored:
            return self._part(owner, found, owner.path and owner.path.then(".", name))
        kind = what.kind if type(what) is Instance else what if is_a(what, type) else type(what)
        method = method_of(kind, name)
        if method is NOTHING:
            if not is_a(what, *ARRAYS):
                self.use(where, owner, is_whole=False)
            return joined(owner)
        if type(method) is property:
            return self._of_property(method, owner, where)
        return Value(Method(method, owner, name), owner.path, is_traced=owner.is_traced)

    def _of_base(self, called: Super, name: str) -> Value:
        """A method of a base class."""
        kind = called.owner.what.kind if type(called.owner.what) is Instance else type(called.owner.what)
        bases = raw.mro_of(kind)
        after = bases[bases.index(called.kind) + 1 :] if called.kind in bases else ()
        found = next((method for base in after if (method := method_of(base, name)) is not NOTHING), NOTHING)
        return UNKNOWN if found is NOTHING else Value(Method(found, called.owner, name), called.owner.path)

    def _of_property(self, method: property, owner: Value, where: Where) -> Value:
        if is_users(method.fget):
            return self.call(Value(method.fget), [owner], {}, where)
        self.use(where, owner, is_whole=False)
        return joined(owner)

    def _part(self, owner: Value, found: Any, path: Path | None) -> Value:
        if owner.path is None and not raw.namespace(owner.what) and not is_a(owner.what, type):
            return self.argument(found)
        return self._read(found, path)

    def item(self, owner: Value, key: Value, where: Where, *, is_stored: bool = False) -> Value:
        """An item as the code asks for it."""
        if key.draws and (owner.is_traced or is_a(owner.what, jax.Array)):
            self.reach(key.draws, where)
        parts = owner.what.values if type(owner.what) is Parts else ()
        if type(key.what) is int and -len(parts) <= key.what < len(parts):
            return parts[key.what]
        if type(owner.what) is Entries and type(key.what) in PLAIN and key.what in owner.what.values:
            return owner.what.values[key.what]
        if owner.what is os.environ:
            return Value(draws=frozenset([self.draw("outside", "os.environ", where)]))
        found = item(owner.what, key.what) if owner.what is not NOTHING and key.what is not NOTHING else NOTHING
        self.use(where, key)
        if found is not NOTHING or (is_stored and type(key.what) in PLAIN):
            return self._part(owner, found, owner.path and owner.path.then("[", key.what))
        if not is_stored:
            self.use(where, owner, is_whole=is_a(owner.what, *ARRAYS))
        return Value(path=owner.path) if is_stored else joined(owner, key)

    def is_in(self, key: Value, owner: Value, where: Where) -> Any:
        """Whether a container has a key, or NOTHING if that is not known."""
        self.use(where, key)
        found = holds(owner.what, key.what) if owner.what is not NOTHING and key.what is not NOTHING else NOTHING
        if found is NOTHING:
            self.use(where, owner, is_whole=False)
        elif owner.path is not None:
            self._note(owner.path.then("in", key.what), where, True)
        return found


def method_of(kind: type, name: str) -> Any:
    """What a class defines under a name; NOTHING if it does not."""
    found = raw.class_attribute(kind, name, NOTHING)
    if found is not NOTHING and raw.type_name(type(found)).startswith("equinox."):  # it wraps the methods of a module
        found = raw.attributes(found).get("method", found)
    return found


def is_users(function: Any) -> bool:
    """Whether this is a function of the user's."""
    return type(function) is types.FunctionType and not is_library(function.__code__.co_filename)


def _is_of_library(what: Any) -> bool:
    names = raw.namespace(what)
    return bool(names) and (type(file := names.get("__file__")) is not str or is_library(file))
