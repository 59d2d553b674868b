"""Misses: which function they belong to, when they are logged, and the guards that may stop them.

In: a `MissFrame` at the start of a phase.  Out: an `OpenMiss`, and the events `CallStarted` and `CompileStarted`.
Must never: log a miss before it is certain. JAX times its look into the trace cache as if it were a trace. So a
signature that was traced before stays doubtful until the trace is seen to have happened, or something is lowered. See
`log_elapsed_time` around `trace_to_jaxpr`, which is cached: https://github.com/jax-ml/jax/blob/main/jax/_src/pjit.py
"""

import weakref
from dataclasses import replace
from functools import partial
from types import FrameType

from ...jaxcompat import frame_locals, jax_frames, jaxprs, jits, tracing
from ...model import Function, PhaseName, system, wrappers
from ...recording import events as ev
from ..adapters import functions
from ..adapters.jax_sites import MissFrame
from ..adapters.registry import find_origin, install_hooks
from ..adapters.transforms import function_traced_as, transform_of_call
from ..arguments.origin import Origin
from ..arguments.signature import input_paths, signature_of, signature_of_backward, signature_or_error
from ..failures import error_text, guarded
from ..in_progress import Address, CallingLine, OpenCall, OpenMiss, here
from ..log.call_log import close_call, close_miss, log_call
from ..log.watcher import watcher
from ..reads.reads import Reads
from ..sources import call_site, library_line, lines_above, written_call
from ..thread_activity import note_call
from ..tokens import living_tokens, token
from . import hits


def open_miss(site: MissFrame, phase: PhaseName) -> OpenMiss | None:
    """The compile in progress in this very frame, if this phase can be its next one; a trace is always the first. A
    frame does one compile. Another one found at the same address was abandoned."""
    if phase == "trace":
        return None
    miss = here.mine.misses.get(id(site.frame))
    if miss is not None and phase not in miss.phases and miss.key == _key(site):
        return miss
    if site.kind == "ahead":  # each stage may be requested on its own: f.trace(x), then .lower(), then .compile()
        miss = watcher.ahead.get(token(frame_locals.work_ahead(site.frame)))
        return None if miss is None or phase in miss.phases else miss
    return None


def begin(site: MissFrame, phase: PhaseName, at_s: float, frame: FrameType) -> OpenMiss | None:
    """Open a new miss; None if it is JAX's own, or if the user asked for a trace alone."""
    if site.kind == "backward":
        function = _function_of_backward(site)
        if function is None:
            return None
        origin = Origin(None, wrappers.named(function.api), [])
        signature = signature_of_backward(site.held.jaxpr)
    else:
        miss = id(site.frame), _key(site)
        is_of_jax = phase != "trace" and here.mine.miss_of_jax == miss  # as its trace has shown
        found = None if is_of_jax else find_origin(site)
        here.mine.miss_of_jax = miss if found is None else (0, 0)
        if found is None:
            return None
        origin = found
        function = functions.identify(origin.function, origin.jitted_by)
        if origin.primitive:
            function = functions.as_loop(function, origin.primitive, origin.bodies)
        signature = signature_or_error(partial(signature_of, origin, is_transformed=bool(site.transform)))
        watcher.functions.by_source[jits.source_info_in(site.held.info)] = watcher.number_of(function)
    reads = None
    if phase == "trace" and site.kind != "backward" and (reads := reads_of(origin)) is not None and reads:
        signature = replace(signature, reads=reads.rows)
    note_call(site.caller)
    hits.hear_caller(site.caller)
    number = watcher.number_of(function)
    source = call_site(frame)
    if site.kind == "ahead" and phase == "trace":
        watcher.emit(ev.StageNoted(at_s, number, site.stage, source))
        if site.stage in ("eval_shape", "make_jaxpr"):
            return None
    opened = OpenMiss(
        number=ev.CompileNumber(next(watcher.numbers)),
        frame=Address(id(site.frame)),
        function=number,
        key=_key(site),
        signature=signature,
        started_s=at_s,
        source=source,
        stack=lines_above(frame),
        through=library_line(frame),
        written=written_call(frame),
        stage=site.stage,
        transform=transform_of_call(site.transform, origin),
        jitted_by=origin.jitted_by,
        is_backward=site.kind == "backward",
        output_transform=functions.output_transform(origin.function),
        inputs=input_paths(signature, origin.input_order),
        version_key=origin.version_key,
        leaf_types=origin.leaf_types,
        reads=reads,
        is_doubtful=phase == "trace" and watcher.functions.may_be_traced(number, signature),
    )
    here.mine.misses[opened.frame] = opened
    return opened


