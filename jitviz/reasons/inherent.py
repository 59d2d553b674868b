"""Which recompiles anyone would expect: they are inherent, and no recompile that is inherent is avoidable.

In: the changes of each miss, in order.  Out: yes or no for a change, once strings that are no flags are marked.
Must never: look at signatures, make sentences, or keep more than a few strings of one place.

A mode or a method is a flag: it has few values, and a program for each is what it is there for. A path, a name or a
time has as many values as there are calls. One change of a string cannot tell them apart; the number of values at one
place of a function can.

What counts as a recompile at all is in `jitviz.model.counting`: a retry of a function that has no version yet, as its
first attempt failed, is its first compile and no recompile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..model import Miss
from .change import Change

FEW = 4  # values of a flag
_NUMBERED = 3  # strings that differ by their numbers alone go on: "step_1", "step_2", …
_NUMBER = re.compile(r"\d+")

_Place = tuple[str, str]  # lineage, path


def is_inherent(change: Change, miss: Miss) -> bool:
    """Whether the recompile is what anyone would expect of this change.

    What was asked for ahead of time was meant to be compiled. A flag (bool, enum member, None, string out of few) has
    few values, and a program for each is what it is there for. A number is not inherent even if it is small: step
    counters, lengths and learning rates are the usual mistake, and one change cannot tell them from a number of layers.
    """
    if miss.stage != "call":
        return change.kind != "first"
    if change.kind in ("transform", "config_context"):
        return True
    if change.kind in ("static_value", "treedef"):
        return change.facts.flag == "yes"
    if change.facts.is_mended or change.facts.is_own:
        return True
    return change.kind == "new_function" and change.facts.event in ("options", "edited")


class Words:
    """The strings at every place so far."""

    def __init__(self) -> None:
        self._seen: dict[_Place, set[str]] = {}
        self._misses: dict[_Place, list[int]] = {}  # those whose judgement turns when there are too many strings

    def add(self, number: int, _: Miss | None, miss: Miss, changes: Sequence[Change]) -> list[int]:
        """Take the changes of miss `number` into account; the earlier misses that are judged otherwise from now on."""
        turned: list[int] = []
        for change in changes:
            words = change.facts.words
            place = miss.function.lineage, change.path
            if not words or self._is_many(place):
                continue
            self._seen.setdefault(place, set()).update(words)
            self._misses.setdefault(place, []).append(number)
            if self._is_many(place):
                turned += self._misses.pop(place)
        return turned

    def judge(self, _: int, miss: Miss, change: Change) -> Change:
        """The change, its `flag` as "many" where the strings are too many for a flag."""
        is_flag = change.facts.flag == "yes" and bool(change.facts.words)
        return change.judged(flag="many") if is_flag and self._is_many((miss.function.lineage, change.path)) else change

    def _is_many(self, place: _Place) -> bool:
        words = self._seen.get(place, set())
        return len(words) > FEW or (len(words) >= _NUMBERED and len({_NUMBER.sub("#", word) for word in words}) == 1)
