"""A test per private name: a new release of JAX, Equinox or Flax breaks here first, and says which name it was."""

import inspect
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.experimental.layout import Format, Layout
from jax.extend import source_info_util

import jitviz
from jitviz.jaxcompat import (
    arrays,
    caches,
    contexts,
    equinox,
    events,
    frame_locals,
    jaxprs,
    jits,
    outputs,
    printing,
    public_names,
    stacks,
    tracing,
)
from jitviz.jaxcompat import frames as jax_frames
from jitviz.jaxcompat import nnx as jax_nnx

from .frames import at_end, at_start


def fresh(**options: Any) -> Any:
    """A jitted function that was never called."""

    def step(x: Any, *rest: Any, **named: Any) -> Any:
        return x

    return jax.jit(step, **options)


def names_above(frame: FrameType | None) -> list[tuple[str, str]]:
    """(function, file inside jax) of every frame of jax's, innermost first."""
    found = []
    while frame is not None:
        if jax_frames.is_jax_file(frame.f_code.co_filename):
            found.append((frame.f_code.co_name, frame.f_code.co_filename.removeprefix(jax_frames.JAX_ROOT)))
        frame = frame.f_back
    return found


# -- events and frames -------------------------------------------------------------------------------------------------


def test_a_call_goes_through_three_phases() -> None:
    starts: list[str] = []

    def listener(event: str, value: float | int, **kwargs: str | int) -> None:
        starts.append(event)

    jax.monitoring.register_scalar_listener(listener)
    try:
        jax.jit(lambda x: x)(np.ones(3))
    finally:
        jax.monitoring.unregister_scalar_listener(listener)
    assert [events.PHASE_OF_EVENT.get(event) for event in starts] == ["trace", "lower", "compile"]


def test_listeners_that_somebody_cleared_are_missed() -> None:
    def on_start(event: str, value: float | int, **kwargs: str | int) -> None: ...
    def on_end(event: str, start_time: float, end_time: float, **kwargs: str | int) -> None: ...

    jax.monitoring.register_scalar_listener(on_start)
    jax.monitoring.register_event_time_span_listener(on_end)
    assert events.is_listening(on_start, on_end) == (True, True)
    jax.monitoring.unregister_scalar_listener(on_start)
    jax.monitoring.unregister_event_time_span_listener(on_end)
    assert events.is_listening(on_start, on_end) == (False, False)


