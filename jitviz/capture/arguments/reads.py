"""What a trace reads besides its arguments: globals, closures, defaults, and attributes of static objects.

In: the functions that a call runs, and the static values among its arguments.  Out: values by `Place`, and marks, which
stay equal as long as nothing has changed there.
Must never: run user code, follow a name into a library, or take for read what the code does not name.

What a callback reads is left out: it runs with every call. So is what the code stores, such as a counter of traces. An
object that goes by another name in the code than where it was found is missed.
"""

import dis
import functools
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np

from ...jaxcompat import equinox_internals, raw
from ...jaxcompat.raw import is_a
from ...model import Description, Read, ReadKind
from ...model.equality import are_alike
from ...recording.redaction import cleaned
from ..sources import is_library
from ..tokens import token
from .describe import describe

_MOST = 256  # places of one call
_MOST_CODE = 100_000  # bytes of one function
_DEPTH = 4  # objects inside objects, containers inside containers
_FEW = 64  # entries of a container
# How a variable is loaded, by the beginning of the instruction: what stands for its holder in `_Names`
_VARIABLES = {"LOAD_GLOBAL": "<global>", "LOAD_NAME": "<global>", "LOAD_FAST": "<default>", "LOAD_DEREF": "<closure>"}
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_NUMBERS = (bool, int, float, complex, type(None))
_NO_CODE = (*_NUMBERS, str, bytes, tuple, list, dict, np.ndarray, jax.Array, jax.core.Tracer)
_DESCRIBED = 96  # parts of one value


class Place(NamedTuple):
    """`of` is a module, the function that closes over the name, or the path of the object that holds it."""

    kind: ReadKind
    of: str
    name: str


Owner = tuple[ReadKind, str, Any]  # an object at a path, as its attributes are


class _Names(NamedTuple):
    """The names that a code object and those inside it load, in pairs such as ("self", "rate"), or ("<global>", "rate")
    for a variable. Of `used`, more than an attribute is used."""

    loaded: frozenset[tuple[str, str]]
    used: frozenset[tuple[str, str]]
    stored: frozenset[str]
    has_callback: bool


@lru_cache(maxsize=4096)  # as in `code`
def _names_in(code: types.CodeType) -> _Names:
    loaded, used, stored = set[tuple[str, str]](), set[tuple[str, str]](), set[str]()
    has_callback = any("callback" in name for name in code.co_names)
    last: tuple[str, str] | None = None
    for one in dis.get_instructions(code) if len(code.co_code) <= _MOST_CODE else ():
        is_attribute = one.opname in _ATTRIBUTES
        if last is not None and not is_attribute:
            used.add(last)
        name = one.argval[-1] if type(one.argval) is tuple and one.argval else one.argval
        holder = next((_VARIABLES[start] for start in _VARIABLES if one.opname.startswith(start)), None)
        if is_attribute:
            holder = "" if last is None else last[1]
        last = None if holder is None else (holder, str(name))
        if last is not None:
            loaded.add(last)
        if one.opname in ("STORE_ATTR", "STORE_GLOBAL"):
            stored.add(str(name))
    for part in code.co_consts if not has_callback else ():
        if isinstance(part, types.CodeType):
            inner = _names_in(part)
            loaded, used, stored = loaded | inner.loaded, used | inner.used, stored | inner.stored
    return _Names(frozenset(loaded), frozenset(used), frozenset(stored), has_callback)


def values_read(
    functions: Iterable[Any], statics: Iterable[tuple[str, Any]], classes: Sequence[tuple[str, type]] = ()
) -> dict[Place, Any]:
    """What these functions read besides their arguments. `classes` are those of the arguments, by name, and `statics`
    the static values in them, with their paths."""
    reach = _Reach(classes)
    for function in functions:
        reach.follow(function)
    for path, value in statics:
        reach.follow(value)
        reach.objects.append(("static", path, value))
    reach.look_at_objects()
    return {place: value for place, value in reach.found.items() if place.name not in reach.stored}


