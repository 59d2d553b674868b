"""Which of the user's lines is running: a thread of its own samples them every few milliseconds.

In: recordings, each with the thread that began it.  Out: one `LinesSampled` event at the end of each, and a heartbeat.
Must never: keep a frame, read a local of a running frame, hold up the user's program, grow without bound, or outlive
the recordings.

A trace is short, and one line may take most of it, so the sampler runs more often during a phase. Each sample takes a
few microseconds and holds the interpreter's lock; the next one waits longer if that would exceed the sampler's share.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType

from ..model import TRACED, Glance, Sample, system
from ..recording import Recording
from ..recording import events as ev
from .eager_lines import EagerLines
from .failures import guarded
from .heartbeat import Find, Pulse
from .in_progress import on_thread
from .thread_activity import current_frames, glance, stack_of, way_to

_PERIOD_S = 0.01
_PHASE_PERIOD_S = 0.004
_SHARE = 0.005  # of the time, at most, that sampling may take
_LONGEST_S = 0.05  # the first samples of new files take longest, and do not predict later ones
_MOST_ROWS = 8192  # per recording; then the period doubles


@dataclass
class Samples:
    """The samples of one recording's thread. `phases` is that thread's own list of open phases, once it has one."""

    thread: int
    looked_s: float
    pulse: Pulse | None = None
    phases: Sequence[object] | None = None
    rows: list[Sample] = field(default_factory=list)
    glances: dict[Glance, Glance] = field(default_factory=dict)  # each once
    eager: EagerLines = field(default_factory=EagerLines)
    stretch: int = 1  # periods between two samples

    def add(self, seen: Glance, now_s: float, *, is_in_phase: bool) -> None:
        """Add a glance. It stands for the time since the last sample."""
        start_s, seen = self.looked_s, self.glances.setdefault(seen, seen)
        last = self.rows[-1] if self.rows else None
        if last is not None and (last.end_s, last.seen, last.is_in_phase) == (start_s, seen, is_in_phase):
            start_s = self.rows.pop().start_s
        self.rows.append(Sample(start_s, now_s, seen, is_in_phase))
        self.looked_s = now_s
        if len(self.rows) > _MOST_ROWS:
            self.stretch *= 2
            pairs = zip(self.rows[:-1:2], self.rows[1:-1:2], strict=False)
            self.rows = [*(_joined(*pair) for pair in pairs), self.rows[-1]]

    def event(self, calls_at: Callable[[int], int] = lambda _: 0) -> ev.LinesSampled | None:
        """All samples as one event; None if there are none. `calls_at` says how often a site made a call, at least."""
        rows, lines = tuple(self.rows), self.eager.found(calls_at)
        return ev.LinesSampled(system.time(), rows, eager=lines) if rows else None


def _joined(first: Sample, second: Sample) -> Sample:
    """One row for two: both stretches of time if one follows the other, else the longer."""
    if first.end_s == second.start_s:
        return replace(second, start_s=first.start_s)
    return max(first, second, key=lambda row: row.end_s - row.start_s)


class Sampler(threading.Thread):
    """The sampling thread; it ends when `is_over` is set."""

    def __init__(self) -> None:
        super().__init__(name="jitviz sampler", daemon=True)
        self.is_over = threading.Event()

    @guarded(None, "sampler")  # a thread that raises would print into the user's program
    def run(self) -> None:
        wait_s, spent_s = _PERIOD_S, system.thread_time()
        while not self.is_over.wait(wait_s):
            period_s = _look_round()
            before_s, spent_s = spent_s, system.thread_time()  # waking up takes as long as looking
            wait_s = max(period_s, min(_LONGEST_S, (spent_s - before_s) / _SHARE))


def _look_round() -> float:
    """Sample every watched thread, and return the shortest time to the next round."""
    watched = list(_samples_of.values())
    frames = current_frames()
    del frames[system.get_ident()]  # a frame whose locals hold it is a cycle, and keeps the user's frames alive
    for samples in watched:
        _look(samples, frames.get(samples.thread))
        if samples.pulse is not None:
            samples.pulse.beat(samples.looked_s, frames, samples.rows)
    is_in_phase = any(samples.phases for samples in watched)
    stretch = min((samples.stretch for samples in watched), default=1)
    return (_PHASE_PERIOD_S if is_in_phase else _PERIOD_S) * stretch


_samples_of: dict[int, Samples] = {}  # by the address of the open recording
_sampler: Sampler | None = None


def begin(recording: Recording, thread: threading.Thread, find: Find) -> None:
    """Sample a thread that runs. If none can be started for it, there are no samples. `find` knows the functions."""
    now_s, ident = system.time(), thread.ident or 0
    _samples_of[id(recording)] = Samples(ident, now_s, Pulse(ident, thread.name, recording.beat, find, now_s))
    go_on()


def end(recording: Recording, calls_at: Callable[[int], int]) -> ev.LinesSampled | None:
    """Stop sampling for a recording; the sampler ends with the last one."""
    samples = _samples_of.pop(id(recording), None)
    if not _samples_of:
        pause()
    return None if samples is None else samples.event(calls_at)


def pause() -> None:
    """Stop the sampler, and wait until its thread has ended."""
    global _sampler
    ending, _sampler = _sampler, None
    if ending is not None:
        ending.is_over.set()
        ending.join(1.0)


def go_on() -> None:
    """Start the sampler if a recording needs it."""
    global _sampler
    if _samples_of and _sampler is None:
        try:
            _sampler = Sampler()
            _sampler.start()
        except RuntimeError:  # no threads here, or no more of them
            _sampler = None


def forget() -> None:
    """Forget the recordings, in a forked child: the sampled threads are the parent's."""
    _samples_of.clear()


def _look(samples: Samples, frame: FrameType | None) -> None:
    """Sample one thread. Time outside the user's lines is not attributed to any line."""
    now_s = system.time()
    if samples.phases is None:
        mine = on_thread(samples.thread)
        samples.phases = None if mine is None else mine.phases
    is_in_phase = bool(samples.phases)
    way, _ = ("", "") if is_in_phase else way_to(frame)
    seen = glance(frame, with_callers=is_in_phase or bool(way))
    if seen is None:
        samples.looked_s = now_s
    else:
        seen = replace(seen, inside=way, is_eager=seen.is_eager and TRACED not in way) if way else seen
        samples.add(seen, now_s, is_in_phase=is_in_phase)
        if seen.is_eager and not is_in_phase:
            samples.eager.note(stack_of(frame))
