"""Limits on traces, on every side of every jit, and blocks in which nothing compiles again."""

from collections.abc import Callable
from typing import Any

import chex
import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz import capture
from jitviz.guards import RecompileError, RecompileWarning

Decorator = Callable[[Any], Any]


def once(fun: Any) -> Any:
    return jitviz.assert_max_traces(fun, max_traces=1)


def chexed(fun: Any) -> Any:
    return chex.assert_max_traces(fun, n=9)


def equinoxed(fun: Any) -> Any:
    return eqx.debug.assert_max_traces(fun, max_traces=9)


ORDERS: dict[str, tuple[Decorator, ...]] = {
    "outside of jax.jit": (jax.jit, once),
    "inside of jax.jit": (once, jax.jit),
    "outside of filter_jit": (jitviz.filter_jit, once),
    "inside of filter_jit": (once, jitviz.filter_jit),
    "outside of equinox.filter_jit": (eqx.filter_jit, once),
    "inside of equinox.filter_jit": (once, eqx.filter_jit),
    "round Chex's": (chexed, once, jax.jit),
    "inside of Chex's": (once, chexed, jax.jit),
    "outside of a jit of Chex's": (chexed, jax.jit, once),
    "round Equinox's": (jax.jit, equinoxed, once),
    "inside of Equinox's": (once, equinoxed, eqx.filter_jit),
    "outside of a jit, inside of Equinox's": (eqx.filter_jit, once, equinoxed),
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_trace_that_is_one_too_many_raises_and_names_the_leaf(order: str) -> None:
    def double(x: Any) -> Any:
        return x * 2

    step: Any = double
    for decorator in ORDERS[order]:
        step = decorator(step)
    step(jnp.ones(2))
    step(jnp.ones(2))
    with pytest.raises(RecompileError) as raised:
        step(jnp.ones(3))
    message = str(raised.value)
    assert "is traced for the 2nd time; allowed is once." in message
    assert "`x` changed its shape from `f32[2]` to `f32[3]`." in message
    assert raised.value.reasons[0].kind == "shape"


def test_traces_are_counted_and_not_calls() -> None:
    step = jitviz.assert_max_traces(jax.jit(lambda x: x + 1), max_traces=2)
    for size in (1, 1, 2, 2, 1):
        step(jnp.ones(size))
    assert jitviz.num_traces(step) == 2


def test_traces_of_a_plain_function_cannot_be_counted() -> None:
    with pytest.raises(TypeError, match="num_traces takes a jitted function"):
        jitviz.num_traces(lambda x: x)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="max_traces must be 0 or more, not -1"):
        jitviz.assert_max_traces(lambda x: x, max_traces=-1)


def test_a_first_compile_is_allowed_and_a_second_raises() -> None:
    step = jax.jit(lambda x: x - 1)
    with jitviz.no_recompiles():
        step(jnp.ones(2))
        step(jnp.ones(2))
        with pytest.raises(RecompileError, match="compiles again inside no_recompiles"):
            step(jnp.ones(3))
    assert step(jnp.ones(3)).tolist() == [0, 0, 0]  # JAX works on


def test_warnings_let_the_program_go_on() -> None:
    capture.watch()
    step = jax.jit(lambda x: x - 2)
    step(jnp.ones(2))

    @jitviz.no_recompiles(action="warn")
    def train() -> Any:
        return step(jnp.ones(3))

    with pytest.warns(RecompileWarning, match=r"changed its shape from `f32\[2\]` to `f32\[3\]`"):
        assert train().tolist() == [-1, -1, -1]


def test_closures_from_a_factory_may_compile_once_each_block() -> None:
    def made() -> Any:
        def step(x: Any) -> Any:
            return x * 3

        return jax.jit(step)

    made()(jnp.ones(2))
    with jitviz.no_recompiles():
        made()(jnp.ones(2))
    with jitviz.no_recompiles():
        made()(jnp.ones(2))
        with pytest.raises(RecompileError, match="new object of the same code"):
            made()(jnp.ones(2))
