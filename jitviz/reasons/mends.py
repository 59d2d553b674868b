"""Mends: the recompile that a person causes by doing as advised is nobody's mistake.

In: the changes of each miss, in order, with the cells that the two versions come from.  Out: the same changes, those of
a mend marked.
Must never: excuse a change inside of one cell, or anything in a file: there it is the mistake itself.

A number that is an array in a later cell is known for a mend at once. All else can only be told from what followed: a
callable now made once outside, a size now padded to one. Where a property changed again and again inside of a cell, and
changed once more in a later cell and then no more, that once is the mend.
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
    """What is known of one property of a function. `mend` is the miss that mended it, as far as is known."""

    is_repeated: bool = False
    mend: int | None = None
    became_array: int | None = None


class Mends:
    """The mistakes that were made, and what may have mended them, for each lineage and path."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], _Place] = {}

    def add(self, number: int, before: Miss | None, miss: Miss, changes: Sequence[Change]) -> list[int]:
        """Take the changes of miss `number` into account; the earlier misses that are judged otherwise from now on."""
        turned: list[int] = []
        cells = cell_of(before.source if before is not None else ""), cell_of(miss.source)
        if "" in cells or miss.stage != "call":
            return turned
        for change in changes:
            if change.kind in _NO_MENDS:
                continue
            place = self._places.setdefault((miss.function.lineage, change.path), _Place())
            if place.mend is not None:
                turned.append(place.mend)
            is_later = cells[0] != cells[1]
            place.mend = number if is_later and place.is_repeated else None
            place.is_repeated |= not is_later
            if is_later and place.became_array is None and change.kind == "leaf_kind" and change.facts.is_traced:
                place.became_array = number
        return turned

    def judge(self, number: int, miss: Miss, change: Change) -> Change:
        """A change of miss `number`, marked where it mended what it changed."""
        place = self._places.get((miss.function.lineage, change.path), _Place())
        return change.judged(is_mended=True) if number in (place.mend, place.became_array) else change
