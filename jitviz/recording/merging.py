"""Several logs of events into one.

In: the events of recordings, of one process or of many.  Out: one log, by the time things happened.
Must never: mix up two processes. They share no caches, so versions are compared inside each of them only.

Recordings of one process (`RecordingStarted.process`) share their numbers, and what several of them hold (a recording
inside a recording, a version repeated from before) is kept once. Merge all recordings at once: the result of merging
two processes counts as a third.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from .events import CompileStarted, Event, FunctionSeen, HitsNoted, RecordingFinished, RecordingStarted, SiteSeen

_NUMBERS = ("call", "compile", "function", "parent", "site")


def merge_events(logs: Sequence[Sequence[Event]]) -> list[Event]:
    """One log of many: a single start and end, everything between in the order of time, each thing once.

    The order inside a log is kept as it is, also where an event tells of an earlier moment.
    """
    processes: dict[object, list[Sequence[Event]]] = {}
    for log in logs:
        processes.setdefault(_process(log), []).append(log)
    timed: list[tuple[float, Event]] = []
    offset = 0
    for number, members in enumerate(processes.values()):
        timed += _timed(members, offset, f"process {number + 1}: " if number else "")
        offset = 1 + max((event_number for _, event in timed for event_number in _numbers(event)), default=offset)
    timed.sort(key=lambda pair: pair[0])
    return [*_start(logs), *_once(event for _, event in timed), *_end(logs)]


def _process(log: Sequence[Event]) -> object:
    """What is equal for recordings of one process; a recording that does not tell stands alone."""
    return next((start.process for start in _starts([log]) if start.process), id(log))


def _timed(members: list[Sequence[Event]], offset: int, prefix: str) -> Iterator[tuple[float, Event]]:
    """The events of one process, renumbered, each with the latest moment that its log had told of by then."""
    own = {
        event.compile for log in members for event in log if isinstance(event, CompileStarted) and not event.is_before
    }
    for log in members:
        repeated = {event.compile for event in log if isinstance(event, CompileStarted) and event.is_before} & own
        moments = accumulate((event.at_s for event in log), max)
        for at_s, event in zip(moments, log, strict=True):
            if isinstance(event, RecordingStarted | RecordingFinished) or getattr(event, "compile", None) in repeated:
                continue
            yield at_s, _renumbered(event, offset, prefix) if offset else event


def _renumbered(event: Event, offset: int, prefix: str) -> Event:
    changes: dict[str, Any] = {
        name: getattr(event, name) + offset for name in _NUMBERS if getattr(event, name, None) is not None
    }
    if isinstance(event, FunctionSeen):
        changes["info"] = replace(event.info, lineage=prefix + event.info.lineage)
    if isinstance(event, HitsNoted):
        numbers = array("q", event.numbers)
        numbers[::3] = array("q", (site + offset for site in numbers[::3]))
        changes["numbers"] = numbers.tobytes()
    return replace(event, **changes)


def _numbers(event: Event) -> Iterator[int]:
    return (number for name in _NUMBERS if (number := getattr(event, name, None)) is not None)


def _once(events: Iterable[Event]) -> Iterator[Event]:
    """Leave out what an earlier log told already: the same event, the same function, the same version."""
    seen: set[object] = set()
    for event in events:
        match event:
            case FunctionSeen(function=number):
                key: object = (FunctionSeen, number)
            case SiteSeen(site=number):
                key = (SiteSeen, number)
            case CompileStarted(compile=number):
                key = (CompileStarted, number)
            case _:
                key = event
        if key not in seen:
            seen.add(key)
            yield event


def _starts(logs: Sequence[Sequence[Event]]) -> list[RecordingStarted]:
    return [event for log in logs for event in log if isinstance(event, RecordingStarted)]


def _start(logs: Sequence[Sequence[Event]]) -> list[RecordingStarted]:
    starts = _starts(logs)
    if not starts:
        return []
    return [
        RecordingStarted(
            at_s=min(start.at_s for start in starts),
            label=", ".join(dict.fromkeys(start.label for start in starts if start.label)),
            versions=tuple(dict.fromkeys(pair for start in starts for pair in start.versions)),
            limits=tuple(dict.fromkeys(limit for start in starts for limit in start.limits)),
            process="+".join(sorted({start.process for start in starts})),
            hits_seen=starts[0].hits_seen if len({start.hits_seen for start in starts}) == 1 else "some",
        )
    ]


def _end(logs: Sequence[Sequence[Event]]) -> list[RecordingFinished]:
    ends = [event for log in logs for event in log if isinstance(event, RecordingFinished)]
    versions = tuple(dict.fromkeys(pair for end in ends for pair in end.versions))
    return [RecordingFinished(max(end.at_s for end in ends), versions)] if ends and len(ends) >= len(logs) else []