def test_what_was_saved_by_the_cache_on_disk_is_told_where_a_program_is_found_there(tmp_path: Path) -> None:
    program = (
        "import sys, jax\n"
        "jax.config.update('jax_compilation_cache_dir', sys.argv[1])\n"
        "jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)\n"
        "jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)\n"
        "jax.monitoring.register_event_duration_secs_listener(lambda event, seconds, **rest: print(event))\n"
        "for _ in range(2):\n"
        "    jax.jit(lambda x: x * 2)(1.0)\n"
        "    jax.clear_caches()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert done.count(events.SAVED_BY_DISK) == 1
    compiled = next(event for event, phase in events.PHASE_OF_EVENT.items() if phase == "compile")
    assert done.index(events.SAVED_BY_DISK) > done.index(compiled)


def test_the_function_of_a_pmap_is_found_in_what_it_closes_over() -> None:
    def double(x: Any) -> Any:
        return x * 2

    def look(frame: FrameType) -> list[Any]:
        found = jax_frames.find_frame(frame, jax_frames.CACHE_MISS)
        assert found is not None
        return [value for _, value in jits.closed_over(frame_locals.read_miss(found).fun)]

    assert all(double in found for found in at_start("compile", lambda: jax.pmap(double)(np.ones((1, 3))), look))


def test_what_a_transformation_returned_is_a_frame_of_one() -> None:
    def look(x: Any) -> Any:
        frame: FrameType | None = inspect.currentframe()
        while frame is not None and frame.f_code.co_name not in ("grad_f", "vmap_f"):
            frame = frame.f_back
        assert frame is not None
        found.append((jax_frames.is_transformation(frame), jax_frames.is_transformation(inspect.currentframe())))
        return x.sum()

    found: list[tuple[bool, bool]] = []
    jax.grad(look)(np.ones(3, np.float32))
    jax.vmap(look)(np.ones((1, 3)))
    assert found == [(True, False)] * 2


@pytest.mark.parametrize("phase", ["trace", "lower", "compile"])
def test_a_phase_is_done_in_the_frame_above_the_timer(phase: Any) -> None:
    def look(frame: FrameType) -> tuple[bool, str]:
        found = jax_frames.timed_frame(frame)
        assert found is not None
        return jax_frames.TIMER_ENTER in names_above(frame), found.f_code.co_name

    inside = {
        "trace": jax_frames.TRACE_FOR_JIT[0],
        "lower": jax_frames.LOWERING[0],
        "compile": jax_frames.COMPILATION[0],
    }
    ((is_timed, name),) = at_start(phase, lambda: fresh()(np.ones(3)), look)
    assert is_timed
    assert name == inside[phase]


@pytest.mark.parametrize("phase", ["trace", "lower", "compile"])
def test_every_phase_of_a_call_is_below_cache_miss(phase: Any) -> None:
    step = fresh()
    assert at_start(phase, lambda: step(np.ones(3)), lambda frame: jax_frames.CACHE_MISS in names_above(frame)) == [
        True
    ]


def test_cache_miss_is_one_frame_through_all_phases() -> None:
    step = fresh()
    addresses: list[int] = []

    def look(frame: FrameType) -> None:
        addresses.extend(jax_frames.frames_of_misses(frame))

    at_start(
        "trace", lambda: at_start("lower", lambda: at_start("compile", lambda: step(np.ones(3)), look), look), look
    )
    assert len(addresses) == 3
    assert len(set(addresses)) == 1


def test_cache_miss_holds_the_function_and_its_arguments() -> None:
    step, x = fresh(), np.ones(3)

    def look(frame: FrameType) -> frame_locals.MissLocals:
        found = jax_frames.find_frame(frame, jax_frames.CACHE_MISS)
        assert found is not None
        return frame_locals.read_miss(found)

    (held,) = at_start("trace", lambda: step(x, named=2.0), look)
    assert held.fun is step.__wrapped__
    assert held.info is jits.jit_info(step)
    assert held.args[0] is x
    assert held.kwargs == {"named": 2.0}


def test_the_end_of_lowering_holds_what_jax_inferred_of_a_call() -> None:
    inferred = outputs_of(lambda: fresh()(np.ones(3, np.float32)))
    assert [str(aval) for aval in outputs.output_avals(inferred.jaxpr)] == ["float32[3]"]
    assert outputs.output_paths(inferred.jaxpr) == [""]
    assert outputs.node_data(inferred.out_tree) is None


def test_stages_ahead_of_time_hand_on_the_jaxpr_and_the_module() -> None:
    traced = fresh().trace(np.ones(3, np.float32))

    def look(frame: FrameType) -> tuple[Any, Any]:
        found = jax_frames.find_frame(frame, jax_frames.STAGES_LOWER, jax_frames.STAGES_COMPILE)
        assert found is not None
        return frame_locals.work_ahead(found), frame_locals.inferred(frame)

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
        found = jax_frames.find_frame(frame, jax_frames.IMPL_CACHE_MISS)
        assert found is not None
        held = frame_locals.read_miss(found)
        return jaxprs.source_info_of(held.jaxpr).startswith("step at "), held.name, len(jaxprs.input_avals(held.jaxpr))

    found = at_start("compile", lambda: jax.grad(lambda x: step(x).sum())(np.ones(3, np.float32)), look)
    assert (True, "step", 1) in found


def test_a_gradient_and_a_linearization_are_told_apart_in_the_rule_that_serves_both() -> None:
    step = fresh()

    def look(frame: FrameType) -> bool | None:
        rule = jax_frames.find_frame(frame, ("_pjit_linearize", "_src/pjit.py"))
        return None if rule is None else frame_locals.is_for_gradient(rule)

    def run() -> None:
        jax.grad(lambda x: step(x).sum())(np.ones(3, np.float32))
        jax.linearize(step, np.ones(3, np.float32))

    assert [found for found in at_start("compile", run, look) if found is not None] == [True, False]


@pytest.mark.parametrize(
    ("transform", "run"),
    [
        ("vmap", lambda step: jax.vmap(step)(np.ones((2, 3)))),
        ("jvp", lambda step: jax.jvp(step, (np.ones(3, np.float32),), (np.ones(3, np.float32),))),
        ("linearize", lambda step: jax.grad(lambda x: step(x).sum())(np.ones(3, np.float32))),
        ("transpose", lambda step: jax.grad(lambda x: step(x).sum())(np.ones(3, np.float32))),
    ],
)
def test_an_eager_transformation_is_known_by_its_rule(transform: str, run: Any) -> None:
    step = fresh()

    def look(frame: FrameType) -> set[str]:
        return {
            jax_frames.TRANSFORM_OF_RULE[name] for name, _ in names_above(frame) if name in jax_frames.TRANSFORM_OF_RULE
        }

    assert transform in set().union(*at_start("compile", lambda: run(step), look))


def test_what_is_evaluated_is_known_by_the_names_that_jax_gives_it() -> None:
    step = fresh()

    def run() -> None:
        jax.grad(jax.checkpoint(lambda x: step(x).sum()))(np.ones(3, np.float32))

    found = at_start("compile", run, lambda frame: tracing.transforms_by_name())
    assert ["transpose", "jvp", "jvp", "checkpoint"] in found


def test_a_tracer_tells_what_it_stands_round() -> None:
    found = []

    def look(x: Any) -> Any:
        found.append(tracing.inside_tracer(x))
        return x.sum()

    x = jnp.ones((2, 3))
    jax.jvp(look, (x,), (x,))
    jax.vmap(look, in_axes=1)(x)
    jax.vmap(jax.grad(look))(x)
    shown = [(inside.value.shape, inside.is_differentiated, inside.axes) for inside in found]
    assert shown == [((2, 3), True, ()), ((2, 3), False, (1,)), ((2, 3), True, (0,))]
    assert tracing.inside_tracer(x).value is x


def test_metadata_of_a_variable_is_what_the_user_noted() -> None:
    assert jax_nnx.nnx_metadata(nnx.Param(jnp.ones(2))) == {}
    assert jax_nnx.nnx_metadata(nnx.Param(jnp.ones(2), tag="head")) == {"tag": "head"}


def test_a_function_is_found_by_what_jax_notes_of_it() -> None:
    step = fresh()
    step(np.ones(3))
    info = jits.source_info_in(jits.jit_info(step))
    assert caches.functions_traced_as(info)[-1] is jits.jitted_function(step)
    assert caches.functions_traced_as("nothing at nowhere.py:1") == []


@pytest.mark.parametrize(
    ("stage", "run"),
    [
        ("lower", lambda step: step.lower(np.ones(3))),
        ("eval_shape", lambda step: jax.eval_shape(step, np.ones(3))),
        ("eval_shape", lambda step: step.eval_shape(np.ones(3))),
        ("make_jaxpr", lambda step: jax.make_jaxpr(step)(np.ones(3))),
    ],
)
def test_work_ahead_of_time_is_below_jit_trace_and_its_entry(stage: str, run: Any) -> None:
    step = fresh()

    def look(frame: FrameType) -> tuple[bool, bool, bool, bool]:
        names = names_above(frame)
        held = frame_locals.read_miss(jax_frames.find_frame(frame, jax_frames.JIT_TRACE) or frame)
        entries = {jax_frames.STAGE_OF_ENTRY[name] for name, _ in names if name in jax_frames.STAGE_OF_ENTRY}
        is_call = jax_frames.CACHE_MISS in names
        return jax_frames.JIT_TRACE in names, is_call, stage in entries, held.fun in (step, step.__wrapped__)

    assert at_start("trace", lambda: run(step), look)[0] == (True, False, True, True)


def test_the_trace_and_the_lowering_of_lower_are_below_one_frame() -> None:
    step = fresh()
    assert at_start(
        "trace", lambda: step.lower(np.ones(3)), lambda frame: jax_frames.JIT_LOWER in names_above(frame)
    ) == [True]
    assert at_start(
        "lower", lambda: step.lower(np.ones(4)), lambda frame: jax_frames.JIT_LOWER in names_above(frame)
    ) == [True]


def test_lowering_and_compiling_ahead_of_time_have_frames_of_their_own() -> None:
    lowered = None

    def run() -> None:
        nonlocal lowered
        lowered = fresh().lower(np.ones(3))

    assert at_start("lower", run, lambda frame: jax_frames.STAGES_LOWER in names_above(frame)) == [True]
    assert lowered is not None
    assert at_start("compile", lowered.compile, lambda frame: jax_frames.STAGES_COMPILE in names_above(frame)) == [True]


@pytest.mark.parametrize("phase", ["lower", "compile"])
def test_a_program_that_is_made_for_a_call_is_below_one_frame_that_holds_its_jaxpr(phase: Any) -> None:
    x = np.ones(3, np.float32)
    jax.clear_caches()
    assert at_start(phase, lambda: fresh()(x), lambda frame: jax_frames.CALL_IMPL in names_above(frame)) == [True]
    (jaxpr,) = at_start(phase, lambda: fresh()(x), frame_locals.called_jaxpr)
    assert [str(aval) for aval in jaxprs.input_avals(jaxpr)] == ["float32[3]"]
    assert frame_locals.called_jaxpr(None) is None


@pytest.mark.parametrize(
    ("written", "run"),
    [
        ("jnp.median", lambda x: jnp.median(x)),
        ("jnp.linalg.norm", lambda x: jnp.linalg.norm(x)),
        ("jax.nn.softmax", lambda x: jax.nn.softmax(x)),
        ("x[...]", lambda x: x[1:]),
        ("x.at[...]", lambda x: x.at[0].set(1.0)),
    ],
)
def test_a_function_of_jax_is_named_as_it_is_written(written: str, run: Any) -> None:
    x = jnp.ones(3)
    jax.clear_caches()
    assert set(at_end("compile", lambda: run(x), lambda frame: called_below(frame))) == {written}


def called_below(frame: FrameType | None) -> str:
    """What the user called, looked for as jitviz does: from the innermost frame of JAX's."""
    while frame is not None and not jax_frames.is_jax_file(frame.f_code.co_filename):
        frame = frame.f_back
    return public_names.called_by_user(frame)


def test_a_program_that_no_function_is_below_has_the_name_of_the_public_function() -> None:
    assert [public_names.of_program(name) for name in ("negative", "convert_element_type", "_where", "mine")] == [
        "jnp.negative",
        "jax.lax.convert_element_type",
        "_where",
        "mine",
    ]


def test_the_code_of_a_public_function_has_its_name() -> None:
    assert [public_names.of_code(code) for code in (inspect.unwrap(jnp.atleast_2d).__code__, fresh.__code__)] == [
        "jnp.atleast_2d",
        "",
    ]


@pytest.mark.parametrize("wait", [jax.block_until_ready, str, lambda x: x.item()])
def test_a_thread_waits_for_an_array_below_one_of_a_few_frames(wait: Any) -> None:
    found = []
    x = jnp.ones(()) + 1
    sys.setprofile(lambda frame, event, _: found.append(jax_frames.is_wait(frame)))
    try:
        wait(x)
    finally:
        sys.setprofile(None)
    assert any(found)
    assert callable(getattr(x, jax_frames.WAIT_METHOD))


# -- programs ----------------------------------------------------------------------------------------------------------


def test_the_end_of_a_trace_holds_the_jaxpr() -> None:
    step = fresh()
    (jaxpr,) = at_end("trace", lambda: step.trace(np.ones(3)), frame_locals.traced_jaxpr)
    assert jax_frames.TRACE_FOR_JIT[0] == "_trace_for_jit"
    assert jaxprs.is_jaxpr(jaxpr)
    assert jaxprs.equation_count(jaxpr) == 0
    assert [str(aval) for aval in jaxprs.input_avals(jaxpr)] == ["float32[3]"]
    assert jaxprs.source_info_of(jaxpr) == jits.source_info_in(jits.jit_info(step))
    assert jaxprs.source_info_of(jaxpr).startswith("step at ")


def test_the_end_of_lowering_holds_the_module_and_what_it_dropped() -> None:
    step = jax.jit(lambda used, unused: used * 2)
    arguments = np.ones(3), np.ones(4)
    names = at_end("lower", lambda: step(*arguments), names_above)[0]
    assert {jax_frames.LOWERING, jax_frames.LOWER_SHARDING} <= set(names)
    jax.clear_caches()
    ((module, jaxpr),) = at_end("lower", lambda: step(*arguments), frame_locals.lowered)
    assert "func.func public @main" in str(module)
    assert jaxprs.is_jaxpr(jaxpr)
    jax.clear_caches()
    kept = frame_locals.KeptInputs((0,), total=2, constants=0)
    assert at_end("lower", lambda: step(*arguments), frame_locals.kept_inputs) == [kept]


def test_the_end_of_compiling_holds_the_executable() -> None:
    names: list[tuple[str, str]] = []

    def look(frame: FrameType) -> Any:
        names.extend(names_above(frame))
        return frame_locals.executable(frame)

    step = jax.jit(lambda x: x + 1.0)
    (executable,) = at_end("compile", lambda: step(np.ones(3)), look)
    assert jax_frames.COMPILATION in names
    assert executable.hlo_modules()[0].to_string().startswith("HloModule jit__lambda")
    assert executable.get_compiled_memory_stats().output_size_in_bytes == 12
    cost = executable.cost_analysis()
    assert (cost[0] if isinstance(cost, list) else cost)["flops"] == 3.0


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
        ("scan", {"init": ["init"], "xs": ["xs"]}, lambda body: jax.lax.scan(body, 0.0, np.ones(3, np.float32))),
        (
            "while_loop",
            {"init_val": ["init_val"]},
            lambda body: jax.lax.while_loop(lambda x: x < 2, lambda x: x + 1, 0),
        ),
        ("map", {"xs": ["xs"]}, lambda body: jax.lax.map(lambda x: x + 1, np.ones(3))),
    ],
)
def test_an_eager_loop_is_below_its_public_function(entry: str, operands: dict[str, list[str]], run: Any) -> None:
    jax.clear_caches()

    def look(frame: FrameType) -> Any:
        miss = jax_frames.find_frame(frame, jax_frames.CACHE_MISS)
        above = miss.f_back if miss is not None else None
        while above is not None and above.f_code.co_name == jax_frames.BOUNDARY:
            above = above.f_back
        if above is None or not jax_frames.is_frame(above, jax_frames.APPLY_PRIMITIVE):
            return None
        return frame_locals.loop_entry(above) if frame_locals.applies_program(above) else None

    def body(carry: Any, x: Any) -> Any:
        return carry + x, x

    found = [seen for seen in at_start("compile", lambda: run(body), look) if seen is not None]
    assert [seen[0] for seen in found] == [entry]
    named = dict(found[0][1])
    for name in operands:
        value = named[name]
        pairs = frame_locals.flat_tree_items(value) if frame_locals.is_flat_tree(value) else [("", value)]
        assert all(leaf is not None for _, leaf in pairs)
    assert jax_frames.CONTROL_FLOW == "_src/lax/control_flow/"


