"""Shapes by the line that calls: a separate batch size for evaluation is not a mistake.

In: the changes of each miss, in order, with the lines that called.  Out: the same changes; those of a line that always
uses one shape are marked.
Must never: excuse a line that has used two shapes, or a function that many lines call with a shape each.

Training and evaluation may call one function from two lines, each with its own batch size, and need a program for each
size. One of the two lines must be seen to call repeatedly with its size: two single calls show nothing. A short last
batch comes from a line that used another size before. A size that was left out of the sizes compiled ahead of time is
not judged by its line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..model import Miss
from ..model.sources import cell_of
from .change import Change

_FEW = 3  # lines that each use one shape


@dataclass
class _Place:
    """One leaf of a function: up to two shapes of each line, and no more lines than it takes to excuse none."""

    shapes: dict[str, set[tuple[int, ...]]] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        return len(self.shapes) > _FEW

    def is_own(self, line: str) -> bool:
        if not line or self.is_full or len(self.shapes.get(line, ())) != 1:
            return False
        has_loop = any(len(shapes) > 1 for shapes in self.shapes.values())
        return not (has_loop and cell_of(line))  # a cell may run that loop again

    def add(self, line: str, shape: tuple[int, ...]) -> None:
        if not self.is_full and len(mine := self.shapes.setdefault(line, set())) < 2:
            mine.add(shape)


class Sites:
    """The shapes that each line has used. `is_repeated` says whether a line has called more than once."""

    def __init__(self, is_repeated: Callable[[str], bool]) -> None:
        self._places: dict[tuple[str, str], _Place] = {}
        self._of_calls: set[int] = set()  # misses of a call whose size another call did not have
        self._is_repeated = is_repeated

    def add(self, number: int, before: Miss | None, miss: Miss, changes: Sequence[Change]) -> None:
        """Take the changes of miss `number` into account."""
        if before is None or before.stage != "call" or miss.stage != "call":
            return
        for change in filter(_is_size, changes):
            self._of_calls.add(number)
            place = self._places.setdefault((miss.function.lineage, change.path), _Place())
            place.add(before.source, change.facts.shape_before)
            place.add(miss.source, change.facts.shape)

    def judge(self, number: int, miss: Miss, change: Change) -> Change:
        """A change of miss `number`, marked if its line uses only this one shape."""
        place = self._place(number, miss, change)
        return change.judged(is_own=True) if place and any(map(self._is_repeated, place.shapes)) else change

    def is_open(self, number: int, miss: Miss, changes: Sequence[Change]) -> bool:
        """Whether the next call may change the judgement."""
        return any(self._place(number, miss, change) for change in changes)

    def _place(self, number: int, miss: Miss, change: Change) -> _Place | None:
        is_judged = number in self._of_calls and _is_size(change)
        place = self._places.get((miss.function.lineage, change.path)) if is_judged else None
        return place if place is not None and place.is_own(miss.source) else None


def _is_size(change: Change) -> bool:
    """Whether only sizes changed, not the number of axes."""
    return change.kind == "shape" and len(change.facts.shape_before) == len(change.facts.shape)
