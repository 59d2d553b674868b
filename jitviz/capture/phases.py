"""Phases of compiles, from `jax.monitoring`: the one hook through which every miss passes.

In: JAX's start and end events.  Out: `CompileStarted`, `PhaseStarted`, `PhaseFinished` and what was compiled.
Must never: raise, cause a trace or a compile, or count what JAX compiles for itself as the user's.

JAX says *when* (a scalar event at the start of a phase, a time span at its end); the stack says *what* (see `sites`).
Starts and ends come in pairs on each thread, whatever is raised between them.
"""

from __future__ import annotations

import sys
from types import FrameType


from .. import events as ev
from ..model import Function, PhaseName
from . import _jaxcompat as compat
from . import functions, programs
from .calls import close_call, close_compile, describe_error, log_call, open_call
from .guarded import guarded
from .origins import Origin, find_origin
from .signature import signature_of, signature_of_backward
from .sites import Site, locate
from .sources import call_site
from .watcher import OpenCompile, watcher


def on_start(event: str, value: float | int, **kwargs: str | int) -> None:
    """Listener for scalar events: a phase begins."""
    phase = compat.PHASE_OF_EVENT.get(event)
    if phase is None:
        return
    opened = _started(phase, float(value), sys._getframe(1))
    watcher.phases.append(opened)


def on_end(event: str, start_time: float, end_time: float, **kwargs: str | int) -> None:
    """Listener for time spans: a phase ended, by return or by exception."""
    phase = compat.PHASE_OF_EVENT.get(event)
    if phase is None or not watcher.phases:
        return
    opened = watcher.phases.pop()
    if opened is None:
        _count_internal(phase, str(kwargs.get("fun_name", "?")), start_time, end_time)
    else:
        _ended(opened, phase, start_time, end_time, sys._getframe(1))


@guarded(None)
def _count_internal(phase: str, name: str, start_s: float, end_s: float) -> None:
    if phase == "compile" and not watcher.phases:
        name = name.removeprefix("jit(").removesuffix(")")
        watcher.emit(ev.InternalsCompiled(end_s, name, end_s - start_s))


@guarded(None)
def _started(phase: PhaseName, at_s: float, frame: FrameType) -> OpenCompile | None:
    """The miss that this phase belongs to, new or known; None for what is not the user's."""
    if compat.is_staging():
        return None  # an inner jit, traced as part of the outer one (it has events of its own up to jax 0.9)
    site = locate(frame)
    if site is None:
        return None
    known = watcher.misses.get(id(site.frame))
    if known is not None and not known.is_closed and phase not in known.phases and known.key == _key(site):
        opened: OpenCompile | None = known
    elif site.stage == "compile":
        opened = None  # `lowered.compile()`: its lowering has been logged
    else:
        opened = _new_miss(site, phase, at_s, frame)
    if opened is not None:
        opened.phases.append(phase)
        watcher.emit(ev.PhaseStarted(at_s, opened.number, phase))
    return opened


def _key(site: Site) -> int:
    return id(site.locals.get("jaxpr" if site.kind == "backward" else "fun"))


def _new_miss(site: Site, phase: PhaseName, at_s: float, frame: FrameType) -> OpenCompile | None:
    if site.kind == "backward":
        found = _backward(site)
        if found is None:
            return None
        function, origin, signature = found[0], None, signature_of_backward(site)
    else:
        origin = find_origin(site)
        if origin is None:
            return None
        function, signature = _function_of(origin), signature_of(origin)
        info = site.locals.get("jit_info")
        if info is not None:
            watcher.by_source_info[str(getattr(info, "fun_sourceinfo", ""))] = watcher.number_of(function)
    number = watcher.number_of(function)
    source = call_site(frame)
    if site.kind == "ahead" and phase == "trace":
        watcher.emit(ev.StageNoted(at_s, number, site.stage, source))
        if site.stage in ("eval_shape", "make_jaxpr"):
            return None
    call = None
    if site.kind != "ahead":
        top = watcher.calls[-1] if watcher.calls else None
        key = id(origin.keyed) if origin is not None else _key(site)
        if top is None or top.key != key:
            top = open_call(watcher, number, key, source, is_implicit=True)
            top.started_s = at_s
        call = top
        log_call(watcher, call)
    opened = OpenCompile(
        number=next(watcher.numbers),
        frame=id(site.frame),
        function=number,
        key=_key(site),
        call=call,
        signature=signature,
        origin_api=function.api,
        output_transform=functions.output_transform(origin.function) if origin is not None else "",
    )
    watcher.misses[opened.frame] = opened
    watcher.note_miss(
        ev.CompileStarted(
            at_s=at_s,
            compile=opened.number,
            call=None if call is None else call.number,
            function=number,
            signature=signature,
            source=source,
            transform=site.transform,
            stage=site.stage,
            is_traced=phase == "trace",
            is_warm=watcher.is_warm(function, number),
        )
    )
    if call is not None:
        call.compiles.append(opened)
    return opened


def _function_of(origin: Origin) -> Function:
    found = functions.identify(origin.function, origin.api, origin.wrapper)
    if origin.name is not None:  # an eager loop: named after its primitive, compared by its body
        return functions.as_loop(found, origin.name, origin.function)
    return found


def _backward(site: Site) -> tuple[Function, None] | None:
    """The function whose backward pass this is, by what JAX notes in the jaxpr, else by name."""
    number = watcher.by_source_info.get(compat.source_info_of(site.locals.get("jaxpr")))
    if number is None:
        name = str(site.locals.get("name", ""))
        named = [
            known
            for known in watcher.by_source_info.values()
            if watcher.functions[known].name.rsplit(".", 1)[-1] == name
        ]
        number = named[-1] if named else None
    return None if number is None else (watcher.functions[number], None)


@guarded(None)
def _ended(opened: OpenCompile, phase: PhaseName, start_s: float, end_s: float, frame: FrameType) -> None:
    error = _error_of(frame)
    watcher.emit(ev.PhaseFinished(end_s, opened.number, phase, start_s, error))
    if error is None and watcher.sinks:
        _note_program(opened, phase, end_s, frame)
    opened.error = error
    if error is not None or phase == "compile":
        close_compile(watcher, opened, end_s, error)
        call = opened.call
        if call is not None and call.is_implicit:
            call.error = error
            close_call(watcher, call, is_end_known=False)


def _note_program(opened: OpenCompile, phase: PhaseName, at_s: float, frame: FrameType) -> None:
    number = opened.number
    if phase == "trace":
        programs.note_trace(frame, number, at_s, watcher.emit)
        opened.has_jaxpr = True
    elif phase == "lower":
        programs.note_lowering(frame, number, at_s, opened.has_jaxpr, watcher.emit)
        site = locate(frame)
        if site is not None:
            is_filter = opened.origin_api.endswith("filter_jit")
            programs.note_outputs(site.locals, is_filter, opened.output_transform, number, at_s, watcher.emit)
        dropped, reused = programs.note_lowered_signature(frame, opened.signature)
        if dropped or reused:
            watcher.emit(ev.ProgramSeen(at_s, number, dropped=dropped, reused=reused))
    else:
        programs.note_executable(frame, number, at_s, watcher.emit)


def _error_of(frame: FrameType) -> str | None:
    """The exception that ended a phase: it stands in the frame of JAX's timer."""
    found = compat.find_frame(frame, compat.TIMER_EXIT, limit=4)
    return describe_error(found.f_locals.get("exc_value")) if found is not None else None
