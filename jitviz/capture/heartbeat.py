"""The heartbeat of a recording: what its thread is doing now, once a second, so that a run that stalls leaves evidence.

In: samples of the thread, and its work in progress.  Out: `Heartbeat` events.
"""

import threading
import time  # only what a program hardly replaces
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import NamedTuple

from ..model import CALLBACK, TRACED, Doing, Function, Glance, Sample, system
from ..recording import events as ev
from .in_progress import OnThread, OpenPhase, on_thread
from .thread_activity import glance, may_read, wait_of, way_to

PERIOD_S = 1.0
_SLOWEST_S = 5.0  # between two lines of a file that say the same
_SLOWING = 0.1  # of the time that it has lasted
_IDLE = 0.1  # of the time, at most, that a thread computes while it waits
_NOWHERE = Glance("")

Tell = Callable[[ev.Heartbeat], None]
Find = Callable[[ev.FunctionNumber | None], Function | None]


class _CurrentWork(NamedTuple):
    """What a thread does; `since_s` is None if nothing says when it began. `name` is for lack of a jitted function."""

    doing: Doing
    function: ev.FunctionNumber | None = None
    since_s: float | None = None
    line: str = ""
    name: str = ""


@dataclass
class Pulse:
    """The heartbeat of one thread. It keeps the last beat, and when the last one was told."""

    ident: int
    thread: str
    tell: Tell
    find: Find
    began_s: float
    last: ev.Heartbeat | None = None
    due_s: float = field(default_factory=lambda: system.monotonic() + PERIOD_S)
    told_s: float = 0.0  # both as `system.monotonic` says
    cpu_s: float = 0.0  # that the thread had used at the last beat

    def beat(self, now_s: float, frames: Mapping[int, FrameType], rows: Sequence[Sample]) -> None:
        """Tell what the thread is doing, if it is time, and if that is new or was told some time ago."""
        clock_s = system.monotonic()
        if clock_s < self.due_s:
            return
        self.due_s = clock_s + PERIOD_S
        frame, last = frames.get(self.ident), self.last
        seen = glance(frame, with_callers=True) or _NOWHERE
        work = _work(on_thread(self.ident), seen, frame, frames.values())
        is_idle = self._is_idle()
        if work.doing == "python" and is_idle and may_read(frame):
            work = work._replace(doing="device")
        known = self.find(work.function)
        since_s = work.since_s if work.since_s is not None else self._since(work, seen, rows)
        name = work.name if known is None else known.name
        self.last = ev.Heartbeat(now_s, min(since_s, now_s), work.doing, seen, name, work.line, self.thread)
        is_new = last is None or (last.since_s, last.doing) != (self.last.since_s, work.doing)
        if is_new or clock_s - self.told_s >= min(_SLOWEST_S, _SLOWING * (now_s - since_s)):
            self.told_s = clock_s
            self.tell(self.last)

    def _is_idle(self) -> bool:
        """Whether the thread used next to no processor time since the last beat; known on Linux, of the main thread."""
        if not hasattr(time, "pthread_getcpuclockid") or self.ident != threading.main_thread().ident:
            return False  # another thread may end meanwhile, and has no clock then
        before_s, self.cpu_s = self.cpu_s, time.clock_gettime(time.pthread_getcpuclockid(self.ident))
        return self.cpu_s - before_s < _IDLE * PERIOD_S

    def _since(self, work: _CurrentWork, seen: Glance, rows: Sequence[Sample]) -> float:
        """Since when the samples show no other work; a second too late at most. Python goes from line to line; whatever
        waits stays at one."""
        changed_s = rows[-1].start_s if rows else 0.0
        if work.doing in ("python", "loader"):
            others = (row.end_s for row in reversed(rows) if row.seen.is_waiting or row.is_in_phase)
            changed_s = next(others, 0.0)
        last = self.last
        if last is None or last.doing != work.doing or changed_s > last.at_s:
            return max(changed_s, self.began_s if last is None else last.at_s)
        is_there = work.doing == "python" or last.source == (work.line or seen.source)
        return last.since_s if is_there else last.at_s


def _work(mine: OnThread | None, seen: Glance, frame: FrameType | None, others: Iterable[FrameType]) -> _CurrentWork:
    phase = _phase(list(mine.phases)) if mine is not None else None
    if phase is not None:
        if phase.miss is None:
            return _CurrentWork(phase.name, since_s=phase.started_s)
        line = "" if phase.name == "trace" else phase.miss.source
        return _CurrentWork(phase.name, phase.miss.function, phase.started_s, line)
    call = next(reversed(list(mine.calls)), None) if mine is not None else None
    function = None if call is None else call.site.function
    if call is not None or seen.is_waiting:
        if line := next((line for way, line in map(way_to, others) if way == CALLBACK), ""):
            return _CurrentWork("callback", function, line=line)
        if call is None:
            return _CurrentWork("device", name=wait_of(frame)[2])
        return _CurrentWork("run", function, max(call.started_ns / 1e9, call.seen_s))
    way, line = way_to(frame)
    if way == CALLBACK:
        return _CurrentWork("callback", line=line)
    if way.startswith(TRACED):
        return _CurrentWork("trace", name=way.removeprefix(TRACED))
    doing, line, name = wait_of(frame)
    return _CurrentWork(doing, line=line, name=name)


def _phase(phases: Sequence[OpenPhase]) -> OpenPhase | None:
    """The innermost phase; a trace inside another one may be a part of it."""
    if phases and phases[-1].miss is None and phases[-1].name == "trace":
        return next((phase for phase in reversed(phases) if phase.miss is not None), phases[-1])
    return phases[-1] if phases else None
