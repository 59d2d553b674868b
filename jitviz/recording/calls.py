"""The calls of a recording, as a sequence that makes the row of a plain hit when it is read.

In: rows of single calls, blocks of hits, and sums.  Out: `Call` rows; counts by line and by function.
Must never: keep a row of a hit, or go through all hits to count them.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple, overload

from ..model import Call, Function, Outcome, RowLinks
from ..model.printable import numbered
from .events import HitsSummed, columns_of

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


class Timed(NamedTuple):
    """When a call that was in no other call began and ended; `version` is the one that a hit ran, if it is known."""

    start_s: float
    end_s: float
    number: int  # among all calls, from 0
    function: Function
    source: str
    thread: str
    version: int | None
    is_hit: bool


class Stretch:
    """Calls in a row with the same outcome, version and error: a sum for each line; those without rows apart."""

    def __init__(self, kind: tuple[object, ...]) -> None:
        self.kind = kind
        self.sums: dict[tuple[int, bool], tuple[Site, Sum]] = {}

    def add(self, site: Site, more: Sum) -> None:
        key = more.site, more.first < 0
        if key in self.sums:
            _, total = self.sums[key]
            more = total._replace(n=total.n + more.n, spent_ns=total.spent_ns + more.spent_ns)
        self.sums[key] = site, more


class HitBlock:
    """Hits that were logged together, see `events.HitsNoted`; `begin` is the index of the first."""

    def __init__(self, begin: int, numbers: bytes, sites: Mapping[int, Site]) -> None:
        self.begin = begin
        self.numbers = memoryview(numbers).cast("q")
        self.sites = sites
        ran, spent_ns = self.numbers[::3].tolist(), self.numbers[2::3].tolist()
        counts = Counter(ran)
        totals = dict.fromkeys(counts, 0)
        for site, ns in zip(ran, spent_ns, strict=True):
            totals[site] += ns
        self.sums = [self._sum(ran.index(site), n, totals[site]) for site, n in counts.items()]  # one for each site

    def __len__(self) -> int:
        return len(self.numbers) // 3

    def _sum(self, offset: int, n: int, spent_ns: int) -> Sum:
        """Hits of the site of the hit at `offset`, which is the first of them."""
        site, start_ns, _ = self.numbers[3 * offset : 3 * offset + 3]
        return Sum(self.begin + offset, site, start_ns, n, spent_ns)

    def in_order(self) -> Iterator[Sum]:
        """Sums in the order of each function: where several versions of one ran, one for each stretch of a site."""
        sites = (self.sites[total.site] for total in self.sums)
        versions = {(site.function.lineage, site.version) for site in sites}
        if len(versions) == len({lineage for lineage, _ in versions}):
            yield from self.sums
            return
        hits = zip(range(len(self)), self.numbers[::3].tolist(), self.numbers[2::3].tolist(), strict=True)
        for _, stretch in groupby(hits, key=itemgetter(1)):
            alike = list(stretch)
            yield self._sum(alike[0][0], len(alike), sum(spent_ns for *_, spent_ns in alike))


class Calls(Sequence[Call]):
    """Every call, ordered by when it was first known. `epoch_s` is when the recording started."""

    def __init__(self, links: RowLinks | None = None) -> None:
        self.epoch_s = 0.0
        self._links = links
        self._parts: list[list[Call] | HitBlock] = []
        self._begins: list[int] = []  # the index of the first call of each part
        self._n = 0
        self._summed: list[tuple[Site, Sum, int]] = []  # without rows, and how many rows there were before
        # By lineage, in order: the index of a call that has a row of its own, or a run of others.
        self._runs: defaultdict[str, list[int | Stretch]] = defaultdict(list)
        self.n_at: Counter[str] = Counter()  # calls by line

    def append(self, call: Call) -> None:
        self._runs[call.lineage].append(self._n)
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
        block = HitBlock(self._n, known, sites)
        if len(block):
            self._add(block)
            for total in block.in_order():
                self._count(sites[total.site], total)
        return (len(numbers) - len(known)) // 24

    def sum_up(self, sums: HitsSummed, sites: Mapping[int, Site]) -> tuple[int, int]:
        """Add calls of which only sums are kept: they have no rows. Return their number, and that of calls of unknown
        sites, which are left out."""
        n_added = n_lost = 0
        for site, start_ns, spent_ns, n in zip(*columns_of(sums), strict=True):
            if site in sites:
                total = Sum(-1 - len(self._summed), site, start_ns, n, spent_ns)
                self._summed.append((sites[site], total, self._n))
                self._count(sites[site], total)
                n_added += n
            else:
                n_lost += n
        return n_added, n_lost

    def _count(self, site: Site, more: Sum) -> None:
        """Count calls that come after all others of their function so far."""
        self.n_at[site.source] += more.n
        runs, kind = self._runs[site.function.lineage], (site.outcome, site.version, site.error)
        last = runs[-1] if runs else None
        if not isinstance(last, Stretch) or (last.kind != kind and len(runs) < _MOST_RUNS):
            last = Stretch(kind)
            runs.append(last)
        last.add(site, more)

    def _add(self, part: list[Call] | HitBlock) -> None:
        self._parts.append(part)
        self._begins.append(self._n)
        self._n += len(part)

    def __setitem__(self, index: int, call: Call) -> None:
        """Replace a single call by a row that says more."""
        part, offset = self._at(index)
        assert isinstance(part, list)
        part[offset] = call

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> list[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | list[Call]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._n))]
        part, offset = self._at(range(self._n)[index])
        return part[offset] if isinstance(part, list) else self._row(part, offset)

    def __iter__(self) -> Iterator[Call]:
        for part in self._parts:
            yield from part if isinstance(part, list) else (self._row(part, offset) for offset in range(len(part)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return numbered(self)

    def summed(self) -> Iterator[tuple[Call, int]]:
        """Every call in the order of time, with 1; hits of a line that were logged together come as the first of them,
        with their total time and their number. Calls without rows have negative indices, and come first.
        """
        yield from (self._row_of_sum(site, total) for site, total, _ in self._summed)
        for part in self._parts:
            if isinstance(part, list):
                yield from ((call, 1) for call in part)
            else:
                yield from (self._row_of_sum(part.sites[total.site], total) for total in part.sums)

    def alike(self) -> Iterator[tuple[Call, int]]:
        """Every call with its number, like `summed`, but function by function; of a function's calls in a row that
        differ in their line at most, those of a line are one, however many they are."""
        for entry in chain.from_iterable(self._runs.values()):
            if isinstance(entry, Stretch):
                yield from (self._row_of_sum(site, total) for site, total in entry.sums.values())
            else:
                yield self[entry], 1

    def timed(self, most: int) -> list[Timed]:
        """The newest calls that ended and were in no other call, in the order of time; next to no work for each."""
        found: list[Timed] = []
        for begin, part in zip(reversed(self._begins), reversed(self._parts), strict=True):
            if len(found) >= most:
                break
            if isinstance(part, HitBlock):
                rows = zip(*(part.numbers[column::3].tolist() for column in range(3)), strict=True)
                for index, (number, start_ns, spent_ns) in enumerate(rows, begin):
                    function, source, thread, version, outcome, _ = part.sites[number]
                    start_s = start_ns / 1e9 - self.epoch_s
                    end_s = start_s + spent_ns / 1e9
                    found.append(Timed(start_s, end_s, index, function, source, thread, version, outcome == "hit"))
            else:
                for call in part:
                    if call.parent is None and call.duration_s is not None:
                        function, end_s = call.function_info, call.start_s + call.duration_s
                        where = function, call.source, call.thread, call.version, call.outcome == "hit"
                        found.append(Timed(call.start_s, end_s, call.index, *where))
        return sorted(found, key=itemgetter(0))

    def number_of(self, index: int) -> int:
        lineage = self[index].lineage
        before = ((site, total) for site, total, n_rows in self._summed if n_rows <= index)
        number = 1 + sum(total.n for site, total in before if site.function.lineage == lineage)
        for begin, part in zip(self._begins[: bisect_left(self._begins, index)], self._parts, strict=False):
            if isinstance(part, HitBlock):
                counts = Counter(part.numbers[: 3 * (index - begin) : 3].tolist())
                number += sum(n for site, n in counts.items() if part.sites[site].function.lineage == lineage)
            else:
                number += sum(call.lineage == lineage for call in part[: index - begin])
        return number

    def _at(self, index: int) -> tuple[list[Call] | HitBlock, int]:
        number = bisect_right(self._begins, index) - 1
        return self._parts[number], index - self._begins[number]

    def _row(self, block: HitBlock, offset: int) -> Call:
        site, start_ns, spent_ns = block.numbers[3 * offset : 3 * offset + 3]
        return self._call(block.begin + offset, block.sites[site], start_ns, spent_ns)

    def _row_of_sum(self, site: Site, total: Sum) -> tuple[Call, int]:
        return self._call(total.first, site, total.start_ns, total.spent_ns), total.n

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
    ran = memoryview(numbers).cast("q")[::3].tolist()
    if sites.keys() >= set(ran):
        return numbers
    return b"".join(numbers[24 * offset : 24 * offset + 24] for offset, site in enumerate(ran) if site in sites)
