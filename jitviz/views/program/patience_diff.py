"""Which lines of two texts correspond.

In: the lines of two texts as keys of several kinds, the most specific first.  Out: pairs of places, in order.
Must never: take time that grows with the square of the texts' lengths; large tangled gaps stay unpaired.

As in a patience diff, keys that occur equally often on both sides of a gap are paired in order, and the longest
increasing run of those pairs is kept. The gaps that remain are searched again with less specific keys.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TypeAlias

Keys: TypeAlias = Sequence[int]
Pair: TypeAlias = tuple[int, int]
Hunk: TypeAlias = tuple[int, int, int, int]  # lines of the one text, and of the other; ends are exclusive

# A gap of this many lines times lines is small enough for difflib, which looks at every pair of equal lines.
_SMALL = 400_000


def align(levels: Sequence[tuple[Keys, Keys]]) -> list[Pair]:
    """Pairs of lines whose keys are equal at one level. Both places increase from each pair to the next.

    `levels` holds the keys of both texts for each kind of key.
    """
    n_before, n_after = len(levels[0][0]), len(levels[0][1])
    pairs: list[Pair] = []
    for before, after in (*levels, levels[-1]):
        found: list[Pair] = []
        for gap in _gaps(pairs, n_before, n_after):
            found += _anchors(before, after, gap)
        pairs = sorted(pairs + found)
    before, after = levels[-1]
    for b, b_end, a, a_end in list(_gaps(pairs, n_before, n_after)):
        if (b_end - b) * (a_end - a) <= _SMALL:
            matcher = difflib.SequenceMatcher(None, before[b:b_end], after[a:a_end], autojunk=False)
            pairs += [
                (b + block.a + step, a + block.b + step)
                for block in matcher.get_matching_blocks()
                for step in range(block.size)
            ]
    return sorted(pairs)


def hunks_of(pairs: Sequence[Pair], n_before: int, n_after: int) -> Iterator[Hunk]:
    """The stretches of the texts without a pair."""
    b = a = 0
    for pair_b, pair_a in (*pairs, (n_before, n_after)):
        if b < pair_b or a < pair_a:
            yield b, pair_b, a, pair_a
        b, a = pair_b + 1, pair_a + 1


def _gaps(pairs: Sequence[Pair], n_before: int, n_after: int) -> Iterator[Hunk]:
    """The stretches without a pair in which both texts have lines."""
    return (gap for gap in hunks_of(pairs, n_before, n_after) if gap[0] < gap[1] and gap[2] < gap[3])


def _anchors(before: Keys, after: Keys, gap: Hunk) -> list[Pair]:
    """Pairs in a gap: equal lines from both ends inwards, then lines that occur equally often on both sides."""
    b, b_end, a, a_end = gap
    found: list[Pair] = []
    while b < b_end and a < a_end and before[b] == after[a]:
        found.append((b, a))
        b, a = b + 1, a + 1
    while b < b_end and a < a_end and before[b_end - 1] == after[a_end - 1]:
        b_end, a_end = b_end - 1, a_end - 1
        found.append((b_end, a_end))
    places: dict[int, tuple[list[int], list[int]]] = {}
    for place in range(b, b_end):
        places.setdefault(before[place], ([], []))[0].append(place)
    for place in range(a, a_end):
        if (both := places.get(after[place])) is not None:
            both[1].append(place)
    candidates = sorted(
        pair for mine, theirs in places.values() if len(mine) == len(theirs) for pair in zip(mine, theirs, strict=True)
    )
    return found + _longest_run(candidates)


def _longest_run(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest subsequence of `pairs`, sorted by first place, in which the second place increases too."""
    ends: list[int] = []  # the smallest second place that a run of each length can end in
    at: list[int] = []  # the pair that has it
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        if length == len(ends):
            ends.append(place)
            at.append(number)
        else:
            ends[length], at[length] = place, number
        before.append(at[length - 1] if length else -1)
    run = []
    number = at[-1] if at else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]
