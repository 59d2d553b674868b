"""Functions that call themselves while a program is traced, as the stacks of its equations show.

In: the equations of a program as JSON.  Out: `Recursion`s, of which each call makes alike equations.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

_ALIKE = 0.8  # of the calls make the same equations; those of a tree make more the deeper they are
_Kind: TypeAlias = tuple[str, ...]  # a primitive, and the avals of its outputs


class Recursion(NamedTuple):
    """The line of the call, how deep the calls go that make equations, and how many these make."""

    file: str
    line: int
    depth: int
    n_made: int


def find_recursions(program: Mapping[str, Any], least_depth: int) -> Iterator[Recursion]:
    """The calls of which at least so many are inside each other."""
    depths = _depths(program)
    recursive = {frame for inside in depths for frame, depth in inside.items() if depth >= least_depth}
    made: dict[int, dict[int, Counter[_Kind]]] = defaultdict(lambda: defaultdict(Counter))
    for stack, kind in _equations(program, set()) if recursive else ():
        for frame in recursive & depths[stack].keys():
            made[frame][depths[stack][frame]][kind] += 1
    for frame, levels in made.items():
        kinds = list(levels.values())
        if max(map(kinds.count, kinds)) >= _ALIKE * max(levels):
            file, _, line, *_ = program["frames"][frame]
            yield Recursion(file, line, max(levels), sum(level.total() for level in kinds))


def _depths(program: Mapping[str, Any]) -> list[dict[int, int]]:
    """How often each frame is in each stack."""
    depths: list[dict[int, int]] = []
    for frame, outer in program.get("stacks", ()):
        around = depths[outer] if outer >= 0 else {}
        depths.append(around | {frame: around.get(frame, 0) + 1})
    return depths


def _equations(program: Mapping[str, Any], seen: set[int]) -> Iterator[tuple[int, _Kind]]:
    """The stack and kind of each equation that has one, once for each trace."""
    if program.get("trace") in seen:
        return
    seen.add(program.get("trace", -1))
    for equation in program.get("equations", ()):
        if "at" in equation:
            yield equation["at"], (equation["primitive"], *(aval for _, aval in equation["out"]))
        for _, inner in equation.get("programs", ()):
            yield from _equations(inner, seen)