class _Reach:
    def __init__(self, classes: Sequence[tuple[str, type]]) -> None:
        self._classes = classes
        self.found: dict[Place, Any] = {}
        self.objects: list[Owner] = []
        self.stored: set[str] = set()
        self._loaded: set[tuple[str, str]] = set()
        self._used: set[tuple[str, str]] = set()
        self._followed: set[tuple[int, int]] = set()

    def follow(self, value: Any, owner: Owner | None = None) -> None:
        """Follow a callable into the user's code; `owner` is the object whose method it is."""
        if not callable(value):
            return
        if type(value) is not types.FunctionType or is_library(value.__code__.co_filename):
            *_, value = raw.unwrapped(value, equinox_internals.wrapped_by)
        if is_a(value, types.MethodType):
            self.follow(value.__func__, owner or ("attribute", "self", value.__self__))
        elif is_a(value, functools.partial):
            function, given, named = raw.bound(value)
            for part in (function, *tuple(raw.items_of(given)), *(part for _, part in raw.items_of(named))):
                self.follow(part)
        elif is_a(value, types.FunctionType) and not is_library(value.__code__.co_filename):
            key = id(value), 0 if owner is None else id(owner[2])
            if key not in self._followed and len(self.found) < _MOST:
                self._followed.add(key)
                self._look_at_code(value, owner)

    def _look_at_code(self, function: types.FunctionType, owner: Owner | None) -> None:
        code, names = function.__code__, _names_in(function.__code__)
        me = code.co_varnames[0] if owner is not None and code.co_argcount else None
        self.stored |= names.stored
        self._loaded |= {pair for pair in names.loaded if pair[0] != me}
        self._used |= {pair for pair in names.used if pair[0] != me}
        variables: tuple[tuple[ReadKind, str, Mapping[str, Any]], ...] = (
            ("closure", function.__name__, raw.closure_of(function)),
            ("default", function.__name__, raw.default_values(function)),
            ("global", str(function.__module__), function.__globals__),
        )
        for kind, of, held in variables:
            for holder, name in sorted(pair for pair in names.loaded if pair[0] == f"<{kind}>" and pair[1] in held):
                is_used, is_followed = (holder, name) in names.used, not names.has_callback
                self._note(Place(kind, of, name), name, held[name], is_used, is_followed)
        if owner is not None and me is not None:
            self._look_inside(owner, me, names.loaded, names.used)

    def _note(self, place: Place, path: str, value: Any, is_used: bool, is_followed: bool = True) -> None:
        module = raw.namespace(value)
        if module and (type(file := module.get("__file__")) is not str or is_library(file)):
            return
        if is_used and not module:
            self.found[place] = value
        if is_followed:
            self.follow(value)
            kind: ReadKind = "static" if place.kind == "static" else "attribute"
            self.objects.append((kind, path, value))

    def look_at_objects(self) -> None:
        """Look for the attributes that the code names. Methods among them lead to more code, and to more objects."""
        for _ in range(_DEPTH):
            before = len(self.found), len(self._loaded), len(self.objects)
            for argument, kind in self._classes:
                for name in {name for holder, name in self._loaded if holder == argument} | {"__call__"}:
                    self.follow(_method(kind, name))
            for owner in tuple(self.objects):
                self._look_inside(owner, owner[1].rpartition(".")[2], self._loaded, self._used)
            if before == (len(self.found), len(self._loaded), len(self.objects)):
                break

    def _look_inside(
        self, owner: Owner, known_as: str, loaded: Iterable[tuple[str, str]], used: Iterable[tuple[str, str]]
    ) -> None:
        """Look for the attributes that are loaded from what the code knows by this name."""
        kind, path, value = owner
        names = sorted({name for holder, name in loaded if holder == known_as} | {"__call__"})
        is_class, is_module = is_a(value, type), is_a(value, types.ModuleType)
        made_by = raw.type_name(value if is_class else type(value)).partition(".")[0]
        if path.count(".") > _DEPTH or ("." not in raw.type_name(type(value)) and not (is_class or is_module)):
            return
        if made_by in ("jax", "jaxlib", "numpy", "functools") or len(self.found) >= _MOST:
            return
        held = {}
        if is_module:
            held = raw.namespace(value)
        elif is_a(value, tuple):
            held = dict(zip(raw.class_attribute(type(value), "_fields", ()), raw.items_of(value), strict=False))
        elif not is_class and len(names) > 1:
            held = raw.attributes(value)
        for name in names:
            part = held.get(name, self)
            if part is self and not is_module:
                part = _method(value if is_class else type(value), name, self)
                if is_a(part, types.FunctionType):
                    self.follow(part, None if is_class else owner)
                    continue
            if part is not self and name != "__call__":
                self._note(Place(kind, path, name), f"{path}.{name}", part, (known_as, name) in used)


