import gc
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import jax
import jax._src.traceback_util as traceback_util
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend import source_info_util

from jitviz.jaxcompat import frame_locals, jax_frames, jaxprs
from jitviz.model import PhaseName

from .watching import at_start, fresh, names_above


def test_the_function_that_a_transformation_returns_counts_as_one() -> None:
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


@pytest.mark.parametrize(
    ("phase", "name"),
    [("trace", jax_frames.TRACE_FOR_JIT), ("lower", jax_frames.LOWERING), ("compile", jax_frames.COMPILATION)],
)
def test_the_work_of_a_phase_is_in_the_frame_above_the_timer(phase: Any, name: tuple[str, str]) -> None:
    def look(frame: FrameType) -> tuple[bool, tuple[str, str]]:
        return jax_frames.TIMER_ENTER in names_above(frame), names_above(jax_frames.timed_frame(frame))[0]

    assert at_start(phase, lambda: fresh()(np.ones(3)), look) == [(True, name)]


def test_the_flat_arguments_are_in_a_frame_inside_and_outside_of_the_trace() -> None:
    x = np.ones(3)

    def look(frame: FrameType) -> list[Any]:
        flattening = jax_frames.find_frame(frame, jax_frames.FLATTENED)
        found = jax_frames.find_frame(frame, jax_frames.CALLING) if flattening is None else flattening
        assert found is not None
        return [value for name, value in found.f_locals.items() if name in ("args_ft", "explicit_args", "args_flat")]

    for phase in ("trace", "lower"):
        (found,) = at_start(phase, lambda: fresh()(x), look)
        assert len(found) == 1


def compiled_ahead() -> None:
    fresh().lower(np.ones(3)).compile()


@pytest.mark.parametrize(
    ("name", "run", "phases"),
    [
        (jax_frames.CACHE_MISS, lambda: fresh()(np.ones(3)), ["trace", "lower", "compile"]),
        (jax_frames.CALL_IMPL, lambda: fresh()(np.ones(3)), ["lower", "compile"]),
        (jax_frames.JIT_LOWER, compiled_ahead, ["trace", "lower"]),
        (jax_frames.STAGES_LOWER, compiled_ahead, ["lower"]),
        (jax_frames.STAGES_COMPILE, compiled_ahead, ["compile"]),
    ],
)
def test_the_phases_of_a_call_and_of_work_ahead_of_time_are_below_their_frames(
    name: tuple[str, str], run: Any, phases: list[PhaseName]
) -> None:
    seen: dict[PhaseName, list[bool]] = {}
    for phase in ("trace", "lower", "compile"):
        jax.clear_caches()
        seen[phase] = at_start(phase, run, lambda frame: name in names_above(frame))
    assert seen == {phase: [phase in phases] for phase in seen}


def test_cache_miss_is_one_frame_through_all_phases() -> None:
    step = fresh()
    addresses: list[int] = []

    def look(frame: FrameType) -> None:
        addresses.extend(jax_frames.frames_of_misses(frame))

    def run() -> None:
        at_start("lower", lambda: at_start("compile", lambda: step(np.ones(3)), look), look)

    at_start("trace", run, look)
    assert len(addresses) == 3
    assert len(set(addresses)) == 1


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


@pytest.mark.parametrize("wait", [jax.block_until_ready, str, lambda x: x.item()])
def test_a_thread_waits_for_an_array_in_a_known_frame(wait: Any) -> None:
    found = []
    x = jnp.ones(()) + 1
    sys.setprofile(lambda frame, event, _: found.append(jax_frames.is_wait(frame)))
    try:
        wait(x)
    finally:
        sys.setprofile(None)
    assert any(found)
    assert callable(getattr(x, jax_frames.WAIT_METHOD))


def test_a_program_compiled_ahead_of_time_runs_in_a_known_frame() -> None:
    found = []
    run = jax.jit(lambda x: x + 1).lower(1.0).compile()
    sys.setprofile(lambda frame, event, _: found.append((frame.f_code.co_name, jax_frames.is_call_of_stage(frame))))
    try:
        run(1.0)
    finally:
        sys.setprofile(None)
    assert ("__call__", True) in found
    assert not any(is_operation for name, is_operation in found if name != "__call__")


