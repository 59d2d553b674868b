"""Several logs of events into one.

In: the events of recordings, of one process or of many.  Out: one log, by the time things happened.
Must never: mix up two processes. They share no caches, so versions are compared inside each of them only. Or add up the
runs of different days.

Recordings of one process (`RecordingStarted.process`) share their numbers, and what several of them hold (a recording
inside a recording, a version repeated from before) is kept once. Where there are more, the threads of each are called
after it, and so is what it calls a function. Merge all recordings at once: the result of merging two processes counts
as a third.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from ..model import MAIN_THREAD
from .events import (
    CompileStarted,
    Event,
    FunctionSeen,
    HitsNoted,
    HitsSummed,
    LinesSampled,
    OpCompiled,
    ProcessJoined,
    RecordingFinished,
    RecordingStarted,
    SiteSeen,
)
from .refused import RefusedError

_NUMBERS = ("call", "compile", "function", "parent", "site")
_APART_S = 3600.0  # between two processes of one job nobody waits that long


def merge_events(logs: Sequence[Sequence[Event]]) -> list[Event]:
    """One log of many: a single start and end, everything between in the order of time, each thing once.

    The order inside a log is kept as it is, also where an event tells of an earlier moment.

    Raises:
        RefusedError: these are runs that have nothing to do with each other.
    """
    processes: dict[object, list[Sequence[Event]]] = {}
    for log in logs:
        processes.setdefault(_process(log), []).append(log)
    members = sorted(processes.values(), key=_joined) if len(processes) > 1 else list(processes.values())
    _check_times(members)
    timed: list[tuple[float, Event]] = []
    offset = 0
    labels = _labels(members)
    for mine, label in zip(members, labels, strict=True):
        found = sorted(_timed(mine, offset, label), key=lambda pair: pair[0])
        if len(mine) > 1:
            found = list(_once(found))
        offset = 1 + max((number for _, event in found for number in _numbers(event)), default=offset)
        timed += found
    timed.sort(key=lambda pair: pair[0])
    logs = [log for mine in members for log in mine]
    joined = [replace(_told(mine), label=label) for mine, label in zip(members, labels, strict=True) if label]
    return [*_start(logs, labels), *joined, *(event for _, event in timed), *_end(logs)]


def _process(log: Sequence[Event]) -> object:
    """What is equal for recordings of one process; a recording that does not tell stands alone."""
    return next((start.process for start in _starts([log]) if start.process), id(log))


def _check_times(processes: Sequence[Sequence[Sequence[Event]]]) -> None:
    times = [[event.at_s for log in mine for event in log if not _is_before(event)] for mine in processes]
    spans = sorted((min(mine), max(mine)) for mine in times if mine)
    ends = accumulate((end_s for _, end_s in spans), max)
    for end_s, (start_s, _) in zip(ends, spans[1:], strict=False):
        if start_s - end_s > _APART_S:
            ended, began = (time.strftime("%Y-%m-%d %H:%M", time.localtime(at_s)) for at_s in (end_s, start_s))
            raise RefusedError(
                f"These are different runs: one ended on {ended}, the next began on {began}. "
                "Compare two of them with jitviz.compare(before, after) or `jitviz diff`."
            )


def _is_before(event: Event) -> bool:
    return isinstance(event, FunctionSeen) or getattr(event, "is_before", False)


def _joined(mine: Sequence[Sequence[Event]]) -> tuple[bool, int]:
    """By the number among the processes of `jax.distributed`, as far as that is known."""
    index = _told(mine).process_index
    return index is None, index or 0


def _told(mine: Sequence[Sequence[Event]]) -> ProcessJoined:
    """What the logs of one process say of it, the last word last."""
    found = ProcessJoined(0.0, None)
    for event in (event for log in mine for event in log if isinstance(event, RecordingStarted | ProcessJoined)):
        if isinstance(event, ProcessJoined):
            found = replace(found, process_index=event.process_index)
        else:
            known = found.process_index if event.process_index is None else event.process_index
            found = ProcessJoined(event.at_s, known, event.process, host=event.host, pid=event.pid)
    return found


def _labels(processes: Sequence[Sequence[Sequence[Event]]]) -> list[str]:
    """What to call the processes; nothing where there is only one."""
    told = [_told(mine) for mine in processes]
    if len(told) < 2:
        return [""] * len(told)
    one_host = len({one.host for one in told}) == 1
    choices = (
        [f"process {one.process_index}" for one in told if one.process_index is not None],
        [f"pid {one.pid}" if one_host else f"{one.host} pid {one.pid}" for one in told if one.pid],
    )
    named = (names for names in choices if len(set(names)) == len(told))
    return next(named, [f"recording {number}" for number in range(1, len(told) + 1)])


def _timed(members: list[Sequence[Event]], offset: int, label: str) -> Iterator[tuple[float, Event]]:
    """The events of one process, renumbered, each with the latest moment that its log had told of by then."""
    own = {
        event.compile for log in members for event in log if isinstance(event, CompileStarted) and not event.is_before
    }
    for log in members:
        repeated = {event.compile for event in log if isinstance(event, CompileStarted) and event.is_before} & own
        moments = accumulate((event.at_s for event in log), max)
        for at_s, event in zip(moments, log, strict=True):
            is_repeated = getattr(event, "compile", None) in repeated and not isinstance(event, SiteSeen)
            if is_repeated or isinstance(event, RecordingStarted | RecordingFinished):
                continue
            if label and (isinstance(event, ProcessJoined) or (offset and isinstance(event, LinesSampled))):
                continue  # samples have no thread: those of the first process are its own
            yield at_s, _renumbered(event, offset, label) if label else event


def _renumbered(event: Event, offset: int, label: str) -> Event:
    changes: dict[str, Any] = {
        name: getattr(event, name) + offset for name in _NUMBERS if getattr(event, name, None) is not None
    }
    thread = getattr(event, "thread", None)
    if thread is not None:
        changes["thread"] = _thread(label, thread)
    if isinstance(event, OpCompiled):
        changes["op"] = replace(event.op, thread=_thread(label, event.op.thread))
    if isinstance(event, FunctionSeen):
        changes["info"] = replace(event.info, lineage=f"{label}: {event.info.lineage}", process=label)
    if isinstance(event, HitsNoted | HitsSummed):
        numbers, width = array("q", event.numbers), 3 if isinstance(event, HitsNoted) else 4
        numbers[::width] = array("q", (site + offset for site in numbers[::width]))
        changes["numbers"] = numbers.tobytes()
    return replace(event, **changes)


def _thread(label: str, thread: str) -> str:
    return label if thread == MAIN_THREAD else f"{label} {thread}"


def _numbers(event: Event) -> Iterator[int]:
    return (number for name in _NUMBERS if (number := getattr(event, name, None)) is not None)


def _once(timed: Iterable[tuple[float, Event]]) -> Iterator[tuple[float, Event]]:
    """Leave out what an earlier log told already: the same event, the same function, the same version."""
    seen: set[object] = set()
    for at_s, event in timed:
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
            yield at_s, event


def _starts(logs: Sequence[Sequence[Event]]) -> list[RecordingStarted]:
    return [event for log in logs for event in log if isinstance(event, RecordingStarted)]


def _start(logs: Sequence[Sequence[Event]], labels: Sequence[str]) -> list[RecordingStarted]:
    starts = _starts(logs)
    if not starts:
        return []
    first = starts[0]
    return [
        RecordingStarted(
            at_s=min(start.at_s for start in starts),
            label=", ".join(dict.fromkeys(start.label for start in starts if start.label)),
            versions=tuple(dict.fromkeys(pair for start in starts for pair in start.versions)),
            limits=tuple(dict.fromkeys(limit for start in starts for limit in start.limits)),
            process="+".join(sorted({start.process for start in starts})),
            hits_seen=first.hits_seen if len({start.hits_seen for start in starts}) == 1 else "some",
            thread=first.thread if len(labels) < 2 else _thread(labels[0], first.thread),
            host=first.host if len(labels) < 2 else "",
            pid=first.pid if len(labels) < 2 else 0,
            process_index=first.process_index if len(labels) < 2 else None,
        )
    ]


def _end(logs: Sequence[Sequence[Event]]) -> list[RecordingFinished]:
    ends = [event for log in logs for event in log if isinstance(event, RecordingFinished)]
    versions = tuple(dict.fromkeys(pair for end in ends for pair in end.versions))
    return [RecordingFinished(max(end.at_s for end in ends), versions)] if ends and len(ends) >= len(logs) else []
