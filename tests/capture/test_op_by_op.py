"""Programs outside any jit are listed at the user's line; programs of a jitted function are not."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.findings.op_by_op import gather
from jitviz.model.counting import has_compiled

from ..jaxcompat.watching import listening
from .samples import SEES_HITS, outcomes

COMPILED = "/jax/core/compile/backend_compile_duration"
REWARDS = np.arange(40.0, dtype=np.float32)


@pytest.fixture(autouse=True)
def nothing_is_in_the_cache() -> None:
    jax.clear_caches()


def told(rec: Any) -> list[str]:
    return [line.summary for line in gather(rec.op_by_op)]


def test_a_program_is_listed_by_public_name_at_the_users_line_with_its_inputs() -> None:
    with jitviz.record() as rec:
        jnp.median(REWARDS[:7])
    (row,) = (row for row in rec.op_by_op if row.name == "jnp.median")
    assert (row.inputs, row.line) == (("f32[7]",), "jnp.median(REWARDS[:7])")
    assert row.source.startswith("tests/capture/test_op_by_op.py:")
    assert row.stack[0] == row.source
    assert (row.thread, row.origin) == ("MainThread", "compiled")
    assert min(row.trace_s, row.lower_s, row.compile_s) > 0
    assert row.duration_s <= row.span_s


def test_programs_of_one_line_are_one_row_that_says_how_they_differ() -> None:
    with jitviz.record() as rec:
        for length in (3, 4, 5):
            rewards = REWARDS[:length]
            jnp.median(rewards)
    (row,) = (line for line in gather(rec.op_by_op) if line.name == "jnp.median")
    assert row.summary == f"`jnp.median` at {row.source} compiled 3 times, once per length of `rewards`"
    assert row.is_repeated


@pytest.mark.parametrize(
    ("run", "names"),
    [
        (lambda x: x[1:3], {"x[...]"}),
        (lambda x: x.sum(), {"jnp.sum"}),
        (lambda x: -x, {"jnp.negative"}),
        (lambda x: x.at[1].set(0.0), {"x.at[...]"}),
        (lambda x: jax.random.normal(jax.random.key(0), (3,)), {"jax.random.key", "jax.random.normal"}),
        (lambda x: jax.nn.initializers.glorot_normal()(jax.random.key(0), (2, 3)), {"jax.nn.initializers"}),
        (lambda x: jax.nn.softmax(x), {"jax.nn.softmax"}),
    ],
)
def test_names_are_those_that_users_write(run: Callable[[Any], Any], names: set[str]) -> None:
    x = jnp.asarray(REWARDS)
    with jitviz.record() as rec:
        run(x)
    assert names <= {row.name for row in rec.op_by_op}
    assert list(rec.compiles) == []


def grad_of_a_jitted_function() -> None:
    jax.grad(jax.jit(lambda x: jnp.tanh(x).sum()))(jnp.ones(3))


def constants_made_while_tracing() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        with jax.ensure_compile_time_eval():
            total = jnp.sum(jnp.asarray(REWARDS))
        return x + total

    step(1.0)


def ahead_of_time() -> None:
    jax.jit(lambda x: x * 2).lower(jnp.ones(3)).compile()


def eager_loop() -> None:
    jax.lax.fori_loop(0, 3, lambda i, x: x + i, jnp.zeros(()))


def a_filter_jitted_gradient() -> None:
    jitviz.filter_jit(jitviz.filter_grad(lambda x: (x**2).sum()))(jnp.ones(3))


def what_fails() -> None:
    with pytest.raises(TypeError):
        jnp.median("no array")


def threads() -> None:
    thread = threading.Thread(target=lambda: jnp.cumsum(jnp.ones(5)))
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "program",
    [
        grad_of_a_jitted_function,
        constants_made_while_tracing,
        ahead_of_time,
        eager_loop,
        a_filter_jitted_gradient,
        what_fails,
        threads,
        lambda: jnp.linalg.norm(jax.vmap(jnp.sin)(jnp.ones(4))),
    ],
)
def test_every_compile_that_jax_reports_is_shown(program: Callable[[], None]) -> None:
    compiled: list[str] = []

    def note(event: str, start_s: float, end_s: float, **about: Any) -> None:
        if event == COMPILED:
            compiled.append(str(about.get("fun_name")))

    with listening(note, "event_time_span"), jitviz.record() as rec:
        program()
    assert len(compiled) > 0 or program is what_fails
    assert sum(map(has_compiled, rec.compiles)) + len(rec.op_by_op) == len(compiled)
    assert rec.facts.failures == []


def test_a_program_is_listed_with_its_thread() -> None:
    with jitviz.record() as rec:
        thread = threading.Thread(target=lambda: jnp.cumsum(jnp.ones(5)), name="loader")
        thread.start()
        thread.join()
    assert {row.thread for row in rec.op_by_op} == {"loader"}


def test_a_saved_recording_lists_the_same_programs(tmp_path: Path) -> None:
    with jitviz.record() as rec:
        jnp.median(REWARDS)
    assert jitviz.load(rec.save(tmp_path / "rec.jsonl")).op_by_op == rec.op_by_op


def test_a_recording_with_programs_does_not_claim_that_nothing_compiled() -> None:
    step = jax.jit(lambda x: x + 1)
    step(REWARDS)
    with jitviz.record() as rec:
        step(REWARDS)
        jnp.median(REWARDS)
    assert "outside any jit" in " ".join(str(rec).partition("\n\n")[0].split())  # wherever the line breaks
    assert "Nothing was compiled" not in jitviz.explain(rec)


def test_a_guard_can_forbid_a_program_and_names_its_line() -> None:
    x = jnp.asarray(REWARDS)
    jnp.median(x)
    with jitviz.no_recompiles(op_by_op=True):
        jnp.median(x)
        with pytest.raises(
            jitviz.RecompileError, match=r"(?s)`jnp.cumsum` at .*test_op_by_op.py:\d+ compiles for f32\[40\]"
        ):
            jnp.cumsum(x)


def test_a_guard_without_op_by_op_allows_a_program() -> None:
    with jitviz.no_recompiles():
        jnp.cumprod(REWARDS)


def test_a_program_inside_the_trace_of_a_first_version_is_allowed() -> None:
    with jitviz.no_recompiles(op_by_op=True):
        constants_made_while_tracing()


def test_a_guard_can_warn_of_a_program() -> None:
    x = jnp.asarray(REWARDS)
    with pytest.warns(UserWarning, match="jnp.cumsum"), jitviz.no_recompiles("warn", op_by_op=True):
        jnp.cumsum(x)


def test_a_function_of_jax_that_the_user_jitted_is_listed() -> None:
    with jitviz.record() as rec:
        jax.jit(jnp.sin)(1.0)
        jax.jit(jax.nn.relu)(1.0)
        jax.jit(jnp.linalg.norm)(np.ones(3))
    assert outcomes(rec) == [("sin", "compile"), ("relu", "compile"), ("norm", "compile")]


def test_functions_of_jax_inside_a_trace_are_no_calls() -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: jnp.linalg.norm(jnp.sort(x)))(np.ones(5))
    assert outcomes(rec) == [("<lambda>", "compile")]
    assert list(rec.op_by_op) == []


def test_a_function_of_jax_that_the_user_jitted_is_inlined_by_name() -> None:
    relu = jax.jit(jax.nn.relu)
    with jitviz.record() as rec:
        jax.jit(lambda x: relu(x))(np.ones(5))
    assert outcomes(rec) == [("<lambda>", "compile"), *([("relu", "inlined")] if SEES_HITS else [])]


def test_nothing_is_listed_while_capture_is_off() -> None:
    capture.unwatch()
    jnp.cumsum(REWARDS)
    with jitviz.record() as rec:
        pass
    assert list(rec.op_by_op) == []
