"""Inherent recompiles: those that any user would expect. All others are avoidable.

In: the changes of each miss, in order.  Out: whether a change is inherent; the same changes, with strings that are not
flags marked.
Must never: look at signatures, make sentences, or keep more than a few strings of one place.

A mode or a method is a flag: it has few values, and is meant to have a program for each. A path, a name or a time has
as many values as there are calls. One change of a string does not show which of the two it is, but the number of
values that one argument of a function gets does.

`jitviz.model.counting` defines what counts as a recompile: if the first attempt failed, the retry is the first compile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..model import Miss
from .change import Change

FEW = 4  # values of a flag
_NUMBERED = 3  # so many strings that differ only by a number are not a flag: "step_1", "step_2", …
_NUMBER = re.compile(r"\d+")

_Place = tuple[str, str]  # lineage, path


def is_inherent(change: Change, miss: Miss) -> bool:
    """Whether any user would expect this change to recompile.

    Ahead-of-time compiles are intended. A flag (bool, enum member, None, one of few strings) is meant to have a program
    for each value. A number is not inherent even if it is small: step counters, lengths and learning rates are the
    usual mistake, and one change does not distinguish them from a number of layers.
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
    """The strings that each argument has had."""

    def __init__(self) -> None:
        self._seen: dict[_Place, set[str]] = {}

    def add(self, _number: int, _before: Miss | None, miss: Miss, changes: Sequence[Change]) -> None:
        """Take the changes of the next miss into account."""
        for change in changes:
            place = miss.function.lineage, change.path
            if change.facts.words and not self._is_many(place):
                self._seen.setdefault(place, set()).update(change.facts.words)

    def judge(self, _: int, miss: Miss, change: Change) -> Change:
        """The change, its `flag` set to "many" if there are too many strings for a flag."""
        is_flag = change.facts.flag == "yes" and bool(change.facts.words)
        return change.judged(flag="many") if is_flag and self._is_many((miss.function.lineage, change.path)) else change

    def _is_many(self, place: _Place) -> bool:
        words = self._seen.get(place, set())
        return len(words) > FEW or (len(words) >= _NUMBERED and len({_NUMBER.sub("#", word) for word in words}) == 1)
