"""Shrinking a log that has grown too large.

In: events, and how many bytes their hits and texts may take.  Out: events that take fewer.
Must never: drop a compile, or anything that its reasons come from.

The oldest hits become sums by line and minute; hits get half of the budget. The largest texts are dropped first.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from .events import Event, HitsNoted, HitsSummed, TextsDropped, TextSeen

_MINUTE_NS = 60 * 10**9
_LEFT = 0.75  # of the budget is used, so that not every event shrinks the log again


def nbytes(event: Event) -> int:
    """The size of an event's hits or text."""
    if isinstance(event, HitsNoted):
        return len(event.numbers)
    return len(event.packed) if isinstance(event, TextSeen) else 0


def bounded(events: Sequence[Event], most: int) -> list[Event]:
    """Return the same log in at most `most` bytes."""
    return _without_big_texts(_with_sums(events, int(most * _LEFT / 2)), int(most * _LEFT))


def _with_sums(events: Sequence[Event], most: int) -> list[Event]:
    excess = sum(nbytes(event) for event in events if isinstance(event, HitsNoted)) - most
    if excess <= 0:
        return list(events)
    sums: dict[tuple[int, int], list[int]] = {}  # by site and minute: begin, how many, nanoseconds
    kept: list[Event] = []
    place, at_s = len(events), 0.0
    for event in events:
        if isinstance(event, HitsSummed) or (isinstance(event, HitsNoted) and excess > 0):
            place = min(place, len(kept))
            at_s = max(at_s, event.at_s)
            excess -= nbytes(event)
            for site, begin_ns, count, spent_ns in _rows(event):
                mine = sums.setdefault((site, begin_ns // _MINUTE_NS), [begin_ns, 0, 0])
                mine[1] += count
                mine[2] += spent_ns
        else:
            kept.append(event)
    numbers = array("q", (number for (site, _), row in sums.items() for number in (site, *row)))
    kept.insert(place, HitsSummed(at_s, numbers.tobytes()))
    return kept


def _rows(event: HitsNoted | HitsSummed) -> Sequence[tuple[int, int, int, int]]:
    numbers = memoryview(event.numbers).cast("q").tolist()
    if isinstance(event, HitsSummed):
        return list(zip(*(numbers[column::4] for column in range(4)), strict=True))
    return list(zip(numbers[::3], numbers[1::3], [1] * (len(numbers) // 3), numbers[2::3], strict=True))


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