# -- jitted functions --------------------------------------------------------------------------------------------------


def test_a_jit_object_holds_its_function_and_its_options() -> None:
    step = fresh()
    assert type(step) is jits.PjitFunction
    assert jits.jitted_function(step) is step.__wrapped__
    assert jits.jit_info(step) is not jits.jit_info(fresh())
    assert list(jits.signature_in(jits.jit_info(step)).parameters) == ["x", "rest", "named"]  # type: ignore[union-attr]


def test_static_and_donated_parameters_are_completed_by_name_and_position() -> None:
    def step(a: Any, b: Any, c: Any) -> None: ...

    info = jits.jit_info(jax.jit(step, static_argnums=1, donate_argnames="c"))
    assert jits.marked(info) == jits.Marked((1,), ("b",), (2,), ("c",))
    assert jits.marked(jits.jit_info(jax.jit(step))) == jits.Marked()


def test_options_of_a_jit_that_are_part_of_a_key_are_told() -> None:
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    step = fresh(
        inline=True, keep_unused=True, out_shardings=sharding, compiler_options={"xla_cpu_enable_fast_math": True}
    )
    assert jits.jit_options(jits.jit_info(step)) == (
        ("inline", "True"),
        ("keep_unused", "True"),
        ("out_shardings", "SingleDeviceSharding()"),
        ("compiler_options", "{'xla_cpu_enable_fast_math': True}"),
    )
    assert jits.jit_options(jits.jit_info(fresh())) == ()
    assert jits.jit_options(jits.jit_info(fresh(static_argnums=0)))[0] == ("static_argnums", "(0,)")


