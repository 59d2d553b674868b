"""Which recompiles anyone would expect: they are inherent, and no recompile that is inherent is avoidable.

In: one change of a miss.  Out: yes or no.
Must never: look at signatures, or make sentences.

What counts as a recompile at all is in `jitviz.model.counting`: a retry of a function that has no version yet, as its
first attempt failed, is its first compile and no recompile.
"""

from __future__ import annotations

from ..model import Miss
from .change import Change


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
