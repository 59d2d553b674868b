from types import FrameType
from typing import Any

import jax
import numpy as np
import pytest

from jitviz.jaxcompat import frame_locals, jax_frames, jaxprs, jits, private

from .watching import at_end, at_start, frame_of, fresh, names_above


def test_cache_miss_holds_the_function_and_its_arguments() -> None:
    step, x = fresh(), np.ones(3)

    def look(frame: FrameType) -> frame_locals.MissLocals:
        return frame_locals.read_miss(frame_of(frame, jax_frames.CACHE_MISS))

    (held,) = at_start("trace", lambda: step(x, named=2.0), look)
    assert held.fun is step.__wrapped__
    assert held.info is jits.jit_info(step)
    assert held.args[0] is x
    assert held.kwargs == {"named": 2.0}


def test_a_trace_holds_the_arguments_as_they_were_flattened() -> None:
    step, x, y = jax.jit(lambda model, n, *, rate: model["w"][0].sum() + rate, static_argnums=1), np.ones(3), np.ones(2)

    def look(frame: FrameType) -> frame_locals.FlatArguments | None:
        miss = frame_of(frame, jax_frames.CACHE_MISS)
        return frame_locals.read_miss(miss, frame).flat

    def call() -> None:
        step({"w": [x]}, 3, rate=y)

    traced = at_start("trace", call, look)[0]  # what is called inside has events of its own up to jax 0.9
    (lowered,) = at_start("lower", lambda: step({"w": [x]}, 3, rate=jax.device_put(y, jax.devices()[0])), look)
    for flat in (traced, lowered):
        assert flat is not None
        assert flat.treedef == jax.tree.structure((({"w": [0]},), {"rate": 0}))
        assert flat.leaves[0] is x
        assert tuple(flat.names) == ("model['w'][0]", "rate")


def test_stages_ahead_of_time_start_from_the_jaxpr_or_the_module() -> None:
    traced = fresh().trace(np.ones(3, np.float32))

    def look(frame: FrameType) -> tuple[Any, Any]:
        stage = frame_of(frame, jax_frames.STAGES_LOWER, jax_frames.STAGES_COMPILE)
        return frame_locals.work_ahead(stage), frame_locals.inferred(frame)

    ((jaxpr, inferred),) = at_end("lower", lambda: traced.lower(), look)
    assert jaxpr is inferred.jaxpr is traced.jaxpr
    lowered = traced.lower()
    ((module, _),) = at_end("compile", lowered.compile, look)
    assert module is lowered.compiler_ir()


def test_the_backward_pass_of_an_eager_gradient_is_below_call_impl_cache_miss() -> None:
    step = fresh()

    def look(frame: FrameType) -> tuple[bool, str, int] | None:
        names = names_above(frame)
        if jax_frames.IMPL_CACHE_MISS not in names or jax_frames.CACHE_MISS in names:
            return None
        held = frame_locals.read_miss(frame_of(frame, jax_frames.IMPL_CACHE_MISS))
        return jaxprs.source_info_of(held.jaxpr).startswith("step at "), held.name, len(jaxprs.input_avals(held.jaxpr))

    found = at_start("compile", lambda: jax.grad(lambda x: step(x).sum())(np.ones(3, np.float32)), look)
    assert (True, "step", 1) in found


def test_a_gradient_and_a_linearization_differ_in_the_rule_they_share() -> None:
    step = fresh()

    def look(frame: FrameType) -> str | None:
        rule = jax_frames.find_frame(frame, ("_pjit_linearize", jax_frames.in_jax("_src/pjit.py")))
        return None if rule is None else frame_locals.describe_rule("linearize", rule)

    def run() -> None:
        jax.grad(lambda x: step(x).sum())(np.ones(3, np.float32))
        jax.linearize(step, np.ones(3, np.float32))

    found = dict.fromkeys(at_start("compile", run, look))  # what is differentiated with it may be compiled as well
    programs = private.since(((0, 9, 1), ["linearize", "jax.linearize"]), ((0, 7), ["linearize"]))  # once one for both
    assert [words for words in found if words is not None] == programs


@pytest.mark.parametrize("phase", ["lower", "compile"])
def test_the_jaxpr_of_a_call_is_known_while_it_is_lowered_and_compiled(phase: Any) -> None:
    jax.clear_caches()
    (jaxpr,) = at_start(phase, lambda: fresh()(np.ones(3, np.float32)), frame_locals.called_jaxpr)
    assert [str(aval) for aval in jaxprs.input_avals(jaxpr)] == ["float32[3]"]
    assert frame_locals.called_jaxpr(None) is None


