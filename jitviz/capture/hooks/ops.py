"""Programs outside the user's jitted functions: what JAX compiles op by op for `jnp` calls, initialisers, indexing.

In: the ends of phases that belong to no jitted function of the user's.  Out: one event per compiled program.
Must never: raise (except what a guard raises), walk a stack without bound, or look at a value.
"""

from dataclasses import replace
from types import FrameType

from ...jaxcompat import disk_cache, frame_locals, jaxprs, public_names
from ...model import OpByOp, PhaseName, system
from ...recording import events as ev
from ...recording.redaction import redacted
from ..failures import guarded
from ..in_progress import OpenOp, here
from ..log.watcher import watcher
from ..sources import call_site, caller, lines_above, text_at

_INPUTS = 16
_LINE = 160  # characters


@guarded(None)
def phase_ended(phase: PhaseName, name: str, start_s: float, end_s: float, frame: FrameType) -> None:
    """A phase outside the user's own functions ended; its compile completes the program."""
    mine, depth, program = here.mine, len(here.mine.phases), _program(name)
    mine.ops = {known: op for known, op in mine.ops.items() if known <= depth}
    opened = mine.ops.get(depth)
    if phase == "trace" or opened is None or opened.program != program:
        opened = mine.ops[depth] = OpenOp(program, start_s)
    if phase == "trace":
        opened.trace_s = end_s - start_s
    elif phase == "lower":
        opened.lower_s = end_s - start_s
    else:
        del mine.ops[depth]
        loaded, mine.loaded, key, mine.disk_key = mine.loaded, None, mine.disk_key, ""
        if watcher.sinks:
            least_s = disk_cache.kept_from_s()  # JAX makes keys without a cache too
            op = replace(
                _look(program, frame),
                start_s=opened.started_s,
                span_s=end_s - opened.started_s,
                trace_s=opened.trace_s,
                lower_s=opened.lower_s,
                compile_s=end_s - start_s,
                thread=watcher.thread_name(),
                origin="compiled" if loaded is None else "loaded",
                saved_s=loaded or None,
                disk_least_s=least_s if loaded is None else None,
                disk_key="" if least_s is None else key,
                own_s=max(0.0, system.time() - end_s),
            )
            with watcher.lock:
                watcher.note_sources(end_s, op.source)
            watcher.emit(ev.OpCompiled(end_s, op))


def _look(program: str, frame: FrameType) -> OpByOp:
    """A program that compiles below `frame`: its name, inputs and the user's lines, without times."""
    stack = lines_above(frame)
    avals = jaxprs.input_avals(frame_locals.called_jaxpr(frame))
    name = public_names.called_by_user(frame) or public_names.of_program(program)
    inputs = tuple(jaxprs.aval_text(aval) for aval in avals[:_INPUTS])
    source = stack[0] if stack else call_site(frame)
    at = caller(frame) if stack else None
    line = "" if at is None else redacted(text_at(at.f_code.co_filename, at.f_lineno, at.f_globals), is_code=True)
    return OpByOp(name, program, inputs, source, line[:_LINE], stack, n_inputs=len(avals))


def ask_guards(name: str, frame: FrameType) -> None:
    """Show the guards a program that begins to compile. The user's line raises what a guard raises."""
    if here.mine.phases:
        return  # it is part of the trace of a jitted function
    for guard in reversed(list(watcher.guards)):  # the innermost first
        if guard.compiles_op is not None and guard.holds():
            op = guarded(None)(_look)(_program(name), frame)
            if op is not None:
                guard.compiles_op(op)


def _program(name: str) -> str:
    return name.removeprefix("jit(").removesuffix(")")
