"""Which functions give a value that another call would not give again: random numbers, clocks, files, settings.

In: a function, and the object that it is a method of.  Out: its kind, and the name that users know it by.
"""

import datetime
import os
import pathlib
import random
from typing import Any

import numpy as np

from ...jaxcompat import raw
from ...jaxcompat.raw import is_a
from ...recording.events import DrawKind
from .values import Instance, Method

_CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
_FUNCTIONS: dict[str, tuple[DrawKind, tuple[str, ...]]] = {  # by module; () stands for all
    "time": ("clock", (*_CLOCKS, *(f"{name}_ns" for name in _CLOCKS), "ctime", "localtime", "gmtime", "strftime")),
    "uuid": ("random", ("uuid1", "uuid4")),
    "secrets": ("random", ()),
    "posix": ("outside", ("urandom", "getpid", "listdir", "stat")),
    "nt": ("outside", ("urandom", "getpid", "listdir", "stat")),
    "os": ("outside", ("getenv", "urandom")),
    "builtins": ("outside", ("input",)),
    **dict.fromkeys(("io", "_io"), ("outside", ("open",))),
    "numpy": ("outside", ("load", "loadtxt", "genfromtxt", "fromfile")),
}
_CLASS_METHODS = ("now", "utcnow", "today")  # of dates
_READS_FILE = ("read_text", "read_bytes", "open", "exists", "stat", "iterdir", "glob")
_STATES = ("seed", "get_state", "set_state", "getstate", "setstate", "spawn", "bit_generator", "jumped")


def draw_of(function: Any) -> tuple[DrawKind, str] | None:
    """The kind and the name of what a callable draws, if it does."""
    if type(function) is Method:
        return _drawn_by_method(function)
    owner = getattr(function, "__self__", None) if type(function) in _BUILTINS else None
    if owner is not None and is_random(owner):
        return None if function.__name__ in _STATES else ("random", _named(owner, function.__name__))
    plain, module = name_of(function)
    kind, names = _FUNCTIONS.get(module, ("outside", ("",)))
    if plain and (not names or plain in names):
        return kind, plain if module in ("builtins", "io", "_io") else f"{_SHOWN.get(module, module)}.{plain}"
    return None


_BUILTINS = (type(len), type(np.random.normal))
_SHOWN = {"posix": "os", "nt": "os", "numpy": "np"}


def _drawn_by_method(method: Method) -> tuple[DrawKind, str] | None:
    owner = method.owner.what
    if is_random(owner):
        path = method.owner.path
        of = "rng" if path is None else ".".join(filter(None, path.words[1:])) if path.steps else path.root.name
        return None if method.name in _STATES else ("random", f"{of}.{method.name}")
    if is_a(owner, type) and method.name in _CLASS_METHODS and issubclass_of(owner, datetime.date):
        return "clock", f"{owner.__name__}.{method.name}"
    if owner is os.environ and method.name == "get":
        return "outside", "os.environ"
    kind = owner.kind if type(owner) is Instance else type(owner)
    if issubclass_of(kind, pathlib.PurePath) and method.name in _READS_FILE:
        return "outside", f"Path.{method.name}"
    return None


def issubclass_of(kind: Any, base: type) -> bool:
    """`issubclass` without the hooks of a metaclass."""
    return base in raw.mro_of(kind)


def is_random(value: Any) -> bool:
    """Whether a value is a generator of random numbers, of Python or of NumPy."""
    return is_a(value, random.Random, np.random.Generator, np.random.RandomState)


def is_unseeded(function: Any, n_args: int) -> bool:
    """Whether a call makes a generator that begins somewhere else each time."""
    makers = (random.Random, np.random.RandomState, np.random.default_rng)
    return not n_args and any(function is maker for maker in makers)


def _named(owner: Any, name: str) -> str:
    return f"random.{name}" if is_a(owner, random.Random) else f"np.random.{name}"


def name_of(function: Any) -> tuple[str, str]:
    """The name and the module of a function that is not the user's, or those of the class of an object."""
    if type(function) is Method:
        kind = type(function.owner.what)
        return function.name, raw.type_name(kind).rpartition(".")[0]
    if type(function) in _PLAIN:
        module = function.__module__
        return function.__name__, module if type(module) is str else ""
    held = raw.attributes(function) if not is_a(function, type) else {"__name__": raw.qualname(function)}
    name, (module, _, kind_name) = held.get("__name__"), raw.type_name(type(function)).rpartition(".")
    module = held.get("__module__", module)
    return (name if type(name) is str else kind_name), (module if type(module) is str else "")


_PLAIN = (*_BUILTINS, type(_named))


# Taken once: a program may put others in their place.
_state_of_random = random.getstate
_state_of_numpy = np.random.get_state


def states() -> dict[str, int]:
    """The states of the two global generators, by the names of their modules, as hashes: a state is 20 kB."""
    found: Any = _state_of_numpy(legacy=False)
    parts = (part.tobytes() if is_a(part, np.ndarray) else part for part in found.pop("state").values())
    return {"random": hash(_state_of_random()), "np.random": hash((*parts, *found.values()))}
