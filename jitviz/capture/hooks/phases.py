"""Phases of compiles, from `jax.monitoring`: the hook that sees every miss.

In: JAX's start and end events.  Out: events on misses, phases, programs, and JAX's own compiles.
Must never: raise (except what a guard raises, which is meant for the user), or cause a trace or a compile.

JAX says *when* (a scalar event at the start of a phase, a time span at its end); the stack says *what* (see `sites`).
Starts and ends come in pairs on each thread, even after an exception, unless a listener raises.
"""

import sys
from types import FrameType

from ...jaxcompat import caches, contexts, disk_cache, frame_locals, jax_frames, monitoring, tracing
from ...model import PhaseName, system
from ...recording import events as ev
from ...recording.unread_programs import Unread
from .. import raising, sampler
from ..adapters.jax_sites import locate
from ..failures import guarded
from ..in_progress import Address, OpenMiss, OpenPhase, here
from ..log.call_log import close_call, close_interrupted, close_miss, is_phase_running
from ..log.watcher import watcher
from ..programs import reading as programs
from . import misses, ops

_CLOCKS_DIFFER_S = 1.0  # more is not the time that it takes to get here


def on_start(event: str, value: float | int, **kwargs: str | int) -> None:
    """Listener for scalar events: a phase begins."""
    phase = monitoring.PHASE_OF_EVENT.get(event)
    if phase is None:
        return
    frame = sys._getframe(1)
    _clean_up(frame)
    at_s = _true(float(value))
    opened = _started(phase, at_s, frame)
    # The user's call raises what a guard raises here: then this phase never begins.
    if opened is not None:
        misses.ask_guards(opened)
    elif phase == "compile":
        ops.ask_guards(str(kwargs.get("fun_name", "?")), frame)
    timed = jax_frames.timed_frame(frame)
    code = None if timed is None else timed.f_code
    here.mine.phases.append(OpenPhase(phase, at_s, float(value), opened, Address(id(timed)), code))


def on_end(event: str, start_time: float, end_time: float, **kwargs: str | int) -> None:
    """Listener for time spans: a phase ended, with a return or an exception."""
    phase = monitoring.PHASE_OF_EVENT.get(event)
    begun = None if phase is None else _take(start_time)
    if phase is None or begun is None:
        return
    opened, start_s, end_s = begun.miss, begun.started_s, _true(end_time)
    if opened is None:
        ops.phase_ended(phase, str(kwargs.get("fun_name", "?")), start_s, end_s, sys._getframe(1))
        return
    _ended(opened, phase, start_s, end_s, sys._getframe(1))
    if opened.error is None:
        misses.ask_guards(opened)


@guarded(None)
def on_event(event: str, **kwargs: str | int) -> None:
    """Listener for plain events: JAX looks on disk for the program of this thread's current phase."""
    if event == monitoring.ASKED_DISK and here.mine.phases:
        opened = here.mine.phases[-1].miss or here.mine
        opened.disk_key = frame_locals.disk_key(sys._getframe(1))


@guarded(None)
def on_duration(event: str, duration_secs: float, **kwargs: str | int) -> None:
    """Listener for durations: the program of this thread's current phase is loaded from disk."""
    if event == monitoring.SAVED_BY_DISK and here.mine.phases:
        opened = here.mine.phases[-1].miss
        # JAX stores whole seconds, 0 for most: https://github.com/jax-ml/jax/blob/main/jax/_src/compilation_cache.py
        saved_s = max(0.0, duration_secs)
        if opened is None:
            here.mine.loaded = saved_s
        else:
            opened.is_loaded = True
            watcher.emit(ev.ProgramLoaded(system.time(), opened.number, saved_s or None, opened.disk_key))


@guarded(None)
def _clean_up(frame: FrameType | None) -> None:
    """Drop open phases whose frames no longer exist: another listener raised, so their ends never came. Where JAX
    checks for leaks, stop the sampler until the next recording: the frames that it holds would look like one."""
    phases = here.mine.phases
    while phases and not is_phase_running(phases[-1], frame):
        phases.pop()
    if contexts.checks_leaks():
        sampler.pause()


def _true(jax_s: float) -> float:
    """JAX's time of what has just happened; ours where the program has replaced JAX's clock."""
    now_s = system.time()
    return jax_s if abs(now_s - jax_s) < _CLOCKS_DIFFER_S else now_s


