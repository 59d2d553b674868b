"""What is in progress on each thread, and the hits that no recording has received yet.

In: what the hooks see.  Out: `here.mine`, the state of the calling thread; the hits of all threads.
Must never: keep anything of a thread that has ended, except its hits until they are taken.
"""

from __future__ import annotations

import threading
import weakref
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain

from .in_progress import CallSite, OpenCall, OpenMiss, OpenOps, OpenPhase


class OnThread:
    """The state of one thread. Lists hold the outermost entry first.

    `is_inside` is true while jitviz inspects something: calls made meanwhile are not the user's. `is_taking` is true in
    `take_hits`.
    `sites` are the known call sites. The key is the address of the calling instruction; for whatever else is called
    there, that and the address of the callee. (The sum of the two is no key: it may be that of another pair.)
    `hits` holds three numbers per hit: the row of the site, then start and duration in nanoseconds.
    """

    def __init__(self) -> None:
        self.ident = threading.get_ident()
        self.is_inside = False
        self.is_taking = False
        self.calls: list[OpenCall] = []
        self.phases: list[OpenPhase] = []
        self.misses: dict[int, OpenMiss] = {}  # by the address of their frame
        self.ops = OpenOps()
        self.sites: dict[int | tuple[int, int], CallSite] = {}
        self.hits: list[int] = []

    def site_at(self, instruction: int, called: int) -> CallSite | None:
        """The known site of an instruction that calls this, both by address."""
        site = self.sites.get(instruction)
        return site if site is not None and site.called == called else self.sites.get((instruction, called))

    def newest_miss(self) -> OpenMiss | None:
        """The innermost miss in progress."""
        return next((phase.miss for phase in reversed(self.phases) if phase.miss is not None), None)


class _Here(threading.local):
    def __init__(self) -> None:
        self.mine = OnThread()
        _all.append((weakref.ref(self.mine), self.mine.hits))


_all: list[tuple[weakref.ref[OnThread], list[int]]] = []
here = _Here()


def running_threads() -> Iterator[OnThread]:
    """The threads that have not ended."""
    return (mine for reference, _ in list(_all) if (mine := reference()) is not None)


def phases_of(ident: int) -> Sequence[OpenPhase] | None:
    """The open phases of a thread, a list that changes; None for a thread on which jitviz has seen nothing yet."""
    return next((mine.phases for mine in running_threads() if mine.ident == ident), None)


def forget_open_calls() -> None:
    """Drop the calls and hits of all threads: while nothing was recorded, nobody saw those calls end."""
    for mine in running_threads():
        mine.calls, mine.hits[:] = [], []


def forget_sites() -> None:
    """Drop the known call sites of all threads: a hit there may run another version now, or have a new listener."""
    for mine in running_threads():
        mine.sites.clear()


def take_hits() -> array[int]:
    """Remove the waiting hits of all threads and return them in the order they ended. One thread at a time may call.

    Meanwhile the garbage collector may run a destructor of the user's that calls. It takes nothing, or what is being
    taken would be taken twice.
    """
    mine = here.mine
    if mine.is_taking:
        return array("q")
    mine.is_taking = True
    try:
        return _in_order(_taken())
    finally:
        mine.is_taking = False


def _taken() -> list[list[int]]:
    taken: list[list[int]] = []
    for place in reversed(range(len(_all))):
        reference, hits = _all[place]
        has_ended = reference() is None
        n = len(hits)  # the thread may add more meanwhile
        if n:
            taken.append(hits[:n])
            del hits[:n]
        elif has_ended:
            del _all[place]
    return taken


def _in_order(taken: list[list[int]]) -> array[int]:
    if len(taken) == 1:
        return array("q", taken[0])
    rows = (tuple(hits[place : place + 3]) for hits in taken for place in range(0, len(hits), 3))
    in_order: list[tuple[int, ...]] = sorted(rows, key=lambda row: row[1] + row[2])
    return array("q", chain.from_iterable(in_order))
