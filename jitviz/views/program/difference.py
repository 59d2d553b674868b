"""Two program texts compared: of two versions of a function, or of two functions.

In: a `Recording`, the numbers of two compiles, the name of a text.  Out: `Difference`.
Must never: call texts different because of variable names, or the same if an operand differs.
"""

from __future__ import annotations

from ...jaxcompat.texts.program_lines import Lines, read_lines
from ...model import ListingName
from ...recording import Recording
from ..schema import Difference, Hunks
from .difference_in_words import SAME, summarise
from .keys import Renaming, keys_by_shape, keys_from_above, keys_from_below
from .patience_diff import Pair, align, hunks_of
from .texts import shape_listing


def shape_difference(recording: Recording, before: int, after: int, name: ListingName) -> Difference:
    """Compare a text of compile number `before` with that of number `after`.

    Raises:
        LookupError: there is no such compile, or no such text of it; the message is a sentence for people.
    """
    return compare(shape_listing(recording, before, name), shape_listing(recording, after, name), name)


def compare(before: str, after: str, name: ListingName) -> Difference:
    """Compare two shown texts of kind `name`."""
    if before == after:
        return Difference(Hunks(), (SAME,))
    old, new = before.split("\n"), after.split("\n")
    old_lines, new_lines = read_lines(old, name), read_lines(new, name)
    pairs = _pair(old_lines, new_lines)
    hunks = list(hunks_of(pairs, len(old), len(new)))
    if not hunks:
        return Difference(Hunks(), (SAME,))
    starts, ends, new_starts, new_ends = zip(*hunks, strict=True)
    summary = tuple(summarise(hunks, old, new, old_lines, new_lines, name))
    return Difference(Hunks(starts, ends, new_starts, new_ends), summary)


def _pair(before: Lines, after: Lines) -> list[Pair]:
    """Corresponding lines whose operands correspond too."""
    keys = (keys_from_above, keys_from_below, keys_by_shape)
    renaming = Renaming()
    return [
        (b, a)
        for b, a in align([(key(before), key(after)) for key in keys])
        if before.shape[b] == after.shape[a]
        and renaming.allows(before.reads[b], after.reads[a])
        and renaming.allows(before.sets[b], after.sets[a])
    ]
