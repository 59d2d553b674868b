"""What JAX compiles for itself is counted and folded away; what the user asked for is listed."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jitviz

from .samples import SEES_HITS, outcomes


def test_functions_of_jax_are_counted_and_not_listed() -> None:
    jax.clear_caches()
    x = np.arange(7.0, dtype=np.float32)
    with jitviz.record() as rec:
        y = jnp.sin(x) + 1.0
        y[1:3].sum()
        -y  # noqa: B018
        jax.random.normal(jax.random.key(3), (3,))
        jnp.linalg.norm(y)
        jax.nn.softmax(y)
        jnp.einsum("i,i", y, y)
    assert list(rec.calls) == []
    assert list(rec.compiles) == []
    names = [name for name, _, _ in rec.facts.internals]
    assert {"sin", "_normal", "norm", "_reduce_sum"} <= set(names)
    seconds = [seconds for _, _, seconds in rec.facts.internals]
    assert seconds == sorted(seconds, reverse=True)
    assert all(count >= 1 and spent > 0 for _, count, spent in rec.facts.internals)


def test_a_function_of_jax_that_the_user_jitted_is_listed() -> None:
    with jitviz.record() as rec:
        jax.jit(jnp.sin)(1.0)
        jax.jit(jax.nn.relu)(1.0)
        jax.jit(jnp.linalg.norm)(np.ones(3))
    assert outcomes(rec) == [("sin", "compile"), ("relu", "compile"), ("norm", "compile")]


def test_eager_work_inside_a_trace_is_part_of_it() -> None:
    table = np.arange(11.0)

    @jax.jit
    def step(x: Any) -> Any:
        with jax.ensure_compile_time_eval():
            total = jnp.sum(jnp.asarray(table))
        return x + total

    with jitviz.record() as rec:
        step(1.0)
    assert [compile_.function for compile_ in rec.compiles] == ["step"]
    assert rec.facts.failures == []


def test_functions_of_jax_inside_a_trace_are_no_calls() -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: jnp.linalg.norm(jnp.sort(x)))(np.ones(5))
    assert outcomes(rec) == [("<lambda>", "compile")]


def test_a_function_of_jax_that_the_user_jitted_is_inlined_by_name() -> None:
    relu = jax.jit(jax.nn.relu)
    with jitviz.record() as rec:
        jax.jit(lambda x: relu(x))(np.ones(5))
    assert outcomes(rec) == [("<lambda>", "compile"), *([("relu", "inlined")] if SEES_HITS else [])]