def test_control_flow_has_a_folder_of_its_own() -> None:
    def look(frame: FrameType) -> list[str]:
        found, above = [], frame.f_back
        while above is not None:
            if jax_frames.is_control_flow(above):
                found.append(above.f_code.co_name)
            above = above.f_back
        return found

    (loops,) = at_start("compile", lambda: jax.lax.map(lambda x: x * 3, np.ones(2)), look)
    assert loops[-1] == "map"


def test_an_operation_never_gets_a_line_of_a_file_that_is_left_out(tmp_path: Path) -> None:
    def line_of(name: str) -> str:
        (tmp_path / name).write_text("def double(x):\n    return 2 * x\n")
        found: dict[str, Any] = {}
        exec(compile((tmp_path / name).read_text(), tmp_path / name, "exec"), found)
        (equation,) = jax.make_jaxpr(lambda x: found["double"](x))(1.0).jaxpr.eqns
        return source_info_util.summarize(equation.source_info)

    jax_frames.leave_out(str(tmp_path / "ours.py"))
    assert "theirs.py:2" in line_of("theirs.py")
    assert "test_jax_frames.py" in line_of("ours.py")
    shown = [name for name in ("theirs.py", "ours.py") if traceback_util.include_filename(str(tmp_path / name))]
    assert shown == ["theirs.py"]


def test_the_frames_of_jax_end_at_the_line_of_the_user() -> None:
    seen: list[list[str]] = []

    def look(x: Any) -> Any:
        frame = sys._getframe().f_back
        seen.append([above.f_code.co_name for above in jax_frames.frames_of_jax(frame)])
        assert list(jax_frames.frames_of_jax(sys._getframe())) == []
        return x

    jax.jit(look)(1.0)
    assert jax_frames.CACHE_MISS[0] in seen[0]
    assert "test_the_frames_of_jax_end_at_the_line_of_the_user" not in seen[0]


def _stack_in(run: Callable[[Callable[..., Any]], Any]) -> list[FrameType]:
    """The frames above a function that `run` has JAX call, the innermost first."""
    seen: list[FrameType] = []

    def look(*args: Any) -> Any:
        seen[:] = jax_frames.stack(sys._getframe(1))
        return args[0]

    run(look)
    return seen


def test_a_gradient_is_taken_by_the_frame_of_grad() -> None:
    taken = _stack_in(lambda look: jax.grad(lambda x: look(x) * 1.0)(1.0))
    assert any(map(jax_frames.takes_grad, taken))
    assert not any(map(jax_frames.takes_grad, _stack_in(lambda look: jax.vmap(look)(jnp.ones(2)))))


def test_an_operation_computes_and_a_walk_through_a_tree_does_not() -> None:
    walked = _stack_in(lambda look: jax.tree.map(look, [1]))
    computed = _stack_in(lambda look: jnp.vectorize(look)(jnp.ones(2)))
    assert not any(map(jax_frames.is_operation, walked))
    assert any(map(jax_frames.is_operation, computed))


@pytest.mark.parametrize("compute", [lambda x: x + 1.0, lambda x: 2.0 * x, lambda x: sum([x, x])])
def test_an_operator_is_a_method_of_jax(compute: Any) -> None:
    equation = jax.make_jaxpr(compute)(1.0).eqns[-1]
    codes = [code for code, _ in jaxprs.raw_frames(equation.source_info.traceback)]
    operator = [jax_frames.is_operator(code) for code in codes].index(True)
    assert codes[operator - 1] is compute.__code__  # the first inside the lambda


def test_a_running_program_calls_through_the_frames_of_callbacks() -> None:
    one = jnp.ones(2)
    called = _stack_in(lambda look: jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(look, x, x))(one)))
    assert any(map(jax_frames.is_callback, called))
    assert not any(map(jax_frames.is_callback, _stack_in(lambda look: look(one))))


def test_the_body_of_an_eager_loop_is_traced_by_a_frame_of_its_own() -> None:
    traced = _stack_in(lambda look: jax.lax.scan(lambda c, x: (look(c), x), 0.0, np.ones(2)))
    assert any(map(jax_frames.is_trace, traced))
    assert not any(map(jax_frames.is_trace, _stack_in(lambda look: jax.vmap(look)(np.ones(2)))))


def test_jax_is_called_when_garbage_was_collected() -> None:
    found = [function.__code__ for function in gc.callbacks if inspect.isfunction(function)]
    assert jax_frames.COLLECTED in {(code.co_name, code.co_filename) for code in found}
