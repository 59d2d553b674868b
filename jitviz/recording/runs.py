"""The calls of one function in order, with alike calls in a row as one: what every count of calls is made from.

In: calls one by one, and sums of calls that are known by their line alone.  Out: places of calls, and runs of them.
Must never: grow with the number of hits, or do more for a call than count it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from ..model import Function, Outcome

_MOST_RUNS = 1000  # of one function; later ones are joined between calls that are no hits


class Site(NamedTuple):
    """What all calls of a line have in common, plain hits in particular. `version` is the one that they ran, if it is
    known; `error` as in `Call`."""

    function: Function
    source: str
    thread: str
    version: int | None
    outcome: Outcome = "hit"
    error: str | None = None


class Sum(NamedTuple):
    """Calls of one site: the index of the first (negative if it has no row), its start, their number and total time."""

    first: int
    site: int
    start_ns: int
    n: int
    spent_ns: int


class Run:
    """Calls in a row with the same outcome, version and error: a sum for each line; those without rows apart."""

    def __init__(self, kind: tuple[object, ...]) -> None:
        self.kind = kind
        self.sums: dict[tuple[int, bool], tuple[Site, Sum]] = {}

    def add(self, site: Site, more: Sum) -> None:
        """Count these calls, too."""
        key = more.site, more.first < 0
        known = self.sums.get(key)
        if known is not None:
            more = known[1]._replace(n=known[1].n + more.n, spent_ns=known[1].spent_ns + more.spent_ns)
        self.sums[key] = site, more


Entry: TypeAlias = "int | Run"  # the index of a call that has a row of its own, or a run of others


class Runs:
    """The entries of one function, the oldest first."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def add(self, site: Site, more: Sum) -> None:
        """Count calls that come after all others so far."""
        kind = site.outcome, site.version, site.error
        last = self.entries[-1] if self.entries else None
        if not isinstance(last, Run) or (last.kind != kind and len(self.entries) < _MOST_RUNS):
            last = Run(kind)
            self.entries.append(last)
        last.add(site, more)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)