def test_the_end_of_a_trace_holds_the_jaxpr() -> None:
    step = fresh()
    (jaxpr,) = at_end("trace", lambda: step.trace(np.ones(3)), frame_locals.traced_jaxpr)
    assert jax_frames.TRACE_FOR_JIT[0] == private.TRACING
    assert jaxprs.is_jaxpr(jaxpr)
    assert jaxprs.equation_count(jaxpr) == 0
    assert [str(aval) for aval in jaxprs.input_avals(jaxpr)] == ["float32[3]"]
    assert jaxprs.source_info_of(jaxpr) == jits.source_info_in(jits.jit_info(step))
    assert jaxprs.source_info_of(jaxpr).startswith("step at ")


def test_the_end_of_lowering_holds_the_module_and_what_it_dropped() -> None:
    def look(frame: FrameType) -> tuple[Any, ...]:
        return names_above(frame), frame_locals.kept_inputs(frame), *frame_locals.lowered(frame)

    step = jax.jit(lambda used, unused: used * 2)
    ((names, kept, module, jaxpr),) = at_end("lower", lambda: step(np.ones(3), np.ones(4)), look)
    assert {jax_frames.LOWERING, jax_frames.LOWER_SHARDING} <= set(names)
    assert kept == frame_locals.KeptInputs((0,), total=2, constants=0)
    assert "func.func public @main" in str(module)
    assert jaxprs.is_jaxpr(jaxpr)


def test_the_end_of_compiling_holds_the_executable() -> None:
    step = jax.jit(lambda x: x + 1.0)
    ((names, executable),) = at_end(
        "compile", lambda: step(np.ones(3)), lambda frame: (names_above(frame), frame_locals.executable(frame))
    )
    assert jax_frames.COMPILATION in names
    assert executable.hlo_modules()[0].to_string().startswith("HloModule jit__lambda")
    assert executable.get_compiled_memory_stats().output_size_in_bytes == 12


def test_the_timer_holds_the_exception_that_ended_a_phase() -> None:
    mine = ValueError("mine")

    @jax.jit
    def fail(x: Any) -> Any:
        raise mine

    def run() -> None:
        with pytest.raises(ValueError, match="mine"):
            fail(1.0)

    assert at_end("trace", run, frame_locals.phase_error) == [mine]
    assert at_end("trace", lambda: fresh()(1.0), frame_locals.phase_error) == [None]
    assert jax_frames.TIMER_EXIT[0] == "__exit__"


@pytest.mark.parametrize(
    ("entry", "operands", "run"),
    [
        ("scan", ["init", "xs"], lambda: jax.lax.scan(lambda carry, x: (carry + x, x), 0.0, np.ones(3, np.float32))),
        ("while_loop", ["init_val"], lambda: jax.lax.while_loop(lambda x: x < 2, lambda x: x + 1, 0)),
        ("map", ["xs"], lambda: jax.lax.map(lambda x: x + 1, np.ones(3))),
    ],
)
def test_an_eager_loop_is_below_its_public_function(entry: str, operands: list[str], run: Any) -> None:
    jax.clear_caches()

    def look(frame: FrameType) -> Any:
        miss = jax_frames.find_frame(frame, jax_frames.CACHE_MISS)
        above = miss.f_back if miss is not None else None
        while above is not None and above.f_code.co_name == jax_frames.BOUNDARY:
            above = above.f_back
        if above is None or not jax_frames.is_frame(above, jax_frames.APPLY_PRIMITIVE):
            return None
        return frame_locals.loop_entry(above) if frame_locals.applied_programs(above) else None

    found = [seen for seen in at_start("compile", run, look) if seen is not None]
    assert [seen[0] for seen in found] == [entry]
    named = dict(found[0][1])
    for name in operands:
        value = named[name]
        pairs = frame_locals.flat_tree_items(value) if frame_locals.is_flat_tree(value) else [("", value)]
        assert all(leaf is not None for _, leaf in pairs)
    assert jax_frames.in_jax("_src/lax/control_flow/") == jax_frames.CONTROL_FLOW


def test_the_bounds_of_a_fori_loop_are_the_integers_that_jax_has_read() -> None:
    def look(frame: FrameType) -> Any:
        return frame_locals.loop_entry(jax_frames.find_frame(frame, jax_frames.APPLY_PRIMITIVE))

    run = lambda: jax.lax.fori_loop(0, jax.device_put(3), lambda i, x: x + i, 0.0)  # noqa: E731
    found = [dict(seen[1]) for seen in at_start("compile", run, look) if seen is not None]
    assert [(seen["lower"], seen["upper"], type(seen["upper"])) for seen in found] == [(0, 3, int)]
