"""The calls of a recording, as a sequence that makes the row of a plain hit when it is read.

In: rows of single calls, blocks of hits, and sums.  Out: `Call` rows; counts by line and by function.
Must never: keep a row of a hit, or go through all hits to count them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import overload

from ..model import Call, Links
from .events import HitsSummed, columns_of
from .runs import Run, Runs, Site, Sum


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
        """One sum for each site."""
        ran, spent_ns = self.numbers[::3].tolist(), self.numbers[2::3].tolist()
        counts = Counter(ran)
        totals = dict.fromkeys(counts, 0)
        for site, ns in zip(ran, spent_ns, strict=True):
            totals[site] += ns
        yield from (self._sum(ran.index(site), n, totals[site]) for site, n in counts.items())

    def _sum(self, place: int, n: int, spent_ns: int) -> Sum:
        """Hits of the site of the hit at `place`, which is the first of them."""
        site, start_ns, _ = self.numbers[3 * place : 3 * place + 3]
        return Sum(self.begin + place, site, start_ns, n, spent_ns)

    def in_order(self) -> Iterator[Sum]:
        """Sums for each function in order: where several versions of it ran, one for each stretch of hits of a site."""
        sites = {one.site: self.sites[one.site] for one in self.sums}
        versions = Counter(lineage for lineage, _ in {(of.function.lineage, of.version) for of in sites.values()})
        yield from (one for one in self.sums if versions[sites[one.site].function.lineage] == 1)
        for lineage in (lineage for lineage, n in versions.items() if n > 1):
            hits = zip(self.numbers[::3].tolist(), self.numbers[2::3].tolist(), strict=True)
            mine = ((place, *hit) for place, hit in enumerate(hits) if sites[hit[0]].function.lineage == lineage)
            for _, stretch in groupby(mine, key=itemgetter(1)):
                alike = list(stretch)
                yield self._sum(alike[0][0], len(alike), sum(ns for *_, ns in alike))


class Calls(Sequence[Call]):
    """Every call, ordered by when it was first known. `epoch_s` is when the recording started."""

    def __init__(self, links: Links | None = None) -> None:
        self.epoch_s = 0.0
        self._links = links
        self._parts: list[list[Call] | Block] = []
        self._begins: list[int] = []  # the index of the first call of each part
        self._n = 0
        self._summed: list[tuple[Site, Sum]] = []
        self._runs: defaultdict[str, Runs] = defaultdict(Runs)  # by lineage
        self.n_at: Counter[str] = Counter()  # calls by line

    def append(self, call: Call) -> None:
        """Add a single call."""
        self._runs[call.lineage].entries.append(self._n)
        self.n_at[call.source] += 1
        last = self._parts[-1] if self._parts else None
        if isinstance(last, list):
            last.append(call)
            self._n += 1
        else:
            self._add([call])

    def extend(self, numbers: bytes, sites: Mapping[int, Site]) -> int:
        """Add a block of hits, and return the number of those of unknown sites, which are left out."""
        known = _of_known(numbers, sites)
        block = Block(self._n, known, sites)
        if len(block):
            self._add(block)
            for one in block.in_order():
                self._count(sites[one.site], one)
        return (len(numbers) - len(known)) // 24

    def sum_up(self, sums: HitsSummed, sites: Mapping[int, Site]) -> tuple[int, int]:
        """Add calls of which only sums are kept, see `events.HitsSummed`: they have no rows. Return their number, and
        that of calls of unknown sites, which are left out."""
        n_added = n_lost = 0
        for site, start_ns, spent_ns, n in zip(*columns_of(sums), strict=True):
            if site in sites:
                one = Sum(-1 - len(self._summed), site, start_ns, n, spent_ns)
                self._summed.append((sites[site], one))
                self._count(sites[site], one)
                n_added += n
            else:
                n_lost += n
        return n_added, n_lost

    def _count(self, site: Site, more: Sum) -> None:
        self._runs[site.function.lineage].add(site, more)
        self.n_at[site.source] += more.n

    def without_rows(self) -> Iterator[tuple[Call, int]]:
        """The calls of which only sums are known, as in `summed`."""
        return (self._told(site, one) for site, one in self._summed)

    @property
    def has_sums(self) -> bool:
        """Whether there are calls without rows."""
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
        """Every call in the order of time, with 1; hits of a line that were logged together come as the first of them,
        with their total time and their number. Calls without rows have negative indices, and come first.
        """
        yield from self.without_rows()
        for part in self._parts:
            if isinstance(part, list):
                yield from ((call, 1) for call in part)
            else:
                yield from (self._told(part.sites[one.site], one) for one in part.sums)

    def alike(self) -> Iterator[tuple[Call, int]]:
        """Every call with its number, like `summed`, but function by function; of a function's calls in a row that
        differ in their line at most, those of a line are one, however many they are."""
        for entry in chain.from_iterable(self._runs.values()):
            if isinstance(entry, Run):
                yield from (self._told(site, one) for site, one in entry.sums.values())
            else:
                yield self[entry], 1

    def number_of(self, index: int) -> int:
        """The place of a call among the calls of its function, from 1. Calls without rows come before the others."""
        lineage, number, begin = self[index].lineage, 0, 0
        since: list[Sum] = []  # the sums after the last call with a row of its own
        for entry in self._runs[lineage]:
            if isinstance(entry, Run):
                since += (one for _, one in entry.sums.values())
            elif entry >= index:
                break
            else:
                number += 1 + sum(one.n for one in since)
                since, begin = [], entry + 1
        number += sum(one.n for one in since if one.first < 0)
        while begin < index:
            part, place = self._at(begin)
            end = min(len(part), place + index - begin)
            if isinstance(part, Block):
                counts = Counter(part.numbers[3 * place : 3 * end : 3].tolist())
                number += sum(n for site, n in counts.items() if part.sites[site].function.lineage == lineage)
            begin += end - place
        return number + 1

    def _at(self, index: int) -> tuple[list[Call] | Block, int]:
        number = bisect_right(self._begins, index) - 1
        return self._parts[number], index - self._begins[number]

    def _row(self, block: Block, place: int) -> Call:
        site, start_ns, spent_ns = block.numbers[3 * place : 3 * place + 3]
        return self._call(block.begin + place, block.sites[site], start_ns, spent_ns)

    def _told(self, site: Site, one: Sum) -> tuple[Call, int]:
        return self._call(one.first, site, one.start_ns, one.spent_ns), one.n

    def _call(self, index: int, site: Site, start_ns: int, spent_ns: int) -> Call:
        start_s = start_ns / 1e9 - self.epoch_s
        return Call(
            function=site.function.name,
            index=index,
            outcome=site.outcome,
            start_s=start_s,
            duration_s=spent_ns / 1e9,
            thread=site.thread,
            error=site.error,
            source=site.source,
            version=site.version,
            function_info=site.function,
            ready_s=start_s if site.outcome == "hit" else None,
            _links=self._links,
        )


def _of_known(numbers: bytes, sites: Mapping[int, Site]) -> bytes:
    """The hits of known sites."""
    ran = memoryview(numbers).cast("q")[::3].tolist()
    if sites.keys() >= set(ran):
        return numbers
    return b"".join(numbers[24 * place : 24 * place + 24] for place, site in enumerate(ran) if site in sites)
