"""What is under way on each thread, and the hits that no recording was told of yet.

In: what the hooks see.  Out: `here.mine` of the thread that asks, and the hits of all of them.
Must never: keep anything of a thread that has ended, but for its hits until they are taken.
"""

from __future__ import annotations

import threading
import weakref
from array import array
from collections.abc import Iterator
from itertools import chain

from .opened import CallSite, OpenCall, OpenCompile, OpenOps, OpenPhase


class OnThread:
    """One thread. `is_inside` says that jitviz looks at something: what is called meanwhile is not the user's.

    `sites` are the lines that have called, by address (see `calls.site_of`). `hits` are three numbers each: the row of
    the site, and in nanoseconds when it began and how long it took.
    """

    def __init__(self) -> None:
        self.is_inside = False
        self.calls: list[OpenCall] = []  # the outermost first, as in what follows
        self.phases: list[OpenPhase] = []
        self.compiles: dict[int, OpenCompile] = {}  # by the address of their frame
        self.ops = OpenOps()
        self.sites: dict[int, CallSite] = {}
        self.hits: list[int] = []


class _Here(threading.local):
    def __init__(self) -> None:
        self.mine = OnThread()
        _all.append((weakref.ref(self.mine), self.mine.hits))


_all: list[tuple[weakref.ref[OnThread], list[int]]] = []
here = _Here()


def each() -> Iterator[OnThread]:
    """All that have not ended."""
    return (mine for reference, _ in list(_all) if (mine := reference()) is not None)


def forget_sites() -> None:
    """What is known of lines that call holds no more: which version a hit runs, or who wants to be told of it."""
    for mine in each():
        mine.sites.clear()


def take_hits() -> array[int]:
    """The hits that nobody took yet, in the order they ended. One thread at a time may take."""
    taken: list[list[int]] = []
    for place in reversed(range(len(_all))):
        reference, hits = _all[place]
        has_ended = reference() is None
        n = len(hits)  # its thread may add more meanwhile
        if n:
            taken.append(hits[:n])
            del hits[:n]
        elif has_ended:
            del _all[place]
    if len(taken) == 1:
        return array("q", taken[0])
    rows = (tuple(hits[place : place + 3]) for hits in taken for place in range(0, len(hits), 3))
    in_order: list[tuple[int, ...]] = sorted(rows, key=_ended_ns)
    return array("q", chain.from_iterable(in_order))


def _ended_ns(row: tuple[int, ...]) -> int:
    return row[1] + row[2]
