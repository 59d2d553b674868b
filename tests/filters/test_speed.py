"""The cost of a cached call, in function calls, beyond that of a `jax.jit` that takes the arrays alone."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from jitviz.filters import filter_jit, hook, is_array, partition
from tests.counted import calls_of

from .samples import Linear

MORE = 10  # it is 3 to 6, whatever the number of leaves; flattening twice or binding by signature would exceed it


def state(layers: int) -> tuple[Any, Any]:
    """Arguments of a training step: modules and their two moments, with `4 * layers + 1` arrays."""
    model = [Linear(jnp.ones(2), jax.nn.relu if layer == 0 else None) for layer in range(layers)]
    moments = [{"mu": jnp.ones(2), "nu": jnp.ones(2), "count": jnp.zeros(()), "decay": None} for _ in range(layers)]
    return (model, moments), jnp.ones(2)


def step(state: Any, x: Any) -> Any:
    return state[0][0].weight + x


def both(state: Any, x: Any) -> Any:
    return state, x


def cached(call: Callable[[], Any]) -> int:
    """The number of function calls in a call, once it has been made before."""
    call(), call()
    return calls_of(call)


@pytest.mark.parametrize("function", [step, both])
@pytest.mark.parametrize("layers", [1, 5, 33])
def test_a_cached_call_costs_little_more_than_one_with_partitioned_arguments(layers: int, function: Any) -> None:
    arguments = state(layers)
    arrays, _ = partition(arguments, is_array)
    floor, jitted, equinox = jax.jit(function), filter_jit(function), eqx.filter_jit(function)
    measured = cached(lambda: jitted(*arguments))
    assert measured <= cached(lambda: floor(*arrays)) + MORE
    assert measured < cached(lambda: equinox(*arguments))


def test_keywords_and_defaults_cost_little_more() -> None:
    arguments = state(5)
    arrays, _ = partition(arguments, is_array)
    floor, jitted = jax.jit(step), filter_jit(lambda state, x, *, scale=2.0: step(state, x))
    assert cached(lambda: jitted(arguments[0], x=arguments[1])) <= cached(lambda: floor(*arrays)) + MORE


class Watcher:
    """An observer that does as little as possible."""

    def started(self, wrapper: object, program: object, leaves: object) -> object:
        return program

    def finished(self, token: object, error: BaseException | None) -> None:
        return None


def test_an_observer_costs_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = state(5)
    jitted = filter_jit(step)
    unwatched = cached(lambda: jitted(*arguments))
    monkeypatch.setattr(hook, "observer", Watcher())
    assert unwatched < cached(lambda: jitted(*arguments)) <= unwatched + MORE