@pytest.mark.parametrize("function", [jnp.linalg.norm, jnp.argsort, jnp.sin])
def test_what_jax_offers_jitted_is_known_as_its_own(function: Any) -> None:
    assert jits.is_own_jit(jits.jitted_function(function))


def test_what_jax_offers_as_a_ufunc_is_known_as_its_own() -> None:
    assert jits.is_own_jit(jits.jitted_function(jnp.negative._func))
    assert not jits.is_own_jit(fresh().__wrapped__)


@pytest.mark.parametrize(
    ("transform", "wrap"),
    [
        ("grad", jax.grad),
        ("grad", partial(jax.grad, has_aux=True)),
        ("value_and_grad", jax.value_and_grad),
        ("vmap", jax.vmap),
        ("", lambda fun: fun),
    ],
)
def test_a_transformed_function_tells_its_transformation(transform: str, wrap: Any) -> None:
    assert jits.transform_of(wrap(lambda x: x)) == transform


def test_a_closure_is_looked_up_by_name() -> None:
    held = object()

    def function() -> object:
        return held

    assert jits.cell_of(function, "held") is held
    assert jits.cell_of(function, "other") is None


# -- tracing and caches ------------------------------------------------------------------------------------------------


def test_staging_is_told_from_eager_transformations() -> None:
    seen: list[tuple[bool, bool]] = []

    def look(x: Any) -> Any:
        seen.append((tracing.is_staging(), tracing.is_tracer(x)))
        return x * 1.0

    look(1.0)
    jax.vmap(look)(np.ones(2))
    jax.grad(look)(1.0)
    jax.jit(look)(1.0)
    jax.jit(jax.vmap(jax.grad(look)))(np.ones(2))
    assert seen == [(False, False), (False, True), (False, True), (True, True), (True, True)]


