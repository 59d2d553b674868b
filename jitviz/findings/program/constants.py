"""Arrays that became constants of a program.

In: the equations of a compile as JSON.  Out: `Constant`s.
Must never: list a constant twice if several equations run the program that holds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...jaxcompat.texts.array_types import size_of
from .jaxpr import Print, print_of

# Constants from this size on are worth a warning, since each version has its own copy of them.
LARGE_NBYTES = 1_000_000


class Constant(NamedTuple):
    """`name` is the name of the array in the user's function, or ""."""

    name: str
    aval: str
    nbytes: int


def constants_of(program: dict[str, Any]) -> list[Constant]:
    """The constant arrays of a program and of its inner programs, the largest first."""
    return sorted(_constants(program, set()), key=lambda one: -one.nbytes)


def _constants(program: dict[str, Any], told: set[Print]) -> Iterator[Constant]:
    printed = print_of(program)
    if printed in told:
        return
    if printed:
        told.add(printed)
    for _, aval, name in program.get("constants", ()):
        yield Constant(name, aval, int(size_of(aval)))
    for equation in program.get("equations", ()):
        for _, inner in equation.get("programs", ()):
            yield from _constants(inner, told)
