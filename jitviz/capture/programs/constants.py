"""What the user calls the arrays that became constants of a program.

In: arrays, and the functions that the program was traced from.  Out: names, by the mark of an array.
Must never: run code of the user's, read a value, or keep anything but names.

An array is found by identity: in what the functions close over, in the globals that their code names, in what they
were given beforehand (defaults, `functools.partial`, the object of a method), and one or two steps into each. JAX takes
a NumPy array as a view, so that those are known by the memory that they show.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...jaxcompat import raw
from ..sources import frame_owner

STEPS = 2  # into an object: "model.layer.weight"
MOST = 4_000  # objects that are looked at
MOST_ITEMS = 200  # of one list or dict

Mark = int | tuple[Any, ...]
_Named = tuple[str, Any]


def mark_of(array: Any) -> Mark:
    """What two references to one array have in common, and those to two living ones have not."""
    if raw.is_a(array, np.ndarray):
        held = np.ndarray.__array_interface__.__get__(array)  # whatever a subclass says
        return held["data"][0], held["shape"], held["strides"], held["typestr"]
    return id(array)


def names_of(arrays: Iterable[Any], functions: Iterable[Any]) -> dict[Mark, str]:
    """The name of each array that is found, by its mark. The first way to an array names it."""
    search = _Search({mark_of(array) for array in arrays})
    search.later += functions
    for function in search.later:  # it grows meanwhile
        search.function(function)
    return search.found


class _Search:
    """Goes from functions to what they use; functions found on the way are searched as well."""

    def __init__(self, wanted: set[Mark]) -> None:
        self.found: dict[Mark, str] = {}
        self._wanted = wanted
        self._seen: set[int] = set()
        self._left = MOST
        self.later: list[Any] = []  # functions to be searched

    def function(self, function: Any) -> None:
        """Search one function, if it was not searched before."""
        if id(function) in self._seen or len(self.found) == len(self._wanted):
            return
        self._seen.add(id(function))
        for name, value in itertools.islice(_held(function), max(0, self._left)):
            self._value(name, value, STEPS)

    def _value(self, name: str, value: Any, steps: int) -> None:
        self._left -= 1
        mark = mark_of(value)
        if mark in self._wanted:
            self.found.setdefault(mark, name)
        elif _is_function(value):
            self.later.append(value)
        elif steps and not raw.is_a(value, str, bytes, int, float, complex, type, ModuleType):
            for step, part in itertools.islice(_parts(value), max(0, self._left)):
                self._value(name + step, part, steps - 1)


def _is_function(value: Any) -> bool:
    return raw.is_a(value, FunctionType, MethodType, functools.partial) or "__wrapped__" in raw.attributes(value)


def _held(function: Any) -> Iterator[_Named]:
    """What a function uses, under the names that its code has for it."""
    if raw.is_a(function, FunctionType):
        yield from _closed_over(function)
        defaults = function.__defaults__ or ()
        positional = function.__code__.co_varnames[: function.__code__.co_argcount]
        yield from zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
        yield from (function.__kwdefaults__ or {}).items()
        if frame_owner(function.__code__.co_filename) == "user":
            yield from _globals(function)
    elif raw.is_a(function, MethodType):
        yield "self", function.__self__
        yield "", function.__func__
    elif raw.is_a(function, functools.partial):
        called, given, named = (raw.member(function, functools.partial, name) for name in ("func", "args", "keywords"))
        yield "", called
        yield from ((f"args[{place}]", part) for place, part in enumerate(given))
        yield from named.items()
    wrapped = raw.attributes(function).get("__wrapped__")
    if wrapped is not None:
        yield "", wrapped


def _closed_over(function: FunctionType) -> Iterator[_Named]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # nothing is in it yet
            continue


def _globals(function: FunctionType) -> Iterator[_Named]:
    """The globals that the code names, and of a module the attributes that it names."""
    wanted = _names(function.__code__)
    for name in wanted:
        value = dict.get(function.__globals__, name)
        if raw.is_a(value, ModuleType):
            held = raw.member(value, ModuleType, "__dict__")
            yield from ((f"{name}.{inner}", held[inner]) for inner in wanted if inner in held)
        elif value is not None:
            yield name, value


def _names(code: CodeType) -> list[str]:
    """The globals and attributes that a code object names, and the functions written inside it."""
    found = list(code.co_names)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found += _names(part)
    return list(dict.fromkeys(found))


def _parts(value: Any) -> Iterator[_Named]:
    """What an object holds: attributes, or the items of a plain container."""
    if raw.is_a(value, dict):
        pairs = [(key, part) for key, part in raw.items_of(value) if type(key) in (str, int)]
        yield from ((f"[{key!r}]", part) for key, part in pairs[:MOST_ITEMS])
    elif raw.is_a(value, tuple) and type(fields := raw.class_attribute(type(value), "_fields")) is tuple:
        yield from ((f".{name}", part) for name, part in zip(fields, raw.items_of(value), strict=False))
    elif raw.is_a(value, tuple, list):
        yield from ((f"[{place}]", part) for place, part in enumerate(list(raw.items_of(value))[:MOST_ITEMS]))
    elif not raw.is_a(value, BuiltinFunctionType):
        yield from ((f".{name}", part) for name, part in raw.attributes(value).items())