@pytest.mark.parametrize(
    ("kind", "is_input"),
    [
        (float, True),
        (bool, True),
        (np.ndarray, True),
        (np.float32, True),
        (dict, False),
        (object, False),
        (list, False),
    ],
)
def test_what_jax_takes_for_an_array_is_known_by_type(kind: type, is_input: bool) -> None:
    assert tracing.is_input_type(kind) is is_input


def test_arrays_are_inputs() -> None:
    assert tracing.is_input_type(type(jnp.ones(1)))


def test_disabled_jit_is_known() -> None:
    assert not tracing.is_jit_disabled()
    with jax.disable_jit():
        assert tracing.is_jit_disabled()


def test_functions_with_filled_caches_are_known() -> None:
    step, other = fresh(), eqx.filter_jit(lambda x: x + 2)
    step(1.0)
    other(jnp.ones(1))
    filled = caches.functions_with_filled_caches()
    assert any(found is step.__wrapped__ for found in filled)
    assert any(found is other.__wrapped__ for found in filled)
    assert not any(found is fresh().__wrapped__ for found in filled)


def test_traces_are_counted() -> None:
    step = fresh()
    before = caches.traces_made()
    assert before is not None
    step(np.ones(2))
    step(np.ones(3))
    assert caches.trace_count(step) == 2
    made = caches.traces_made()
    step(np.ones(3))
    assert made is not None
    assert made - before >= 2
    assert caches.traces_made() == made


def test_clearing_of_caches_is_seen_once() -> None:
    probe = caches.ClearedProbe()
    step = fresh()
    step(1.0)
    assert probe.look() == ""
    jax.clear_caches()
    assert [probe.look(), probe.look()] == ["all", ""]
    step(1.0)
    step.clear_cache()
    assert [probe.look(), probe.look()] == ["function", ""]


CONTEXTS = {
    "enable_x64": lambda: jax.enable_x64(True),
    "debug_nans": lambda: jax.debug_nans(True),
    "checking_leaks": jax.checking_leaks,
    "default_matmul_precision": lambda: jax.default_matmul_precision("float32"),
    "mesh": lambda: jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((1,), ("data",))),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_look_from_inside_a_context_is_no_clearing(name: str) -> None:
    probe = caches.ClearedProbe()
    with CONTEXTS[name]():
        inside = [probe.look(), probe.look()]
    assert [*inside, probe.look()] == ["", "", ""]


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_clearing_is_seen_whatever_the_context_of_either_look(name: str) -> None:
    probe = caches.ClearedProbe()
    with CONTEXTS[name]():
        jax.clear_caches()
        inside = probe.look()
        fresh().clear_cache()
    assert (inside, probe.look()) == ("all", "function")


# -- the trace context -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("jax_enable_x64", lambda: jax.enable_x64(True)),
        ("jax_default_matmul_precision", lambda: jax.default_matmul_precision("float32")),
        ("jax_numpy_rank_promotion", lambda: jax.numpy_rank_promotion("raise")),
        ("jax_numpy_dtype_promotion", lambda: jax.numpy_dtype_promotion("strict")),
        ("jax_default_device", lambda: jax.default_device(jax.devices()[0])),
        ("jax_disable_jit", lambda: jax.disable_jit()),
        ("jax_threefry_partitionable", lambda: jax.threefry_partitionable(False)),
        ("mesh_context_manager", lambda: jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))),
    ],
)
@pytest.mark.filterwarnings("ignore:.with mesh:DeprecationWarning")
def test_a_setting_is_found_under_its_name(name: str, setting: Any) -> None:
    before = dict(contexts.trace_context())
    with setting():
        during = dict(contexts.trace_context())
    changed = [key for key in before if before[key] != during[key]]
    assert name in changed
    assert len(changed) <= 2  # a mesh has an abstract one beside it
    assert not any(key.startswith("trace_context[") for key in before)


def test_a_mesh_reads_as_axes_and_devices() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
    assert contexts.mesh_text(mesh) == "Mesh(data=1; auto) of cpu:0"
    assert contexts.mesh_text(mesh.abstract_mesh) == "AbstractMesh(data=1; auto)"
    assert contexts.mesh_text((mesh,)) == "Mesh(data=1; auto) of cpu:0"
    assert contexts.mesh_text(()) == contexts.mesh_text(None) == "none"


