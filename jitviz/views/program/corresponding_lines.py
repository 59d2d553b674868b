"""Which lines of two program texts correspond.

In: the lines of both texts, or keys of them.  Out: pairs of places, in order; the hunks between them.

Lines correspond if they are equal but for the names of variables, and these can correspond one by one. Keys that say
most are compared first: of a line with all that it is computed from, then with all that is computed from it, then of
the line alone. What has not been paired by then is searched again.
"""

import difflib
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ...jaxcompat.texts.program_lines import Lines, Names

Keys: TypeAlias = Sequence[Hashable]
Pair: TypeAlias = tuple[int, int]

# In a gap of more lines times lines, difflib leaves out lines that occur often: it looks at every pair of equal ones.
_SMALL = 400_000


class Hunk(NamedTuple):
    """A stretch of each text; one of them may be empty."""

    before: range
    after: range


def pair_lines(before: Lines, after: Lines) -> list[Pair]:
    """Corresponding lines. Variables are numbers there; their names do not count."""
    levels = [(keys(before), keys(after)) for keys in (keys_from_above, keys_from_below)]
    renaming = Renaming()
    return [
        (line, other)
        for line, other in align([*levels, (before.shape, after.shape)])
        if before.shape[line] == after.shape[other]
        and renaming.allows(before.reads[line], after.reads[other])
        and renaming.allows(before.sets[line], after.sets[other])
    ]


def align(levels: Sequence[tuple[Keys, Keys]]) -> list[Pair]:
    """Pairs of lines whose keys are equal at one level. Both places increase from each pair to the next. `levels` holds
    the keys of both texts for each kind of key."""
    pairs: list[Pair] = []
    for before, after in levels:
        for lines, others in list(hunks_of(pairs, len(before), len(after))):
            for place, other, n in _equal(before[lines.start : lines.stop], after[others.start : others.stop]):
                pairs += zip(lines[place:][:n], others[other:][:n], strict=True)
        pairs.sort()
    return pairs


def _equal(before: Keys, after: Keys) -> Iterator[tuple[int, int, int]]:
    """Equal stretches, with their lengths: those at both ends, and between them what difflib finds."""
    n_most = min(len(before), len(after))
    n_first = next((n for n in range(n_most) if before[n] != after[n]), n_most)
    n_last = next((n for n in range(n_most - n_first) if before[-1 - n] != after[-1 - n]), n_most - n_first)
    yield 0, 0, n_first
    yield len(before) - n_last, len(after) - n_last, n_last
    between = before[n_first : len(before) - n_last], after[n_first : len(after) - n_last]
    if not set(between[0]).isdisjoint(between[1]):
        is_large = len(between[0]) * len(between[1]) > _SMALL
        for place, other, n in difflib.SequenceMatcher(None, *between, autojunk=is_large).get_matching_blocks():
            yield n_first + place, n_first + other, n


def hunks_of(pairs: Sequence[Pair], n_before: int, n_after: int) -> Iterator[Hunk]:
    """The stretches of the texts without a pair."""
    start, other_start = 0, 0
    for end, other_end in (*pairs, (n_before, n_after)):
        if start < end or other_start < other_end:
            yield Hunk(range(start, end), range(other_start, other_end))
        start, other_start = end + 1, other_end + 1


def keys_from_above(lines: Lines) -> list[int]:
    """Keys that are equal for lines that are equal in themselves and in everything they are computed from."""
    made: dict[int, int] = {}
    keys = []
    for shape, sets, reads in zip(lines.shape, lines.sets, lines.reads, strict=True):
        key = hash((shape, *[made.get(name, 0) for name in reads]))
        for place, name in enumerate(sets):
            made[name] = key + place
        keys.append(key)
    return keys


def keys_from_below(lines: Lines) -> list[int]:
    """Keys that are equal for lines that are equal in themselves and in everything that is computed from them."""
    users: dict[int, int] = {}
    keys = []
    for shape, sets, reads in zip(reversed(lines.shape), reversed(lines.sets), reversed(lines.reads), strict=True):
        key = hash((shape, *[users.get(name, 0) for name in sets]))
        for place, name in enumerate(reads):
            users[name] = hash((users.get(name, 0), key, place))
        keys.append(key)
    return keys[::-1]


class Renaming:
    """Which variables of two texts correspond, learnt from pairs of lines."""

    def __init__(self) -> None:
        self._after: dict[int, int] = {}
        self._before: dict[int, int] = {}

    def allows(self, before: Names, after: Names) -> bool:
        """Whether the variables of two lines can correspond one by one; if so, they do from now on."""
        if tuple(map(self._after.get, before)) == after:  # as most do
            return True
        pairs = set(zip(before, after, strict=False))
        is_one_to_one = len(before) == len(after) and len(pairs) == len(set(before)) == len(set(after))
        if not is_one_to_one or any(
            self._after.get(old, new) != new or self._before.get(new, old) != old for old, new in pairs
        ):
            return False
        self._after.update(pairs)
        self._before.update((new, old) for old, new in pairs)
        return True
