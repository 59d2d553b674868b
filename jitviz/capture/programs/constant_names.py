"""The user's names of the arrays that became constants of a program.

In: arrays, and the functions that the program was traced from.  Out: names, by the key of an array.
Must never: run user code, read a value, or keep anything but names.

An array is found by identity: among the closed-over variables of the functions, the globals that their code names,
their bound values (defaults, `functools.partial`, the object of a method), and one or two steps into each of these. JAX
makes a view of a NumPy array, so those are identified by their memory.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...jaxcompat import raw
from ..sources import frame_owner

STEPS = 2  # into an object: "model.layer.weight"
MOST = 4_000  # objects that are searched
MOST_ITEMS = 200  # of one list or dict

ArrayKey = int | tuple[Any, ...]
_Named = tuple[str, Any]


def key_of_array(array: Any) -> ArrayKey:
    """A value that identifies a live array: equal for two references to one array, different for two arrays."""
    if raw.is_a(array, np.ndarray):
        held = np.ndarray.__array_interface__.__get__(array)  # even if a subclass overrides it
        return held["data"][0], held["shape"], held["strides"], held["typestr"]
    return id(array)


def names_of(arrays: Iterable[Any], functions: Iterable[Any]) -> dict[ArrayKey, str]:
    """The name of each array that is found, by its key. The first path to an array names it."""
    search = _Search({key_of_array(array) for array in arrays})
    search.functions += functions
    for function in search.functions:  # the list grows meanwhile
        search.search(function)
    return search.found


class _Search:
    """Searches functions for arrays and collects the functions that it meets on the way."""

    def __init__(self, wanted: set[ArrayKey]) -> None:
        self.found: dict[ArrayKey, str] = {}
        self._wanted = wanted
        self._seen: set[int] = set()
        self._left = MOST
        self.functions: list[Any] = []  # to search

    def search(self, function: Any) -> None:
        """Search one function, unless it was searched before."""
        if id(function) in self._seen or len(self.found) == len(self._wanted):
            return
        self._seen.add(id(function))
        for name, value in itertools.islice(_held(function), max(0, self._left)):
            self._look_at(name, value, STEPS)

    def _look_at(self, name: str, value: Any, steps: int) -> None:
        self._left -= 1
        key = key_of_array(value)
        if key in self._wanted:
            self.found.setdefault(key, name)
        elif _is_function(value):
            self.functions.append(value)
        elif steps and not raw.is_a(value, str, bytes, int, float, complex, type, ModuleType):
            for step, part in itertools.islice(_parts(value), max(0, self._left)):
                self._look_at(name + step, part, steps - 1)


def _is_function(value: Any) -> bool:
    return raw.is_a(value, FunctionType, MethodType, functools.partial) or "__wrapped__" in raw.attributes(value)


def _held(function: Any) -> Iterator[_Named]:
    """The values that a function uses, under the names in its code."""
    if raw.is_a(function, FunctionType):
        yield from raw.closure_of(function).items()
        yield from raw.default_values(function).items()
        if frame_owner(function.__code__.co_filename) == "user":
            yield from _globals(function)
    elif raw.is_a(function, MethodType):
        yield "self", function.__self__
        yield "", function.__func__
    elif raw.is_a(function, functools.partial):
        called, args, keywords = raw.bound(function)
        yield "", called
        yield from ((f"args[{place}]", part) for place, part in enumerate(args))
        yield from keywords.items()
    wrapped = raw.attributes(function).get("__wrapped__")
    if wrapped is not None:
        yield "", wrapped


def _globals(function: FunctionType) -> Iterator[_Named]:
    """The globals that a function's code names; of a module, the attributes that the code names."""
    wanted = _names(function.__code__)
    for name in wanted:
        value = dict.get(function.__globals__, name)
        if raw.is_a(value, ModuleType):
            held = raw.member(value, ModuleType, "__dict__")
            yield from ((f"{name}.{inner}", held[inner]) for inner in wanted if inner in held)
        elif value is not None:
            yield name, value


def _names(code: CodeType) -> list[str]:
    """The globals and attributes named by a code object and by the functions nested in it."""
    found = list(code.co_names)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found += _names(part)
    return list(dict.fromkeys(found))


def _parts(value: Any) -> Iterator[_Named]:
    """The parts of an object: its attributes, or the items of a plain container."""
    if raw.is_a(value, dict):
        pairs = [(key, part) for key, part in raw.items_of(value) if type(key) in (str, int)]
        yield from ((f"[{key!r}]", part) for key, part in pairs[:MOST_ITEMS])
    elif raw.is_a(value, tuple) and type(fields := raw.class_attribute(type(value), "_fields")) is tuple:
        yield from ((f".{name}", part) for name, part in zip(fields, raw.items_of(value), strict=False))
    elif raw.is_a(value, tuple, list):
        yield from ((f"[{place}]", part) for place, part in enumerate(list(raw.items_of(value))[:MOST_ITEMS]))
    elif not raw.is_a(value, BuiltinFunctionType):
        yield from ((f".{name}", part) for name, part in raw.attributes(value).items())
