"""Which of the user's lines is running: a thread of its own samples them every few milliseconds.

In: recordings, each with the thread that began it.  Out: one `LinesSampled` event at the end of each.
Must never: keep a frame, read a local of a running frame, hold up the user's program, grow without bound, or outlive
the recordings.

A trace is short, and one line may take most of it, so the sampler runs more often during a phase. Each sample takes a
few microseconds and holds the interpreter's lock; the next one waits longer if that would exceed the sampler's share.

JAX answers the hits of a jitted function in C++ (https://github.com/jax-ml/jax/pull/24828), so a thread in such a call
has no frame of JAX's. Its call site is known by the address of the instruction, from the time that it compiled.
"""

from __future__ import annotations

import dis
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from types import CodeType, FrameType
from typing import ParamSpec, TypeVar

from ..jaxcompat import jax_frames, public_names
from ..model import Glance, Sample
from ..recording import Recording
from ..recording import events as ev
from .eager import EagerLines, is_dispatching
from .failures import note
from .in_progress import phases_of
from .sources import frame_owner, location

P = ParamSpec("P")
T = TypeVar("T")

_MOST_FRAMES = 300
_MOST_CALLERS = 8
_MOST_SITES = 1 << 14
_sites: set[int] = set()


def _uncollected(look: Callable[P, T]) -> Callable[P, T]:
    """`look`, with the garbage collector off while it reads frames of another thread.

    Before Python 3.12, creating a frame object may collect garbage. Then the other thread may continue and free the
    frame that is being read: https://github.com/python/cpython/issues/106883.
    """
    if sys.version_info >= (3, 12):
        return look

    def uncollected(*args: P.args, **kwargs: P.kwargs) -> T:
        if not gc.isenabled():
            return look(*args, **kwargs)
        gc.disable()
        try:
            return look(*args, **kwargs)
        finally:
            gc.enable()

    return uncollected


current_frames = _uncollected(sys._current_frames)  # noqa: SLF001  # documented for this purpose
_caller_of: Callable[[FrameType], FrameType | None] = _uncollected(attrgetter("f_back"))


def note_call(frame: FrameType | None) -> None:
    """Remember that a frame is calling a jitted function."""
    if frame is not None:
        if len(_sites) >= _MOST_SITES:
            _sites.clear()
        _sites.add(_site(frame))


def glance(frame: FrameType | None, *, with_callers: bool = False) -> Glance | None:
    """The position of a thread with this innermost frame; None if no line of the user's is on its stack."""
    source, inside, is_eager = "", "", False
    callers: list[str] = []
    of_jax: FrameType | None = None  # the outermost frame of JAX's beneath the next frame of other code
    is_waiting = frame is not None and jax_frames.is_wait(frame)
    below = None
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        owner = frame_owner(frame.f_code.co_filename)
        if owner == "machinery":
            of_jax = of_jax if frame.f_code.co_name == jax_frames.BOUNDARY else frame
        elif owner != "python" and not (source or is_eager) and (of_jax is not None or below is None):
            is_eager = is_dispatching(frame, of_jax)
            with_callers, of_jax = with_callers or is_eager, None
        if owner == "user":
            here = location(frame.f_code.co_filename, frame.f_lineno)
            if source:
                if here != (callers or [source])[-1]:  # a comprehension may have a frame of its own on its line
                    callers.append(here)
            else:
                source = here
                is_waiting = is_waiting or (below is None and _is_waiting_call(frame))
            if not with_callers or len(callers) == _MOST_CALLERS:
                break
        elif not source and owner != "python":
            inside = _named(frame.f_code, str(frame.f_globals.get("__name__"))) or inside
        below, frame = frame, _caller_of(frame)
    return Glance(source, tuple(callers), inside, is_waiting, is_eager and not is_waiting) if source else None


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield frame
        frame = _caller_of(frame)


def _site(frame: FrameType) -> int:
    """The address of the call instruction that a frame is running."""
    return id(frame.f_code) + frame.f_lasti


def _is_waiting_call(frame: FrameType) -> bool:
    """Whether a frame calls a jitted function or `array.block_until_ready()`, which have no frames of their own."""
    return _site(frame) in _sites or frame.f_lasti in _waiting_calls(frame.f_code)


