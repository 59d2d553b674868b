"""Shapes by where they come from: a size of its own for evaluation is no mistake.

In: the changes of each miss, in order, with the lines that called.  Out: the same changes, those of a line that always
has one and the same shape marked.
Must never: excuse a line that has had two shapes, or a function that is called from many lines with a shape for each.

A training step and an evaluation call one function from two lines, each with the size of its own batches: two programs
are what the two sizes are there for. One of the two lines has to be seen to call again and again with its size: of two
calls, nobody knows what they are. A short last batch comes from the line that had another size before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..model import Miss
from ..model.sources import cell_of
from .change import Change

_FEW = 3  # lines with a shape of their own


@dataclass
class _Place:
    """One leaf of a function: the shapes of each line, as far as two, and the misses that are judged by them."""

    shapes: dict[str, set[tuple[int, ...]]] = field(default_factory=dict)
    misses: dict[str, list[int]] = field(default_factory=dict)

    def is_own(self, line: str) -> bool:
        has_loop = any(len(shapes) > 1 for shapes in self.shapes.values())
        if not line or len(self.shapes) > _FEW or (has_loop and cell_of(line)):  # a cell may be that loop, run again
            return False
        return len(self.shapes.get(line, ())) == 1

    def came(self, line: str, shape: tuple[int, ...]) -> None:
        if len(mine := self.shapes.setdefault(line, set())) < 2:
            mine.add(shape)


class Sites:
    """The shapes at every place so far. `is_repeated` tells whether a line called more than once."""

    def __init__(self, is_repeated: Callable[[str], bool]) -> None:
        self._places: dict[tuple[str, str], _Place] = {}
        self._is_repeated = is_repeated

    def add(self, number: int, before: Miss | None, miss: Miss, changes: Sequence[Change]) -> list[int]:
        """Take the changes of miss `number` into account; the earlier misses that are judged otherwise from now on."""
        turned: list[int] = []
        for change in changes:
            if before is None or not _is_size(change) or before.stage != "call" or miss.stage != "call":
                continue
            place = self._places.setdefault((miss.function.lineage, change.path), _Place())
            place.came(before.source, change.facts.shape_before)
            place.came(miss.source, change.facts.shape)
            place.misses.setdefault(miss.source, []).append(number)
            for line in [line for line in place.misses if not place.is_own(line)]:
                turned += place.misses.pop(line)
        return turned

    def judge(self, _: int, miss: Miss, change: Change) -> Change:
        """The change, marked where it brings the one shape of its line."""
        place = self._place(miss, change)
        return change.judged(is_own=True) if place and any(map(self._is_repeated, place.shapes)) else change

    def is_open(self, miss: Miss, changes: Sequence[Change]) -> bool:
        """Whether the judgement may turn with the next call."""
        return any(self._place(miss, change) for change in changes)

    def _place(self, miss: Miss, change: Change) -> _Place | None:
        place = self._places.get((miss.function.lineage, change.path)) if _is_size(change) else None
        return place if place is not None and place.is_own(miss.source) else None


def _is_size(change: Change) -> bool:
    """Whether only sizes changed, and not the number of axes."""
    return change.kind == "shape" and len(change.facts.shape_before) == len(change.facts.shape)