def test_named_axes_read_by_name_and_size() -> None:
    seen: list[str | None] = []

    def look(x: Any) -> Any:
        seen.extend(filter(None, (contexts.axis_env_text(*setting) for setting in contexts.trace_context())))
        return x

    look(1.0)
    jax.vmap(look, axis_name="batch")(np.ones(4))
    assert seen == ["none", "batch=4"]
    assert contexts.axis_env_text("jax_enable_x64", True) is None


# -- arrays ------------------------------------------------------------------------------------------------------------


def test_devices_of_a_sharding_are_in_its_order() -> None:
    assert arrays.devices_of(jnp.ones(1).sharding) == [jax.devices()[0]]
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
    abstract = jax.sharding.NamedSharding(mesh.abstract_mesh, jax.sharding.PartitionSpec())
    assert arrays.devices_of(abstract) == []


def test_a_layout_is_told_where_it_is_not_row_major() -> None:
    array = jnp.ones((2, 3))
    assert arrays.layout_of(array) == ""
    layout = Format(Layout(major_to_minor=(1, 0)), array.sharding)
    assert arrays.layout_of(jax.device_put(array, layout)) == "major_to_minor=(1, 0)"


def test_the_backend_in_use_is_named() -> None:
    jnp.ones(1)
    assert arrays.backend_name() == "cpu"


# -- jaxprs ------------------------------------------------------------------------------------------------------------


def test_jaxprs_of_the_same_equations_have_the_same_digest() -> None:
    def jaxpr(factor: float, size: int) -> Any:
        return jax.make_jaxpr(lambda x: x * np.full(size, factor, np.float32))(np.ones(size, np.float32))

    assert jaxprs.jaxpr_digest(jaxpr(1.0, 3)) == jaxprs.jaxpr_digest(jaxpr(2.0, 3))
    assert jaxprs.jaxpr_digest(jaxpr(1.0, 3)) != jaxprs.jaxpr_digest(jaxpr(1.0, 4))
    assert jaxprs.is_jaxpr(jaxpr(1.0, 3))
    assert not jaxprs.is_jaxpr("a jaxpr")


def test_equations_tell_what_they_are_and_what_they_call() -> None:
    jaxpr = jax.make_jaxpr(lambda x: jax.jit(jnp.sin)(x) * 2.0)(1.0)
    parts = jaxprs.jaxpr_parts(jaxpr)
    assert (len(parts.inputs), len(parts.constants), len(parts.outputs)) == (1, 0, 1)
    facts = [jaxprs.equation_facts(equation) for equation in parts.equations]
    assert [(fact.primitive, fact.label, len(fact.programs)) for fact in facts][-1] == ("mul", "", 0)
    assert any(fact.label == "sin" and fact.programs for fact in facts)
    assert jaxprs.aval_text(parts.inputs[0].aval) == "f32[]"
    assert jaxprs.literal_text(facts[-1].inputs[1]) == "2.0"


def test_a_literal_is_told_by_its_value_alone() -> None:
    values = (0, 2.5, True, 2 + 1j, float("inf"))
    jaxpr = jax.make_jaxpr(lambda: tuple(jnp.asarray(value) for value in values))()
    assert [jaxprs.literal_text(atom) for atom in jaxprs.jaxpr_parts(jaxpr).outputs] == [
        "0",
        "2.5",
        "True",
        "(2+1j)",
        "inf",
    ]


def test_an_equation_tells_how_often_its_programs_run_and_in_which_pass() -> None:
    def body(carry: Any, x: Any) -> Any:
        return carry * x, None

    jaxpr = jax.make_jaxpr(jax.grad(lambda x: jax.lax.scan(body, x, np.ones(7, np.float32))[0]))(1.0)
    facts = [jaxprs.equation_facts(equation) for equation in jaxprs.jaxpr_parts(jaxpr).equations]
    scans = [(fact.times, str(fact.stack)) for fact in facts if fact.primitive == "scan"]
    assert scans == [(7, "jvp()"), (7, "transpose(jvp())")]


def test_an_equation_keeps_the_frames_that_made_it() -> None:
    def double(x: Any) -> Any:
        return x * 2.0

    (equation,) = jaxprs.jaxpr_parts(jax.make_jaxpr(double)(1.0)).equations
    frames = jaxprs.raw_frames(jaxprs.equation_facts(equation).traceback)
    mine = [(code, offset) for code, offset in frames if code.co_filename == __file__]
    assert mine[-1][0] is double.__code__
    line = double.__code__.co_firstlineno + 1
    assert jaxprs.code_place(*mine[-1]) == (line, 15, line, 22)
    assert jaxprs.raw_frames(None) == []


def test_the_arrays_of_constants_are_those_that_were_closed_over() -> None:
    mine, table = jnp.arange(3.0), np.arange(4.0, dtype=np.float32)
    inner = jax.jit(lambda x: x + mine)
    jaxpr = jax.jit(lambda x: inner(x).sum() * table).trace(np.ones(3, np.float32)).jaxpr
    _, found = printing.copied(jaxpr)
    assert any(array is mine for array in found)
    assert any(np.shares_memory(array, table) for array in found if isinstance(array, np.ndarray))
    assert jaxprs.constant_values(jax.make_jaxpr(lambda x: x)(1.0)) == []


def test_the_text_of_a_jaxpr_tells_where_each_equation_begins() -> None:
    @jax.jit
    def inner(x: Any) -> Any:
        return jnp.sin(x) * 2.0

    jaxpr = jax.jit(lambda x: -inner(x)).trace(np.ones(3, np.float32)).jaxpr
    text, lines = printing.jaxpr_text(printing.copied(jaxpr)[0])
    assert text == jaxpr.pretty_print(use_color=False)
    begins = [lines[number] for number in (1, 2, 3, 4)]
    assert begins == [1, 4, 5, 8]
    assert [text.split("\n")[line].split(" = ")[1].split()[0] for line in begins] == ["jit[", "sin", "mul", "neg"]


