"""Merging several logs of events into one.

In: the events of recordings, of one process or of several.  Out: one log, in the order of time.
Must never: mix up two processes, which share no caches, so that versions are compared within each of them only; or add
up runs of different days.

Recordings of one process (`RecordingStarted.process`) share their numbers, and what several of them hold (a recording
inside a recording, a version repeated from before) is kept once. With several processes, threads and functions are
named after theirs. Merge all recordings at once: the result of merging two processes counts as a third.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar, get_args, get_type_hints

from ..model import MAIN_THREAD, system
from . import events as ev
from .jsonlines import RefusedError

E = TypeVar("E", bound=ev.Event)
Log: TypeAlias = Sequence[ev.Event]
_Process: TypeAlias = tuple[ev.ProcessJoined, Sequence[Log]]

_NUMBERS = {ev.CallNumber, ev.CompileNumber, ev.FunctionNumber, ev.SiteNumber}
_APART_S = 3600.0  # longer than the processes of one job wait for each other
# Of these, several logs of a process hold the same one under the same number, but not always with equal fields.
_NUMBERED = {ev.FunctionSeen: "function", ev.SiteSeen: "site", ev.CompileStarted: "compile", ev.SourceSeen: "label"}
# What a recording repeats of a version from before it. All other events happened in that recording.
_OF_A_VERSION = (ev.CompileStarted, ev.PhaseFinished, ev.ProgramLoaded, ev.CompileFinished, ev.TextSeen)


def merge_events(logs: Sequence[Log]) -> list[ev.Event]:
    """Merge logs into one: a single start and end, everything between in the order of time, and nothing twice. The
    order inside a log stays, even where an event has an earlier time than the one before."""
    by_process: dict[object, list[Log]] = {}
    for log in logs:
        process = next((start.process for start in _of_kind(ev.RecordingStarted, [log]) if start.process), id(log))
        by_process.setdefault(process, []).append(log)
    processes = _named([(_joined(its_logs), its_logs) for its_logs in by_process.values()])
    _check_times([its_logs for _, its_logs in processes])
    timed: list[tuple[float, ev.Event]] = []
    offset = 0
    for joined, its_logs in processes:
        events = sorted(_timed(its_logs, offset, joined.label), key=itemgetter(0))
        if len(its_logs) > 1:
            events = list(_once(events))
        offset = 1 + max((number for _, event in events for number in _numbers(event).values()), default=offset)
        timed += events
    timed.sort(key=itemgetter(0))
    all_joined = [joined for joined, _ in processes if joined.label]
    logs = [log for _, its_logs in processes for log in its_logs]
    ends = _of_kind(ev.RecordingFinished, logs)
    versions = tuple(dict.fromkeys(pair for end in ends for pair in end.versions))
    has_end = ends and len(ends) >= len(logs)
    end = [ev.RecordingFinished(max(end.at_s for end in ends), versions)] if has_end else []
    return [*_start(logs, all_joined), *all_joined, *(event for _, event in timed), *end]


def _check_times(processes: Sequence[Sequence[Log]]) -> None:
    """Refuse runs that are too far apart. What is repeated from before a recording does not count."""
    spans = []
    for logs in processes:
        events = (event for event in chain.from_iterable(logs) if not isinstance(event, ev.FunctionSeen))
        # a note about a file that was cut before its first event has no time
        if times := [event.at_s for event in events if event.at_s and not getattr(event, "is_before", False)]:
            spans.append((min(times), max(times)))
    spans.sort()
    ends = accumulate((end_s for _, end_s in spans), max)
    for end_s, (start_s, _) in zip(ends, spans[1:], strict=False):
        if start_s - end_s > _APART_S:
            ended, began = (system.strftime("%Y-%m-%d %H:%M", system.localtime(at_s)) for at_s in (end_s, start_s))
            raise RefusedError(
                f"These are different runs: one ended on {ended}, the next began on {began}. "
                "Compare two of them with jitviz.compare(before, after) or `jitviz diff`."
            )


def _joined(logs: Sequence[Log]) -> ev.ProcessJoined:
    """Where a process ran, as its logs say last, and what they lack."""
    joined = ev.ProcessJoined(0.0, None)
    for event in chain.from_iterable(logs):
        if isinstance(event, ev.ProcessJoined):
            joined = replace(joined, process_index=event.process_index)
        elif isinstance(event, ev.RecordingStarted):
            index = joined.process_index if event.process_index is None else event.process_index
            joined = replace(event.joined, process_index=index)
    joined = replace(joined, until_s=max((log[-1].at_s for log in logs if log), default=0.0))
    if any(event.where == "load" for event in _of_kind(ev.CaptureFailed, logs)):
        return replace(joined, lacks="lines")
    return replace(joined, lacks="" if all(_of_kind(ev.RecordingFinished, [log]) for log in logs) else "end")


def _named(processes: Sequence[_Process]) -> Sequence[_Process]:
    """The processes by their number among those of `jax.distributed`, others last, as they began; labelled if there are
    several."""
    if len(processes) < 2:
        return processes
    processes = sorted(
        processes,
        key=lambda process: (process[0].process_index is None, process[0].process_index or 0, process[0].at_s),
    )
    all_joined = [joined for joined, _ in processes]
    one_host = len({joined.host for joined in all_joined}) == 1
    choices = (
        [f"process {joined.process_index}" for joined in all_joined if joined.process_index is not None],
        [f"pid {joined.pid}" if one_host else f"{joined.host} pid {joined.pid}" for joined in all_joined if joined.pid],
    )
    unique = (labels for labels in choices if len(set(labels)) == len(all_joined))
    labels = next(unique, [f"recording {number}" for number in range(1, len(all_joined) + 1)])
    return [(replace(joined, label=label), logs) for (joined, logs), label in zip(processes, labels, strict=True)]


def _timed(logs: Sequence[Log], offset: int, label: str) -> Iterator[tuple[float, ev.Event]]:
    """The events of one process, renumbered, each with the latest time that its log had reached by then."""
    started = [[event for event in log if isinstance(event, ev.CompileStarted)] for log in logs]
    own = {event.compile for starts in started for event in starts if not event.is_before}
    for log, starts in zip(logs, started, strict=True):
        repeated = {event.compile for event in starts if event.is_before} & own
        moments = accumulate((event.at_s for event in log), max)
        for at_s, event in zip(moments, log, strict=True):
            is_repeated = isinstance(event, _OF_A_VERSION) and event.compile in repeated
            if is_repeated or isinstance(event, ev.RecordingStarted | ev.RecordingFinished):
                continue
            if label and isinstance(event, ev.ProcessJoined):
                continue
            yield at_s, _renumbered(event, offset, label) if label else event


def _renumbered(event: ev.Event, offset: int, label: str) -> ev.Event:
    changes: dict[str, Any] = {name: number + offset for name, number in _numbers(event).items()}
    thread = getattr(event, "thread", None)
    if thread is not None:
        changes["thread"] = _thread(label, thread)
    if isinstance(event, ev.OpCompiled):
        changes["op"] = replace(event.op, thread=_thread(label, event.op.thread))
    if isinstance(event, ev.LinesSampled) and offset:
        changes["process"] = label
    if isinstance(event, ev.FunctionSeen):
        changes["info"] = replace(event.info, lineage=f"{label}: {event.info.lineage}", process=label)
    if isinstance(event, ev.HitsNoted | ev.HitsSummed):
        numbers = array("q", event.numbers)
        numbers[:: event.width] = array("q", (site + offset for site in numbers[:: event.width]))
        changes["numbers"] = numbers.tobytes()
    return replace(event, **changes)


def _numbers(event: ev.Event) -> dict[str, int]:
    """The fields of an event that are numbers of its process."""
    kind: Any = type(event)
    fields = ((name, getattr(event, name)) for name in _number_fields(kind))
    return {name: number for name, number in fields if number is not None}


@cache
def _number_fields(kind: Any) -> tuple[str, ...]:
    hints = get_type_hints(kind).items()
    return tuple(name for name, hint in hints if _NUMBERS & {hint, *get_args(hint)})


def _thread(label: str, thread: str) -> str:
    return label if thread == MAIN_THREAD else f"{label} {thread}"


def _once(timed: Iterable[tuple[float, ev.Event]]) -> Iterator[tuple[float, ev.Event]]:
    """Leave out what an earlier log holds: the same event, or the same function, site or version."""
    seen: set[object] = set()
    for at_s, event in timed:
        name = _NUMBERED.get(type(event))
        key = event if name is None else (name, getattr(event, name))
        if key not in seen:
            seen.add(key)
            yield at_s, event


def _of_kind(kind: type[E], logs: Iterable[Log]) -> list[E]:
    return [event for event in chain.from_iterable(logs) if isinstance(event, kind)]


def _start(logs: Sequence[Log], all_joined: Sequence[ev.ProcessJoined]) -> list[ev.RecordingStarted]:
    starts = _of_kind(ev.RecordingStarted, logs)
    if not starts:
        return []
    start = replace(
        starts[0],
        at_s=min(start.at_s for start in starts),
        label=", ".join(dict.fromkeys(start.label for start in starts if start.label)),
        versions=tuple(dict.fromkeys(pair for start in starts for pair in start.versions)),
        limits=tuple(dict.fromkeys(limit for start in starts for limit in start.limits)),
        process="+".join(sorted({start.process for start in starts})),
        hits_seen=starts[0].hits_seen if len({start.hits_seen for start in starts}) == 1 else "some",
    )
    if all_joined:
        thread = _thread(all_joined[0].label, start.thread)
        start = replace(start, thread=thread, host="", pid=0, process_index=None)
    return [start]
