"""What a cached call costs beyond a `jax.jit` that is handed the arrays alone, in calls of functions."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from jitviz.filters import filter_jit, hook, is_array, partition
from tests.counted import calls_of

from .samples import Linear

MORE = 10  # is 3 to 6, however many leaves there are; flattening twice or binding by signature shows
LAYERS = {6: 1, 20: 5, 132: 33}


def state(layers: int) -> tuple[Any, Any]:
    """Arguments of a training step: modules and two moments of them; `3 * layers + 2` leaves are arrays."""
    model = [Linear(jnp.ones(2), jax.nn.relu if layer == 0 else None) for layer in range(layers)]
    moments = [{"mu": jnp.ones(2), "nu": jnp.ones(2), "count": jnp.zeros(()), "decay": None} for _ in range(layers)]
    return (model, moments), jnp.ones(2)


def step(state: Any, x: Any) -> Any:
    return state[0][0].weight + x


def both(state: Any, x: Any) -> Any:
    return state, x


def cached(call: Callable[[], Any]) -> int:
    """The calls of functions that are left when it has been called before."""
    call(), call()
    return calls_of(call)


@pytest.mark.parametrize("function", [step, both])
@pytest.mark.parametrize("leaves", LAYERS)
def test_a_cached_call_costs_little_more_than_one_that_is_already_partitioned(leaves: int, function: Any) -> None:
    arguments = state(LAYERS[leaves])
    arrays, _ = partition(arguments, is_array)
    floor, jitted, equinox = jax.jit(function), filter_jit(function), eqx.filter_jit(function)
    measured = cached(lambda: jitted(*arguments))
    assert measured <= cached(lambda: floor(*arrays)) + MORE
    assert measured < cached(lambda: equinox(*arguments))


def test_keywords_and_defaults_cost_little_more() -> None:
    arguments = state(LAYERS[20])
    arrays, _ = partition(arguments, is_array)
    floor, jitted = jax.jit(step), filter_jit(lambda state, x, *, scale=2.0: step(state, x))
    assert cached(lambda: jitted(arguments[0], x=arguments[1])) <= cached(lambda: floor(*arrays)) + MORE


class Watcher:
    """The least that a watcher does."""

    def started(self, call: hook.FilterCall) -> object:
        return call.program

    def finished(self, token: object, error: BaseException | None) -> None:
        return None


def test_being_watched_costs_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = state(LAYERS[20])
    jitted = filter_jit(step)
    unwatched = cached(lambda: jitted(*arguments))
    monkeypatch.setattr(hook, "observer", Watcher())
    assert unwatched < cached(lambda: jitted(*arguments)) <= unwatched + MORE