def _take(start_s: float) -> OpenPhase | None:
    """Remove the phase that began at this time from the stack, and any left above it."""
    open_phases = here.mine.phases
    for index in reversed(range(len(open_phases))):
        if open_phases[index].jax_s == start_s:
            begun = open_phases[index]
            del open_phases[index:]
            return begun
    return None


@guarded(None)
def _started(phase: PhaseName, at_s: float, frame: FrameType) -> OpenMiss | None:
    """The miss that this phase belongs to, new or known; None for a phase that is not the user's."""
    if tracing.is_staging() or (phase == "trace" and tracing.is_transformed()):
        # Up to jax 0.9 an inner jit has events of its own, and so has the trace that an eager transformation requests.
        return None
    site = locate(frame)
    if site is None:
        return None
    opened = misses.open_miss(site, phase)
    close_interrupted(here.mine, site.frame, None if opened is None else opened.frame)
    if opened is None and site.stage != "compile":  # only its lowering knows the function of `lowered.compile()`
        opened = misses.begin(site, phase, at_s, frame)
    if opened is None:
        return None
    if opened.is_doubtful and phase == "trace":
        opened.traces_before = caches.traces_made()
        return opened
    misses.begin_phase(opened, phase, at_s)
    return opened


@guarded(None)
def _ended(opened: OpenMiss, phase: PhaseName, start_s: float, end_s: float, frame: FrameType) -> None:
    raised = frame_locals.phase_error(frame)
    raising.note_failed(raised, opened)
    error = opened.error = raising.text_and_line(raised)
    if not opened.is_announced:
        if error is None and opened.traces_before is not None and opened.traces_before == caches.traces_made():
            # JAX found the trace in its cache: nothing was done and nothing is logged. The next phase is a new miss.
            here.mine.misses.pop(opened.frame, None)
            return
        misses.begin_phase(opened, phase, start_s)
    if error is None and phase == "trace":
        watcher.note_trace(opened, end_s)
    is_missed = error is None and phase == "compile" and opened.disk_key and not opened.is_loaded
    least_s = disk_cache.kept_from_s() if is_missed else None
    if least_s is not None:
        watcher.emit(ev.ProgramMissed(end_s, opened.number, least_s, opened.disk_key))
    if error is None and (watcher.sinks or (watcher.n_watches and phase == "lower")):
        _note_program(opened, phase, end_s, frame)
    dropped = programs.dropped_inputs(opened, frame) if error is None and phase == "lower" else ()
    own_s = max(0.0, system.time() - end_s)
    watcher.emit(ev.PhaseFinished(end_s, opened.number, phase, start_s, error, own_s, dropped))
    _explain(raised)
    if opened.call is not None:
        opened.call.seen_s = system.time()
    if opened.stage != "call":
        _end_stage(opened, phase, end_s, error, frame)
    elif error is not None or phase == "compile":
        close_miss(opened, end_s, error)
        call = opened.call
        if call is not None and call.is_implicit:
            call.error = error
            close_call(call, is_end_known=False)


def _explain(error: BaseException | None) -> None:
    """Explain an exception while it is in flight: of one that the program catches, nobody sees more."""
    raised = raising.explanation(error) if watcher.sinks and isinstance(error, Exception) else None
    if raised is not None and raised.kind:
        watcher.emit(ev.ErrorExplained(system.time(), raised))


def _end_stage(opened: OpenMiss, phase: PhaseName, at_s: float, error: str | None, frame: FrameType) -> None:
    """Close one ahead-of-time stage: the next one may follow, or not."""
    work = frame_locals.traced_jaxpr(frame) if phase == "trace" else frame_locals.lowered(frame)[0]
    if work is not None:
        watcher.keep_ahead(work, opened)
    if phase == "compile" and error is None:
        watcher.functions.note_version(opened)
    here.mine.misses.pop(opened.frame, None)
    if phase == "trace":
        here.mine.misses[opened.frame] = opened  # f.lower() continues in the same frame
    watcher.emit(ev.CompileFinished(at_s, opened.number, error))


@guarded(None, "program")  # the phase itself is logged all the same
def _note_program(opened: OpenMiss, phase: PhaseName, at_s: float, frame: FrameType) -> None:
    readers = {"trace": programs.of_trace, "lower": programs.of_lowering, "compile": programs.of_executable}
    for event in readers[phase](opened, at_s, frame):
        if isinstance(event, Unread):
            watcher.expect(event)
        else:
            watcher.emit(event)
