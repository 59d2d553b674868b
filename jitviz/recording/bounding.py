"""Shrinking a log that has grown too large.

In: events, and how many bytes its calls and texts may take.  Out: events that take fewer.
Must never: drop a compile that succeeded, anything that its reasons come from, or a call without counting it.

The oldest calls become sums by line and minute, or a longer time if there are too many of them, between the compiles
that they were between. Calls get half of the budget, and so do their sums. The largest texts are dropped first.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from ..model import MOST_THREADS, OTHER_THREADS, Outcome
from .events import (
    CallFinished,
    CallNumber,
    CallStarted,
    CaptureFailed,
    CompileFinished,
    CompileNumber,
    CompileStarted,
    Event,
    HitsNoted,
    HitsSummed,
    SiteNumber,
    SiteSeen,
    TextsDropped,
    TextSeen,
)

_MINUTE_NS = 60 * 10**9
_LEFT = 0.75  # of the budget is used, so that not every event shrinks the log again
_MOST_ERRORS = 64  # with sums of their own; later ones are known by their type alone
# Roughly what a call takes in memory that is no plain hit, by its outcome; one that raised may have begun to compile.
_SIZES: dict[Outcome, int] = {"hit": 400, "inlined": 400, "error": 1600}
_FAILURE_SIZE = 200


def nbytes(event: Event) -> int:
    """The size of an event that grows with calls, or of a text."""
    if isinstance(event, HitsNoted | HitsSummed):
        return len(event.numbers)
    if isinstance(event, CallFinished):
        return _SIZES.get(event.outcome, 0) if event.signature is None else 0
    if isinstance(event, CaptureFailed):
        return _FAILURE_SIZE
    return len(event.packed) if isinstance(event, TextSeen) else 0


def bounded(events: Sequence[Event], most: int) -> list[Event]:
    """Return the same log in at most `most` bytes, or what cannot be summed up."""
    return _without_big_texts(_with_sums(_without_repeats(events), int(most * _LEFT / 2)), int(most * _LEFT))


def _without_repeats(events: Sequence[Event]) -> list[Event]:
    """Without failures inside jitviz that are there already."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for event in events:
        if isinstance(event, CaptureFailed):
            if (event.where, event.message) in seen:
                continue
            seen.add((event.where, event.message))
        kept.append(event)
    return kept


class _Sum(NamedTuple):
    """Calls of one site, to be added up with others between the same compiles."""

    stretch: int
    site: int
    begin_ns: int
    n: int
    spent_ns: int


def _with_sums(events: Sequence[Event], most: int) -> list[Event]:
    calls = _Calls(events)
    excess = sum(nbytes(event) for event in events if calls.is_of_one(event)) - most
    if excess <= 0 and sum(nbytes(event) for event in events if isinstance(event, HitsSummed)) <= most:
        return list(events)
    kept: list[Event] = []
    sums: list[_Sum] = []
    place_of: dict[int, int] = {}  # stretch -> where its sums come
    gone: set[CallNumber] = set()
    dropped: set[CompileNumber] = set()
    at_s, stretch = 0.0, 0
    for event in events:
        call = getattr(event, "call", None)
        dropped |= {event.compile} if isinstance(event, CompileStarted) and call in gone else set()
        if isinstance(event, HitsSummed) or (isinstance(event, HitsNoted) and excess > 0):
            sums += (_Sum(stretch, *row) for row in _rows(event))
        elif isinstance(event, CallStarted) and excess > 0 and calls.is_of_one(event):
            gone.add(event.call)
            continue
        elif getattr(event, "compile", None) in dropped and not isinstance(event, SiteSeen | CallFinished):
            continue
        elif isinstance(event, CallFinished) and (
            call in gone or (excess > 0 and calls.is_of_one(event) and event.call not in calls.logged)
        ):
            spent_ns = max(0, int((event.at_s - event.started_s) * 1e9))
            site = calls.site_of(event)
            kept += [site] if site.site not in calls.known else []
            calls.known.add(site.site)
            sums.append(_Sum(stretch, site.site, int(event.started_s * 1e9), 1, spent_ns))
        else:
            stretch += isinstance(event, CompileStarted) and not event.is_before
            kept.append(event)
            continue
        excess -= 0 if isinstance(event, HitsSummed) else nbytes(event)
        at_s = max(at_s, event.at_s)
        place_of[stretch] = len(kept)  # after the sites that they name
    numbers = _added_up(sums, most)
    for stretch in sorted(place_of, reverse=True):
        kept.insert(place_of[stretch], HitsSummed(at_s, numbers[stretch].tobytes()))
    return kept


