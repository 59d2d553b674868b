"""Shapes by where they come from: a size of its own for evaluation is no mistake.

In: the changes of each miss, in order, with the lines that called.  Out: the same changes, those of a line that always
has one and the same shape marked.
Must never: excuse a line that has had two shapes, or a function that is called from many lines with a shape for each.

A training step and an evaluation call one function from two lines, each with the size of its own batches: two programs
are what the two sizes are there for. A short last batch comes from the line that had another size before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..model import Miss
from .causes import cell_of
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
    """The shapes at every place so far."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], _Place] = {}

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

    def judge(self, miss: Miss, changes: tuple[Change, ...]) -> tuple[Change, ...]:
        """The changes, those marked that bring the one shape of their line."""
        return tuple(
            replace(change, facts=replace(change.facts, is_own=True))
            if _is_size(change)
            and (place := self._places.get((miss.function.lineage, change.path))) is not None
            and place.is_own(miss.source)
            else change
            for change in changes
        )


def _is_size(change: Change) -> bool:
    """Whether only sizes changed, and not the number of axes."""
    return change.kind == "shape" and len(change.facts.shape_before) == len(change.facts.shape)