def test_an_equation_that_is_not_copied_hides_no_other() -> None:
    def root(x: Any) -> Any:  # on jax 0.12 a primitive that holds its programs itself
        return jax.lax.custom_root(lambda y: y - x, x, lambda f, y: y - f(y), lambda g, z: z / g(jnp.ones_like(z)))

    jaxpr = jax.jit(lambda x: -root(jnp.sin(x))).trace(np.ones(3, np.float32)).jaxpr
    text, lines = printing.jaxpr_text(printing.copied(jaxpr)[0])
    assert text == jaxpr.pretty_print(use_color=False)
    copy, _ = printing.copied(jaxpr)
    sine, _, negation = (jaxprs.equation_facts(equation) for equation in jaxprs.jaxpr_parts(copy.jaxpr).equations)
    assert [text.split("\n")[lines[facts.traceback]].split(" = ")[1] for facts in (sine, negation)] == [
        "sin a",
        "neg c",
    ]


def test_a_module_prints_with_its_locations() -> None:
    module = jax.jit(lambda x: x * 2.0).lower(np.ones(3, np.float32)).compiler_ir()
    text = jaxprs.located_stablehlo(jaxprs.module_bytecode(module))
    assert "stablehlo.multiply" in text
    assert re.search(rf'#loc\d* = loc\("{re.escape(__file__)}":\d+:\d+ to :\d+\)', text)
    assert "loc(" not in str(module)


def test_the_optimised_module_costs_what_the_executable_does() -> None:
    executable = jax.jit(lambda x: x @ x).lower(np.ones((8, 8), np.float32)).compile().runtime_executable()
    told = executable.cost_analysis()
    assert jaxprs.hlo_cost(executable.client, executable.hlo_modules()[0]) == told
    assert told["flops"] > 500


def outputs_of(run: Any) -> Any:
    def look(frame: FrameType) -> Any:
        found = jax_frames.find_frame(frame, jax_frames.CACHE_MISS)
        return None if found is None else frame_locals.inferred(frame)

    return at_end("lower", run, look)[-1]


def test_outputs_have_the_paths_of_the_return_value() -> None:
    inferred = outputs_of(lambda: jax.jit(lambda x: {"loss": x, "aux": [x, x]})(np.ones(3, np.float32)))
    assert outputs.output_paths(inferred.jaxpr) == ["['aux'][0]", "['aux'][1]", "['loss']"]
    assert outputs.node_data(inferred.out_tree) == (dict, ["aux", "loss"])


def test_what_filter_jit_sealed_is_opened() -> None:
    step = jitviz.filter_jit(lambda x: (x, "relu", {"n": 3, "y": x}))
    inferred = outputs_of(lambda: step(jnp.ones(2)))
    assert outputs.sealed_output(inferred.out_tree) == (["[0]", "[2]['y']"], [("[1]", "relu"), ("[2]['n']", 3)])
    assert outputs.sealed_output(jax.tree.structure([1, 2])) is None


# -- Equinox and Flax --------------------------------------------------------------------------------------------------