def _added_up(sums: Sequence[_Sum], most: int) -> dict[int, array[int]]:
    """The numbers of `HitsSummed` for each stretch, by so long a time that they take at most `most` bytes."""
    period_ns = _MINUTE_NS
    while True:
        found: dict[tuple[int, int, int], list[int]] = {}  # by stretch, site and time: begin, how many, nanoseconds
        for stretch, site, begin_ns, n, spent_ns in sums:
            mine = found.setdefault((stretch, site, begin_ns // period_ns), [begin_ns, 0, 0])
            mine[1] += n
            mine[2] += spent_ns
        if 32 * len(found) <= most or period_ns > 10**19:
            break
        period_ns *= 8
    numbers: dict[int, array[int]] = defaultdict(lambda: array("q"))
    for (stretch, site, _), row in found.items():
        numbers[stretch].extend((site, *row))
    return numbers


def _rows(event: HitsNoted | HitsSummed) -> Sequence[tuple[int, int, int, int]]:
    numbers = memoryview(event.numbers).cast("q").tolist()
    if isinstance(event, HitsSummed):
        return list(zip(*(numbers[column::4] for column in range(4)), strict=True))
    return list(zip(numbers[::3], numbers[1::3], [1] * (len(numbers) // 3), numbers[2::3], strict=True))


class _Calls:
    """The calls of a log that can be added up: they are over, and compiled nothing, or what failed like before."""

    def __init__(self, events: Sequence[Event]) -> None:
        failed = _repeated_failures(events)
        compiles = [event for event in events if isinstance(event, CompileStarted) and not event.is_before]
        compiling = {event.call for event in compiles if event.compile not in failed}
        finished = [event for event in events if isinstance(event, CallFinished)]
        self._alone = {event.call for event in finished if event.signature is None} - compiling
        self._first = {event.call: failed[event.compile] for event in compiles if event.call in self._alone}
        self.logged = {event.call for event in events if isinstance(event, CallStarted)}
        sites = [event for event in events if isinstance(event, SiteSeen)]
        self.known = {event.site for event in sites}
        self._threads = {event.thread for event in sites}
        self._errors = {event.error for event in sites}

    def is_of_one(self, event: Event) -> bool:
        """Whether an event is of such calls."""
        of_calls = CallStarted | CallFinished
        return isinstance(event, HitsNoted) or (isinstance(event, of_calls) and event.call in self._alone)

    def site_of(self, event: CallFinished) -> SiteSeen:
        """What a call has in common with others. Its number is the same in every log of the process."""
        first = self._first.get(event.call)
        thread, error = event.thread, event.error
        if thread not in self._threads and len(self._threads) >= MOST_THREADS:
            thread = OTHER_THREADS
        if error is not None and error not in self._errors and len(self._errors) >= _MOST_ERRORS:
            error = _type_of(error)
        self._threads.add(thread)
        self._errors.add(error)
        compile = event.compile if first is None else first
        key = event.function, event.source, thread, compile, event.outcome, error, first is not None
        number = -1 - int.from_bytes(blake2b(repr(key).encode("utf-8", "backslashreplace"), digest_size=6).digest())
        return SiteSeen(event.at_s, SiteNumber(number), *key)


def _type_of(error: str) -> str:
    return error.partition(":")[0]


def _repeated_failures(events: Sequence[Event]) -> dict[CompileNumber, CompileNumber]:
    """Compiles for a call that failed like one before and one after them; each with the first."""
    errors = {event.compile: event.error for event in events if isinstance(event, CompileFinished)}
    alike: dict[object, list[CompileNumber]] = defaultdict(list)
    found: dict[CompileNumber, CompileNumber] = {}
    for event in events:
        if isinstance(event, CompileStarted) and event.call is not None and not event.is_before:
            error = errors.get(event.compile)
            if error is None:
                continue
            mine = alike[event.function, event.signature, event.source, event.transform, _type_of(error)]
            mine.append(event.compile)
            if len(mine) > 2:  # the first and the last stay
                found[mine[-2]] = mine[0]
    return found


def _without_big_texts(events: list[Event], most: int) -> list[Event]:
    excess = sum(map(nbytes, events)) - most
    dropped: set[int] = set()
    texts = (place for place, event in enumerate(events) if isinstance(event, TextSeen))
    for place in sorted(texts, key=lambda place: -nbytes(events[place])):
        if excess <= 0:
            break
        dropped.add(place)
        excess -= nbytes(events[place])
    if not dropped:
        return events
    note = TextsDropped(events[-1].at_s, len(dropped), sum(nbytes(events[place]) for place in dropped))
    return [*(event for place, event in enumerate(events) if place not in dropped), note]