@guarded(None, "reads")
def reads_of(origin: Origin) -> Reads:
    """What the trace of a call is about to read."""
    arguments = [(argument.name, argument.value) for argument in origin.arguments]
    return Reads((origin.function, *origin.bodies), origin.statics, arguments, origin.root)


def begin_phase(opened: OpenMiss, phase: PhaseName, at_s: float) -> None:
    """Log that a phase of a miss began, and the miss itself if this is its first phase."""
    if phase not in opened.phases:
        if not opened.is_announced:
            _announce(opened, is_traced=phase == "trace")
        opened.phases.append(phase)
        watcher.emit(ev.PhaseStarted(at_s, opened.number, phase))


def _announce(opened: OpenMiss, *, is_traced: bool) -> None:
    """Log a miss, after its call."""
    opened.is_announced = True
    if watcher.sinks:
        install_hooks()  # Equinox may have been imported after the recording began
    is_warm = watcher.is_warm(opened.function)
    if opened.stage == "call":
        call = _call_of(opened)
        call.misses += (opened,)
        opened.within = weakref.ref(call)
        log_call(call)
        watcher.functions.note_version(opened)
        for sink in watcher.sinks if not opened.is_backward else ():
            sink.first_calls.add(opened.function)  # this miss logs the signature: a later hit need not
    watcher.note_compile(
        ev.CompileStarted(
            at_s=opened.started_s,
            compile=opened.number,
            call=None if opened.call is None else opened.call.number,
            function=opened.function,
            signature=opened.signature,
            source=opened.source,
            stack=opened.stack,
            through=opened.through,
            written=opened.written,
            transform=opened.transform,
            stage=opened.stage,
            is_traced=is_traced,
            is_warm=is_warm,
            thread=watcher.thread_name(),
        )
    )


def _call_of(opened: OpenMiss) -> OpenCall:
    """The open call that a miss belongs to. If no hook saw it begin, the miss opens it."""
    top = here.mine.calls[-1] if here.mine.calls else None
    if top is not None and top.site.key == opened.key:
        return top
    call = OpenCall(CallingLine(opened.function, opened.key, opened.source), int(opened.started_s * 1e9))
    call.frame, call.is_implicit, call.is_plain = opened.frame, True, False
    call.is_inlined = tracing.is_staging()
    here.mine.calls.append(call)
    return call


def ask_guards(opened: OpenMiss) -> None:
    """Show a miss to the guards, once it is certain. The user's call raises what a guard raises."""
    if opened.is_asked or not opened.is_announced:
        return
    opened.is_asked = True
    for guard in reversed(list(watcher.guards)):  # the innermost first
        try:
            if guard.holds():
                guard.missed(opened)
        except BaseException as error:
            _abandon(opened, error)
            raise


@guarded(None)
def _abandon(opened: OpenMiss, error: BaseException) -> None:
    close_miss(opened, system.time(), error_text(error))
    if opened.call is not None and opened.call.is_implicit:
        close_call(opened.call, error, is_end_known=False)


def _key(site: MissFrame) -> Address:
    return Address(id(site.held.jaxpr if site.kind == "backward" else site.held.fun))


def _function_of_backward(site: MissFrame) -> Function | None:
    """The function that this backward pass belongs to, by JAX's note in the jaxpr."""
    info = jaxprs.source_info_of(site.held.jaxpr)
    known = watcher.functions.get(watcher.functions.by_source.get(info))
    if known is not None and known.token in living_tokens():
        return known
    if jax_frames.is_jax_file(info.rpartition(" at ")[2]):
        return None  # one that JAX jitted for itself, which are most: its caches need not be searched
    # It no longer exists: another function of its line may run only inside another trace.
    found = function_traced_as(info, site.held.name) or known
    if found is not None:
        watcher.functions.by_source[info] = watcher.number_of(found)
    return found