@lru_cache(maxsize=1024)
def _waiting_calls(code: CodeType) -> frozenset[int]:
    if jax_frames.WAIT_METHOD not in code.co_names:
        return frozenset()
    found, is_next = [], False
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            is_next = instruction.argval == jax_frames.WAIT_METHOD
        elif instruction.opname == "CALL" and is_next:
            found.append(instruction.offset)
            is_next = False
    return frozenset(found)


@lru_cache(maxsize=4096)
def _named(code: CodeType, module: str) -> str:
    """The public name of a function of JAX, or package and name of another library's; "" for JAX's internals."""
    if jax_frames.is_jax_file(code.co_filename):
        return public_names.of_code(code)
    package = module.partition(".")[0]
    name = code.co_qualname.partition(".<locals>")[0]
    # users call the function that a `_JitWrapper` wraps, not the wrapper
    return "" if package == "jitviz" or name.startswith("_") else f"{package}.{name}"


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
    phases: Sequence[object] | None = None
    rows: list[Sample] = field(default_factory=list)
    glances: dict[Glance, Glance] = field(default_factory=dict)  # each once
    eager: EagerLines = field(default_factory=EagerLines)
    stretch: int = 1  # periods between two samples

    def add(self, seen: Glance, now_s: float, *, is_in_phase: bool) -> None:
        """Add a glance. It stands for the time since the last sample."""
        row = Sample(self.looked_s, now_s, self.glances.setdefault(seen, seen), is_in_phase)
        self.looked_s = now_s
        if self.rows and self.rows[-1] == replace(row, start_s=self.rows[-1].start_s, end_s=row.start_s):
            row = replace(row, start_s=self.rows.pop().start_s)
        self.rows.append(row)
        if len(self.rows) > _MOST_ROWS:
            self.stretch *= 2
            pairs = zip(self.rows[:-1:2], self.rows[1:-1:2], strict=False)
            self.rows = [*(_joined(*pair) for pair in pairs), self.rows[-1]]

    def event(self) -> ev.LinesSampled | None:
        """All samples as one event; None if there are none."""
        return ev.LinesSampled(time.time(), tuple(self.rows), eager=self.eager.found()) if self.rows else None


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

    def run(self) -> None:
        wait_s = _PERIOD_S
        try:
            while not self.is_over.wait(wait_s):
                wait_s = _look_round()
        except Exception as error:  # a thread that raises would print into the user's program
            note("sampler", error)


def _look_round() -> float:
    """Sample every watched thread, and return the seconds to wait before the next round."""
    began_s = time.thread_time()
    mine = list(_samples_of.values())
    frames = current_frames()
    del frames[threading.get_ident()]  # a frame whose locals hold it is a cycle, and keeps the user's frames alive
    for samples in mine:
        _look(samples, frames.get(samples.thread))
    is_in_phase = any(samples.phases for samples in mine)
    stretch = min((samples.stretch for samples in mine), default=1)
    period_s = (_PHASE_PERIOD_S if is_in_phase else _PERIOD_S) * stretch
    return max(period_s, min(_LONGEST_S, (time.thread_time() - began_s) / _SHARE))


_samples_of: dict[int, Samples] = {}  # by the address of the open recording
_sampler: Sampler | None = None


def begin(recording: Recording, thread: threading.Thread) -> None:
    """Sample a thread that runs. If none can be started for it, there are no samples."""
    _samples_of[id(recording)] = Samples(thread.ident or 0, time.time())
    go_on()


def end(recording: Recording) -> ev.LinesSampled | None:
    """Stop sampling for a recording; the sampler ends with the last one."""
    samples = _samples_of.pop(id(recording), None)
    if not _samples_of:
        pause()
    return None if samples is None else samples.event()


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
    now_s = time.time()
    if samples.phases is None:
        samples.phases = phases_of(samples.thread)
    is_in_phase = bool(samples.phases)
    seen = glance(frame, with_callers=is_in_phase)
    if seen is None:
        samples.looked_s = now_s
    else:
        samples.add(seen, now_s, is_in_phase=is_in_phase)
        if seen.is_eager and not is_in_phase:
            samples.eager.note(_stack(frame))
