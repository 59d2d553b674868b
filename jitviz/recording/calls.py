"""The calls of a recording, as a sequence that makes the row of a plain hit when it is read.

In: rows of single calls, and blocks of hits.  Out: `Call` rows, and sums of many.
Must never: keep a row of a hit, or go through all hits to count them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, overload

from ..model import Call, Function, Links


class Site(NamedTuple):
    """What all hits of a line have in common. `version` is the one that they ran, if it is known."""

    function: Function
    source: str
    thread: str
    version: int | None


class Sum(NamedTuple):
    """Hits of one site: the place of the first in its block, their number, and their time in total."""

    place: int
    site: int
    n_hits: int
    spent_ns: int


class Block:
    """Hits that were logged together, see `events.HitsNoted`; `begin` is the index of the first."""

    def __init__(self, begin: int, numbers: bytes, sites: Mapping[int, Site]) -> None:
        self.begin = begin
        self.numbers = memoryview(numbers).cast("q")
        self.sites = sites
        self.sums = tuple(self._sums())

    def __len__(self) -> int:
        return len(self.numbers) // 3

    def _sums(self) -> Iterator[Sum]:
        """One sum per site; where several versions of a function ran, one per run of hits of the same site."""
        ran, spent_ns = self.numbers[::3].tolist(), self.numbers[2::3].tolist()
        counts = Counter(ran)
        versions = {(self.sites[site].function.lineage, self.sites[site].version) for site in counts}
        if len(versions) == len({lineage for lineage, _ in versions}):
            totals = dict.fromkeys(counts, 0)
            for site, ns in zip(ran, spent_ns, strict=True):
                totals[site] += ns
            yield from (Sum(ran.index(site), site, count, totals[site]) for site, count in counts.items())
            return
        place = 0
        for site, stretch in groupby(ran):
            count = len(list(stretch))
            yield Sum(place, site, count, sum(spent_ns[place : place + count]))
            place += count


class Calls(Sequence[Call]):
    """Every call, ordered by when it was first known. `epoch_s` is when the recording started."""

    def __init__(self, links: Links | None = None) -> None:
        self.epoch_s = 0.0
        self._links = links
        self._parts: list[list[Call] | Block] = []
        self._begins: list[int] = []  # the index of the first call of each part
        self._n = 0
        self._summed: list[tuple[Sequence[int], Mapping[int, Site]]] = []

    def append(self, call: Call) -> None:
        """Add a single call."""
        last = self._parts[-1] if self._parts else None
        if isinstance(last, list):
            last.append(call)
            self._n += 1
        else:
            self._add([call])

    def extend(self, numbers: bytes, sites: Mapping[int, Site]) -> None:
        """Add a block of hits. Those of unknown sites are left out: they began before the recording did."""
        block = Block(self._n, _of_known(numbers, sites), sites)
        if len(block):
            self._add(block)

    def sum_up(self, numbers: bytes, sites: Mapping[int, Site]) -> int:
        """Add hits of which only sums are kept, see `events.HitsSummed`, and return their number. They have no rows."""
        rows = memoryview(numbers).cast("q")
        self._summed.append((rows, sites))
        return sum(rows[2::4].tolist())

    @property
    def has_sums(self) -> bool:
        """Whether there are hits without rows."""
        return bool(self._summed)

    def _add(self, part: list[Call] | Block) -> None:
        self._parts.append(part)
        self._begins.append(self._n)
        self._n += len(part)

    def __setitem__(self, index: int, call: Call) -> None:
        """Replace a single call by a row that says more."""
        part, place = self._at(index)
        assert isinstance(part, list)
        part[place] = call

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> list[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | list[Call]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._n))]
        part, place = self._at(range(self._n)[index])
        return part[place] if isinstance(part, list) else self._row(part, place)

    def __iter__(self) -> Iterator[Call]:
        for part in self._parts:
            yield from part if isinstance(part, list) else (self._row(part, place) for place in range(len(part)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<{self._n:,} calls>"

    def summed(self) -> Iterator[tuple[Call, int]]:
        """Every call in order, with 1; equal hits come as the first of them, with their total time and their number.

        Where several versions of a function ran, sums keep their order. Hits without rows have negative indices.
        """
        number = 0
        for rows, sites in self._summed:
            for place in range(0, len(rows), 4):
                site, begin_ns, count, spent_ns = rows[place : place + 4]
                number -= 1
                yield self._hit(number, sites[site], begin_ns, spent_ns, None), count
        for part in self._parts:
            if isinstance(part, list):
                yield from ((call, 1) for call in part)
            else:
                yield from ((self._row(part, of.place, of.spent_ns), of.n_hits) for of in part.sums)

    def _at(self, index: int) -> tuple[list[Call] | Block, int]:
        number = bisect_right(self._begins, index) - 1
        return self._parts[number], index - self._begins[number]

    def _row(self, block: Block, place: int, spent_ns: int | None = None) -> Call:
        site, start_ns, own_ns = block.numbers[3 * place : 3 * place + 3]
        spent_ns = own_ns if spent_ns is None else spent_ns
        return self._hit(block.begin + place, block.sites[site], start_ns, spent_ns, self._links)

    def _hit(self, index: int, site: Site, start_ns: int, spent_ns: int, links: Links | None) -> Call:
        start_s = start_ns / 1e9 - self.epoch_s
        return Call(
            function=site.function.name,
            index=index,
            outcome="hit",
            start_s=start_s,
            duration_s=spent_ns / 1e9,
            thread=site.thread,
            source=site.source,
            version=site.version,
            function_info=site.function,
            ready_s=start_s,
            _links=links,
        )


def _of_known(numbers: bytes, sites: Mapping[int, Site]) -> bytes:
    """The hits of known sites."""
    ran = memoryview(numbers).cast("q")[::3].tolist()
    if sites.keys() >= set(ran):
        return numbers
    return b"".join(numbers[24 * place : 24 * place + 24] for place, site in enumerate(ran) if site in sites)