def caller_at_trace(run: Any) -> FrameType:
    def look(frame: FrameType | None) -> FrameType | None:
        frame = jax_frames.find_frame(frame, jax_frames.CACHE_MISS)
        while frame is not None and jax_frames.is_jax_file(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    frames: list[FrameType] = at_start("trace", run, look)
    return frames[-1]


def test_equinox_calls_have_the_users_arguments_in_their_frame() -> None:
    step, x = eqx.filter_jit(lambda x, flag: x, donate="all-except-first"), jnp.ones(1)
    frame = caller_at_trace(lambda: step(x, flag="train"))
    assert equinox.is_module_frame(frame, equinox.EQUINOX_CALL)
    assert frame.f_code.co_filename.endswith(equinox.EQUINOX_FILE)
    call = equinox.read_equinox_call(frame)
    assert call is not None
    assert call.function is step.__wrapped__
    assert call.args[0] is x
    assert call.kwargs == {"flag": "train"}
    assert list(call.signature.parameters) == ["x", "flag"]
    assert (call.donate_first, call.donate_rest) == (False, True)
    assert equinox.equinox_call(step, call.args, call.kwargs) == call
    assert equinox.read_equinox_call(inspect.currentframe()) is None


def test_equinoxs_classes_are_where_they_were() -> None:
    step = eqx.filter_jit(lambda x: x)
    assert equinox.equinox_module() is eqx.Module
    assert equinox.equinox_jit_wrapper() is type(step)
    assert jax_nnx.is_equinox_jit(step)
    assert not jax_nnx.is_equinox_jit(jax.jit(lambda x: x))
    assert type(jax_nnx.jitted_attribute(step)) is jits.PjitFunction
    assert equinox.wrapped_by(step) is step.__wrapped__
    assert equinox.wrapped_by(lambda x: x) is None
    assert equinox.equinox_transform(eqx.filter_grad(lambda x: x)) == "grad"
    assert equinox.equinox_transform(eqx.filter_value_and_grad(lambda x: x)) == "value_and_grad"
    assert equinox.equinox_transform(step) == ""


def test_an_error_that_equinox_smuggled_out_is_known_by_its_text() -> None:
    check = jax.jit(lambda x: eqx.error_if(x, x > 0, "too big"))
    with pytest.raises(Exception, match="_EquinoxRuntimeError") as error:
        jax.block_until_ready(check(1.0))
    meant = equinox.runtime_error(error.value)
    assert type(meant) is eqx.EquinoxRuntimeError
    assert "equinox.EquinoxRuntimeError: too big" in str(meant)
    assert equinox.runtime_error(RuntimeError("another")) is None


def test_equinoxs_static_outputs_sit_in_the_output_tree() -> None:
    inferred = outputs_of(lambda: eqx.filter_jit(lambda x: (x, "static"))(jnp.ones(1)))
    assert (None, "static") in equinox.static_outputs(inferred.out_tree)


def test_nnx_calls_have_the_users_arguments_in_their_frame() -> None:
    def forward(model: Any, x: Any) -> Any:
        return x

    step, model = nnx.jit(forward), nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    frame = caller_at_trace(lambda: step(model, np.ones((1, 2))))
    assert equinox.is_module_frame(frame, jax_nnx.NNX_CALL)
    assert frame.f_code.co_filename.endswith(jax_nnx.NNX_FILE)
    call = jax_nnx.read_nnx_call(frame)
    assert call is not None
    assert call[0] is step
    assert call[1][0] is model
    jitted = jax_nnx.jitted_attribute(step)
    assert jax_nnx.inside_nnx(jits.jitted_function(jitted)) is forward
    assert jax_nnx.read_nnx_call(inspect.currentframe()) is None


def test_nnxs_gradients_tell_what_they_wrap() -> None:
    def loss(model: Any) -> Any:
        return 0.0

    gradient = equinox.wrapped_by(nnx.grad(loss))
    assert jax_nnx.nnx_grad(gradient) == ("grad", loss)
    assert jax_nnx.nnx_grad(equinox.wrapped_by(nnx.value_and_grad(loss))) == ("value_and_grad", loss)
    assert jax_nnx.nnx_grad(loss) is None
    assert gradient.__code__.co_filename.endswith(jax_nnx.NNX_GRAD_FILE)


def test_nnxs_live_objects_are_known() -> None:
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    kinds = jax_nnx.nnx_types()
    assert kinds is not None
    assert kinds[0] is nnx.Variable
    assert isinstance(model, kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(jax_nnx.nnx_raw_value(model.kernel), jax.Array)
    assert [name for name in vars(model) if not jax_nnx.is_nnx_own(model, name)][:2] == ["kernel", "bias"]
    assert {"kernel", "bias"} <= jax_nnx.nnx_data_names(vars(model))
    assert "use_bias" not in jax_nnx.nnx_data_names(vars(model))


def test_what_nnx_returns_is_named_as_the_user_does() -> None:
    outputs = [
        "[0][0].states[0][0]",
        "[0][0].states[0][1]",
        "[1]['ema'].states[0][0]",
        "[2]['loss']",
        "[2]['new'].states[0][0]",
    ]
    inputs = ["model.bias", "model.kernel", "ema.mean", "x"]
    assert jax_nnx.named_outputs(outputs, ["model", "x"], inputs) == [*inputs[:3], "out['loss']", "out['new']"]
    several = ["[2].states[0][0]", "[2].states[0][1]"]
    assert jax_nnx.named_outputs(several, [], []) == ["out[0]", "out[1]"]


def test_a_jaxpr_is_opened_to_its_equations_and_the_programs_inside() -> None:
    whole = jax.make_jaxpr(lambda x: jax.lax.scan(lambda carry, _: (carry + x, None), x, length=3))(1.0)
    assert isinstance(whole, jaxprs.JAXPR_TYPES)
    (scan,) = jaxprs.opened(whole).eqns
    ((name, inner),) = jaxprs.inner_programs(scan.params)
    assert name == "jaxpr"
    assert [equation.primitive.name for equation in jaxprs.opened(inner).eqns] == ["add"]


def test_a_file_that_is_left_out_is_not_the_users_line(tmp_path: Path) -> None:
    def line_of(name: str) -> str:
        (tmp_path / name).write_text("def double(x):\n    return 2 * x\n")
        found: dict[str, Any] = {}
        exec(compile((tmp_path / name).read_text(), tmp_path / name, "exec"), found)
        (equation,) = jax.make_jaxpr(lambda x: found["double"](x))(1.0).jaxpr.eqns
        return source_info_util.summarize(equation.source_info)

    stacks.leave_out(str(tmp_path / "ours.py"))
    assert "theirs.py:2" in line_of("theirs.py")
    assert "test_jaxcompat.py" in line_of("ours.py")


# -- the folder itself -------------------------------------------------------------------------------------------------


def test_every_name_of_the_folder_is_looked_at_here() -> None:
    folder = Path(jax_frames.__file__).parent
    source = "\n".join(path.read_text() for path in folder.glob("*.py") if path.name != "flops.py")
    names = set(re.findall(r"^def ([a-z]\w*)|^([A-Z]\w*)(?=:| =)", source, re.MULTILINE))
    names = {name for pair in names for name in pair if name} - {"In"}
    used = set(re.findall(r"\w\.(\w+)", Path(__file__).read_text()))
    assert names - used == set()


def test_an_iterator_is_known_for_a_leaf_without_flattening_it() -> None:
    assert [outputs.is_iterable_leaf(one) for one in (iter([1]), np.ones(3), [1], {"a": 1}, (1,), 1.0)] == [
        *(True, True),
        *(False, False, False, False),
    ]
