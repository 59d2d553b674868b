"""The comparison of two recordings: which causes are gone, which are new, which cost more or less.

In: two `Recording`s.  Out: `Comparison`.
Must never: distinguish what users consider the same (an address, the number of a cell, a line that moved), or report a
cause as more expensive because the machine was slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import TypeAlias

from ..model.counting import has_compiled
from ..model.finding import FindingKind
from ..recording import Recording
from ..recording.recording import check_recordings
from .disk_cache import tell_misses
from .find import find
from .words import NOUNS, count, seconds

# With the same number of compiles, so many more seconds and this factor are not noise.
_MUCH_S = 2.0
_MUCH = 2.0
_MOST_AGREE = 3  # the median of so many causes shows how fast the machine was
# These depend on seconds alone; their compiles are compared as compiles.
_BY_SECONDS: frozenset[FindingKind] = frozenset({"slow_trace", "slow_compile"})
_RECOMPILES: frozenset[FindingKind] = frozenset({"recompile", "not_warmed"})

_Key: TypeAlias = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Cost:
    """One cause in one recording. `kind` is that of a finding, or "compile" for compiles that no finding covers."""

    function: str
    kind: str
    path: str
    reason: str
    count: int
    seconds: float
    summary: str

    def __str__(self) -> str:
        return f"`{self.function}`: {self.summary} ({self.told})" if self.summary else f"`{self.function}`: {self.told}"

    @property
    def told(self) -> str:
        """ "3 recompiles, 1.2 s"."""
        said = count(self.count, NOUNS.get(self.kind, "compile"))
        return f"{said}, {seconds(self.seconds)}" if self.seconds else said


@dataclass(frozen=True)
class Shift:
    """A cause that is in both recordings."""

    before: Cost
    after: Cost

    def __str__(self) -> str:
        return f"{self.after}, was {self.before.told}"


@dataclass(frozen=True)
class Comparison:
    """What differs; false if nothing does. `was` and `now` are the compiles of each recording and their seconds,
    `missed` are sentences about programs that were no longer in JAX's cache on disk."""

    gone: tuple[Cost, ...] = ()
    new: tuple[Cost, ...] = ()
    dearer: tuple[Shift, ...] = ()
    cheaper: tuple[Shift, ...] = ()
    was: tuple[int, float] = (0, 0.0)
    now: tuple[int, float] = (0, 0.0)
    missed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.gone or self.new or self.dearer or self.cheaper)

    def __str__(self) -> str:
        rows = {"gone": self.gone, "new": self.new, "more expensive": self.dearer, "cheaper": self.cheaper}
        lines = [f"{name}: {one}" for name, found in rows.items() for one in found]
        return "\n".join([*(lines or [f"no difference: {self.headline}"]), *self.missed])

    @property
    def is_worse(self) -> bool:
        """Whether there are avoidable recompiles that were not there before."""
        more = (*self.new, *(one.after for one in self.dearer if one.after.count > one.before.count))
        return any(cost.kind in _RECOMPILES for cost in more)

    @property
    def headline(self) -> str:
        """ "was 4 compiles, 2.1 s; now 1, 400 ms"."""
        return tell_change(self.was, self.now)


def tell_change(was: tuple[int, float], now: tuple[int, float]) -> str:
    """The headline of two numbers of compiles and their seconds."""
    return f"was {count(was[0], 'compile')}, {seconds(was[1])}; now {now[0]:,}, {seconds(now[1])}"


def compare(before: Recording, after: Recording) -> Comparison:
    """Say what changed from one recording to another: causes of compiles that are gone, new, more expensive or
    cheaper.

    >>> print(jitviz.compare(before, after))

    Functions and causes are the same where their names, paths and kinds are, wherever they stand in the source.
    """
    check_recordings((before, after), "compare")
    old, new = _costs(before), _costs(after)
    shifts = [Shift(old[key], new[key]) for key in old if key in new]
    slower = _mood(shifts)
    return Comparison(
        gone=_costliest(cost for key, cost in old.items() if key not in new),
        new=_costliest(cost for key, cost in new.items() if key not in old),
        dearer=tuple(one for one in shifts if _is_dearer(one.before, one.after, slower)),
        cheaper=tuple(one for one in shifts if _is_dearer(one.after, one.before, 1 / slower)),
        was=total(before),
        now=total(after),
        missed=tuple(tell_misses(before, after)),
    )


def _costs(recording: Recording) -> dict[_Key, Cost]:
    """The costs by cause; what users consider the same cause has one key."""
    costs: dict[_Key, Cost] = {}
    for home, name, cost in _each_cost(recording):
        key = home, name, cost.kind, cost.reason, cost.path
        if (known := costs.get(key)) is not None:
            cost = replace(known, count=known.count + cost.count, seconds=known.seconds + cost.seconds)
        costs[key] = cost
    return costs


def _each_cost(recording: Recording) -> Iterator[tuple[str, str, Cost]]:
    """The module and the name of a function, with one of its costs."""
    told: set[int] = set()
    for one in find(recording):
        if one.kind not in _BY_SECONDS:
            told.update(one.compiles if one.kind in _RECOMPILES else ())
            cost = Cost(one.function, one.kind, one.path, one.reason, one.count, one.seconds, one.summary)
            yield one.home, one.name, cost
    for row in recording.compiles:
        if has_compiled(row) and row.index not in told:
            info = row.function_info
            yield info.module, info.qualname, Cost(row.function, "compile", "", "", 1, row.duration_s, "")


def _costliest(costs: Iterator[Cost]) -> tuple[Cost, ...]:
    return tuple(sorted(costs, key=lambda cost: -cost.seconds))


def _mood(shifts: list[Shift]) -> float:
    """How many times slower the machine was in the second run: the median over causes that occurred equally often."""
    pairs = [(one.before.seconds, one.after.seconds) for one in shifts if one.before.count == one.after.count]
    ratios = [after_s / before_s for before_s, after_s in pairs if before_s > 0 and after_s > 0]
    return median(ratios) if len(ratios) >= _MOST_AGREE else 1.0


def _is_dearer(before: Cost, after: Cost, slower: float) -> bool:
    if before.count != after.count:
        return after.count > before.count
    return after.seconds > _MUCH * before.seconds * max(1.0, slower) + _MUCH_S


def total(recording: Recording) -> tuple[int, float]:
    """The number of compiles, and their seconds."""
    rows = [row for row in recording.compiles if has_compiled(row)]
    return len(rows), sum(row.duration_s for row in rows)
