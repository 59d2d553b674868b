"""Splitting a flat list of leaves into traced and static ones, and merging them again.

In: the roles of the leaves.  Out: three functions that run at the speed of C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any


class Split:
    """One way to split a list of leaves. `traced_at` and `static_at` are positions in that list.

    `traced(leaves)` and `static(leaves)` return the two halves; `merge((*traced, *static))` restores the list.
    """

    __slots__ = ("merge", "static", "static_at", "traced", "traced_at")

    def __init__(self, is_traced: Iterable[bool]) -> None:
        flags = tuple(is_traced)
        self.traced_at = tuple(index for index, flag in enumerate(flags) if flag)
        self.static_at = tuple(index for index, flag in enumerate(flags) if not flag)
        self.traced = _pick(self.traced_at)
        self.static = _pick(self.static_at)
        order = (*self.traced_at, *self.static_at)
        self.merge = _pick(sorted(range(len(order)), key=order.__getitem__))


def _pick(positions: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    # `itemgetter` returns a tuple only for two or more positions.
    if len(positions) > 1:
        return itemgetter(*positions)
    if len(positions) == 1:
        (position,) = positions
        return lambda leaves: (leaves[position],)
    return lambda _: ()
