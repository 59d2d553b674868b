"""Mends: a recompile that a user causes by following the advice is not a mistake.

In: the changes of each miss, in order, with the cells that the two versions come from.  Out: the same changes, with
mends marked.
Must never: excuse a change within one cell, or anything in a file: there it is the mistake itself.

A number that becomes an array in a later cell is a mend at once. Other mends show only in hindsight, such as a callable
that is now created once, or an array that is now padded: if a property changed repeatedly within a cell, then once more
in a later cell and never again, that last change is the mend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Kind, Miss
from ..model.sources import cell_of
from .change import Change

_NO_MENDS: tuple[Kind, ...] = ("first", "transform", "config_context", "cache_cleared", "unexplained")


@dataclass
class _Place:
    """One argument of a function. `mend` is the miss that seems to have mended it."""

    is_repeated: bool = False
    mend: int | None = None
    became_array: int | None = None


class Mends:
    """Repeated changes and their possible mends, by lineage and path."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], _Place] = {}

    def add(self, number: int, before: Miss | None, miss: Miss, changes: Sequence[Change]) -> None:
        """Take the changes of miss `number` into account."""
        cells = cell_of(before.source if before is not None else ""), cell_of(miss.source)
        if "" in cells or miss.stage != "call":
            return
        for change in changes:
            if change.kind in _NO_MENDS:
                continue
            place = self._places.setdefault((miss.function.lineage, change.path), _Place())
            is_later = cells[0] != cells[1]
            place.mend = number if is_later and place.is_repeated else None
            place.is_repeated |= not is_later
            if is_later and place.became_array is None and change.kind == "leaf_kind" and change.facts.is_traced:
                place.became_array = number

    def judge(self, number: int, miss: Miss, change: Change) -> Change:
        """A change of miss `number`, marked if it is a mend."""
        place = self._places.get((miss.function.lineage, change.path), _Place())
        return change.judged(is_mended=True) if number in (place.mend, place.became_array) else change
