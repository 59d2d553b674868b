"""Shrinking a log that has grown too large.

In: events, and how many bytes its calls and texts may take.  Out: events that take fewer.
Must never: drop a compile, anything that its reasons come from, or a call without counting it.

The oldest calls become sums by line and minute, or a longer time if there are too many of them, between the compiles
that they were between. Calls get half of the budget, and so do their sums. The largest texts are dropped first.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from . import events as ev

_TEXTS = (ev.TextSeen, ev.SourceSeen)
_MINUTE_NS = 60 * 10**9
_LEFT = 0.75  # of the budget is used, so that not every event shrinks the log again
_MOST_ERRORS = 64  # with sums of their own; later ones are known by their type alone
_CALL_NBYTES = 400  # roughly what a call takes in memory that is no plain hit


def nbytes(event: ev.Event) -> int:
    """The size of an event that grows with calls, or of a text."""
    if isinstance(event, ev.HitsNoted | ev.HitsSummed):
        return len(event.numbers)
    if isinstance(event, ev.CallFinished):
        return _CALL_NBYTES * (event.signature is None and event.outcome in ("hit", "inlined", "error"))
    return len(event.packed) if isinstance(event, _TEXTS) else 0


def bounded(events: Sequence[ev.Event], most: int) -> list[ev.Event]:
    """Return the same log in at most `most` bytes, or what cannot be summed up."""
    return _without_big_texts(_with_sums(events, int(most * _LEFT / 2)), int(most * _LEFT))


def _with_sums(events: Sequence[ev.Event], most: int) -> list[ev.Event]:
    """With sums instead of the oldest calls, so that calls and sums take `most` bytes each."""
    calls = _SummableCalls(events)
    sums_nbytes = sum(nbytes(event) for event in events if isinstance(event, ev.HitsSummed))
    excess = sum(nbytes(event) for event in events if calls.can_be_summed(event)) - most
    if excess <= 0 and sums_nbytes <= most:
        return list(events)
    summed: set[int] = set()  # indices in the log
    for index, event in enumerate(events):
        if isinstance(event, ev.HitsSummed):
            summed.add(index)
        elif excess > 0 and calls.can_be_summed(event):
            summed.add(index)
            excess -= nbytes(event)
    gone = {getattr(events[index], "call", None) for index in summed}
    remaining: list[ev.Event] = []
    rows: list[tuple[int, ...]] = []  # the stretch between two compiles that they are in, and the numbers of a sum
    end_of: dict[int, int] = {}  # where the sums of a stretch come: after the sites that they name
    at_s, stretch = 0.0, 0
    for index, event in enumerate(events):
        if index in summed:
            new_sites, sums = calls.summed(event)
            remaining += new_sites
            rows += ((stretch, *row) for row in sums)
            at_s = max(at_s, event.at_s)
            end_of[stretch] = len(remaining)
        elif not (isinstance(event, ev.CallStarted) and event.call in gone):
            stretch += isinstance(event, ev.CompileStarted) and not event.is_before
            remaining.append(event)
    numbers = _added_up(rows, most)
    for stretch in sorted(end_of, reverse=True):
        remaining.insert(end_of[stretch], ev.HitsSummed(at_s, numbers[stretch].tobytes()))
    return remaining


def _added_up(rows: Iterable[tuple[int, ...]], most: int) -> "dict[int, array[int]]":
    """The numbers of `HitsSummed` for each stretch, by so long a time that they take at most `most` bytes."""
    period_ns = _MINUTE_NS
    while True:
        sums: dict[tuple[int, int, int], list[int]] = {}  # by stretch, site and time: begin, nanoseconds, how many
        for stretch, site, begin_ns, spent_ns, n in rows:
            added = sums.setdefault((stretch, site, begin_ns // period_ns), [begin_ns, 0, 0])
            added[1] += spent_ns
            added[2] += n
        if 32 * len(sums) <= most or period_ns > 10**19:
            break
        period_ns *= 8
    numbers: dict[int, array[int]] = defaultdict(lambda: array("q"))
    for (stretch, site, _), row in sums.items():
        numbers[stretch].extend((site, *row))
    return numbers


class _SummableCalls:
    """The calls of a log that can be added up: they are over, and compiled nothing."""

    def __init__(self, events: Sequence[ev.Event]) -> None:
        started = (event for event in events if isinstance(event, ev.CompileStarted) and not event.is_before)
        finished = [event for event in events if isinstance(event, ev.CallFinished)]
        self._alone = {event.call for event in finished if event.signature is None} - {event.call for event in started}
        sites = [event for event in events if isinstance(event, ev.SiteSeen)]
        self._sites = {event.site for event in sites}
        self._errors = {event.error for event in sites}

    def can_be_summed(self, event: ev.Event) -> bool:
        return isinstance(event, ev.HitsNoted) or (isinstance(event, ev.CallFinished) and event.call in self._alone)

    def summed(self, event: ev.Event) -> tuple[list[ev.SiteSeen], Iterable[tuple[int, ...]]]:
        """The calls of an event as rows of `HitsSummed`, and the site of a single call if no event introduced it."""
        if isinstance(event, ev.HitsNoted | ev.HitsSummed):
            columns = ev.columns_of(event)
            return [], zip(*columns, *[[1] * len(columns[0])] * (4 - event.width), strict=True)
        assert isinstance(event, ev.CallFinished)
        site = self._site_of(event)
        is_new = site.site not in self._sites
        self._sites.add(site.site)
        spent_ns = max(0, int((event.at_s - event.started_s) * 1e9))
        return [site] * is_new, [(site.site, int(event.started_s * 1e9), spent_ns, 1)]

    def _site_of(self, event: ev.CallFinished) -> ev.SiteSeen:
        """What a call has in common with others. Its number is the same in every log of the process."""
        error = event.error
        if error is not None and error not in self._errors and len(self._errors) >= _MOST_ERRORS:
            error = error.partition(":")[0]  # its type
        self._errors.add(error)
        key = event.function, event.source, event.thread, event.compile, event.outcome, error
        number = -1 - int.from_bytes(blake2b(repr(key).encode("utf-8", "backslashreplace"), digest_size=6).digest())
        return ev.SiteSeen(event.at_s, ev.SiteNumber(number), *key)


def _without_big_texts(events: list[ev.Event], most: int) -> list[ev.Event]:
    excess = sum(map(nbytes, events)) - most
    dropped: set[int] = set()
    texts = (index for index, event in enumerate(events) if isinstance(event, _TEXTS))
    for index in sorted(texts, key=lambda index: -nbytes(events[index])):
        if excess <= 0:
            break
        dropped.add(index)
        excess -= nbytes(events[index])
    if not dropped:
        return events
    note = ev.TextsDropped(events[-1].at_s, len(dropped), sum(nbytes(events[index]) for index in dropped))
    return [*(event for index, event in enumerate(events) if index not in dropped), note]
