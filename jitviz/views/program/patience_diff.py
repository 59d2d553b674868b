"""Which lines of two texts correspond: a patience diff.

In: the lines of two texts as keys of several kinds, the most specific first.  Out: pairs of places, in order.
Must never: take time that grows with the square of the texts' lengths; large tangled gaps stay unpaired.

Keys that occur equally often on both sides of a gap are paired in order, and the longest increasing run of those pairs
is kept. The gaps that remain are searched again with less specific keys.
"""

import difflib
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

Keys: TypeAlias = Sequence[Hashable]
Pair: TypeAlias = tuple[int, int]

# A gap of this many lines times lines is small enough for difflib, which looks at every pair of equal lines.
_SMALL = 400_000


class Hunk(NamedTuple):
    """A stretch of each text; one of them may be empty."""

    before: range
    after: range


def align(levels: Sequence[tuple[Keys, Keys]]) -> list[Pair]:
    """Pairs of lines whose keys are equal at one level. Both places increase from each pair to the next. `levels` holds
    the keys of both texts for each kind of key."""
    lengths = len(levels[0][0]), len(levels[0][1])
    pairs: list[Pair] = []
    for before, after in (*levels, levels[-1]):
        pairs = sorted([*pairs, *(pair for gap in _gaps(pairs, *lengths) for pair in _anchors(before, after, gap))])
    before, after = levels[-1]
    for lines, others in list(_gaps(pairs, *lengths)):
        texts = before[lines.start : lines.stop], after[others.start : others.stop]
        if len(lines) * len(others) <= _SMALL and not set(texts[0]).isdisjoint(texts[1]):
            for block in difflib.SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks():
                pairs += zip(lines[block.a :][: block.size], others[block.b :][: block.size], strict=True)
    return sorted(pairs)


def hunks_of(pairs: Sequence[Pair], n_before: int, n_after: int) -> Iterator[Hunk]:
    """The stretches of the texts without a pair."""
    start, other_start = 0, 0
    for end, other_end in (*pairs, (n_before, n_after)):
        if start < end or other_start < other_end:
            yield Hunk(range(start, end), range(other_start, other_end))
        start, other_start = end + 1, other_end + 1


def _gaps(pairs: Sequence[Pair], n_before: int, n_after: int) -> Iterator[Hunk]:
    """The stretches without a pair in which both texts have lines."""
    return (hunk for hunk in hunks_of(pairs, n_before, n_after) if hunk.before and hunk.after)


def _anchors(before: Keys, after: Keys, gap: Hunk) -> Iterator[Pair]:
    """Pairs in a gap: equal lines from both ends inwards, then lines that occur equally often on both sides."""
    (start, end), (other_start, other_end) = ((lines.start, lines.stop) for lines in gap)
    while start < end and other_start < other_end and before[start] == after[other_start]:
        yield start, other_start
        start, other_start = start + 1, other_start + 1
    while start < end and other_start < other_end and before[end - 1] == after[other_end - 1]:
        end, other_end = end - 1, other_end - 1
        yield end, other_end
    if set(before[start:end]).isdisjoint(after[other_start:other_end]):  # as most are
        return
    places: dict[Hashable, tuple[list[int], list[int]]] = {}
    for place in range(start, end):
        places.setdefault(before[place], ([], []))[0].append(place)
    for place in range(other_start, other_end):
        if after[place] in places:
            places[after[place]][1].append(place)
    alike = (both for both in places.values() if len(both[0]) == len(both[1]))
    yield from _longest_run(sorted(pair for both in alike for pair in zip(*both, strict=True)))


def _longest_run(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest subsequence of `pairs`, sorted by first place, in which the second place increases too."""
    ends: list[int] = []  # the smallest second place that a run of each length can end in
    runs: list[Any] = []  # that run, as its last pair and the run before it, or None
    for pair in pairs:
        length = bisect_left(ends, pair[1])
        ends[length : length + 1] = [pair[1]]
        runs[length : length + 1] = [(pair, runs[length - 1] if length else None)]
    longest: list[Pair] = []
    run = runs[-1] if runs else None
    while run is not None:
        pair, run = run
        longest.append(pair)
    return longest[::-1]
