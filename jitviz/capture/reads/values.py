"""What the reading of code knows of a value.

In: nothing.  Out: `Value`, and what may stand in for a concrete object in it.
Must never: be compared by `==`, which would run code of the user's.
"""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ...recording.events import DrawKind
from .paths import NOTHING, Path


class Draw(NamedTuple):
    """A value that another call would not give again: `name` is how the user writes it, at `source`."""

    kind: DrawKind
    name: str
    source: str


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """`what` is the object, or one of the stand-ins below, or NOTHING if it is not known. `path` says where it was
    read, unless it is a constant of the code or part of an argument. `draws` went into it, and it `is_traced` if it may
    be an array of the program."""

    what: Any = NOTHING
    path: Path | None = None
    draws: frozenset[Draw] = frozenset()
    is_traced: bool = False


UNKNOWN, TRACED, NULL = Value(), Value(is_traced=True), Value()


class Made(NamedTuple):
    """A function that the code makes; `names` are the variables around it, as they are when it is called."""

    code: types.CodeType
    around: Any  # the `FunctionRun` that makes it
    names: dict[str, Value]
    defaults: tuple[Value, ...] = ()


class Method(NamedTuple):
    """A method looked up on its owner."""

    function: Any
    owner: Value
    name: str


class Instance(NamedTuple):
    """An object that the code makes."""

    kind: type


class Parts(NamedTuple):
    """A sequence that the code makes."""

    kind: Literal["tuple", "list"]
    values: tuple[Value, ...]


class Entries(NamedTuple):
    """A dict that the code makes, with keys that are known."""

    values: dict[Any, Value]


class Text(NamedTuple):
    """A text that the code makes of values."""

    values: tuple[Value, ...]


class Super(NamedTuple):
    """`super()`: the classes of the owner after `kind`."""

    kind: Any
    owner: Value


class Turns(NamedTuple):
    """An iterator: what it gives, and how many of these it has given."""

    values: tuple[Value, ...]
    n_given: int = 0


def inside(value: Value) -> Iterator[Value]:
    """A value, or the parts of what the code makes of values."""
    what = value.what
    if type(what) in (Parts, Text, Entries):
        for part in what.values.values() if type(what) is Entries else what.values:
            yield from inside(part)
    else:
        yield value


def joined(*values: Value) -> Value:
    """A value of which only this is known: what the others are drawn from, and whether one is traced."""
    parts = [part for value in values for part in inside(value)]
    draws = frozenset[Draw]().union(*(part.draws for part in parts), *(value.draws for value in values))
    is_traced = any(part.is_traced for part in (*parts, *values))
    if not draws:
        return TRACED if is_traced else UNKNOWN
    return Value(draws=draws, is_traced=is_traced)