def _method(kind: type, name: str, default: Any = None) -> Any:
    """The attribute of a class, or the function inside it."""
    part = raw.class_attribute(kind, name, default)
    if type(part) is property:
        return part.fget
    # Equinox wraps the methods of a module
    return raw.attributes(part).get("method", part) if raw.type_name(type(part)).startswith("equinox.") else part


class Reads:
    """What one trace read. It keeps nothing alive of that, and so forgets what died."""

    def __init__(
        self, functions: Iterable[Any], statics: Iterable[tuple[str, Any]], arguments: Iterable[tuple[str, Any]]
    ) -> None:
        classes = ((name, type(value)) for name, value in arguments if not raw.is_a(value, *_NO_CODE))
        looked_at = (("", one) for one in functions), statics, classes
        self._references = [[(name, found) for name, one in some if (found := _reference(one))] for some in looked_at]
        values = self._values()
        self._marks = marks_of(values)
        self._was = {place: _described(place, value) for place, value in values.items()}

    def __bool__(self) -> bool:
        return bool(self._marks)

    @property
    def rows(self) -> tuple[Read, ...]:
        """What it read, as it was before the trace."""
        return tuple(cleaned(Read(*place, value), is_compared=True) for place, value in self._was.items())

    def forget_changed(self) -> None:
        """The trace is over: forget what it has changed itself, such as a list of what was traced."""
        now = marks_of(self._values())
        self._marks = {place: mark for place, mark in self._marks.items() if now.get(place) == mark}

    def changed(self) -> Iterator[tuple[Read, Description]]:
        """What is something else by now, and what."""
        values = self._values()
        now = marks_of(values)
        told: list[str] = []
        places = [place for place, mark in self._marks.items() if now.get(place, mark) != mark]
        for place in sorted(places, key=lambda place: _path_of(place).count(".")):
            was, found = self._was[place], _described(place, values[place])
            if not any(f"{place.of}.".startswith(f"{path}.") for path in told) and not are_alike(was, found):
                told.append(_path_of(place))
                yield cleaned(Read(*place, was), is_compared=True), cleaned(found, is_compared=True)

    def _values(self) -> dict[Place, Any]:
        functions, statics, classes = (
            [(name, one) for name, reference in some if (one := reference()) is not None] for some in self._references
        )
        return values_read([one for _, one in functions], statics, classes)


def _reference(value: Any) -> weakref.ref[Any] | None:
    try:
        return weakref.ref(value)
    except TypeError:
        return None


def _described(place: Place, value: Any) -> Description:
    return describe(value, _path_of(place), _DESCRIBED)


def _path_of(place: Place) -> str:
    return f"{place.of}.{place.name}" if place.kind in ("static", "attribute") else place.name


def marks_of(values: dict[Place, Any]) -> dict[Place, object]:
    """A mark for each value. It is another one if the value is another object, a plain one excepted, or if a container
    holds something else."""
    return {place: _mark(value, _DEPTH) for place, value in values.items()}


def _mark(value: Any, depth: int) -> object:
    kind = type(value)
    if kind in _NUMBERS:
        return kind, repr(value)
    if kind is str or kind is bytes:
        return kind, len(value), hash(value)
    if kind in (tuple, list, dict) and depth and len(value) <= _FEW:
        return kind, tuple(_mark(part, depth - 1) for part in tuple(raw.items_of(value)))
    return token(value)
