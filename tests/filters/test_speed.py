"""What a cached call costs beyond a `jax.jit` that is handed the arrays alone. Ratios within one run; never seconds.

`pytest --benchmark-enable tests/filters/test_speed.py` prints the times and the ratios of this machine.
"""

import time
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from jitviz.filters import filter_jit, hook, is_array, partition

from .samples import Linear

# A regression guard, far from the measured ratios (1.1 to 1.3): flattening twice or binding by signature shows.
LIMIT = 2.0
LAYERS = {6: 1, 20: 5, 132: 33}


def state(layers: int) -> tuple[Any, Any]:
    """Arguments of a training step: modules and two moments of them; `3 * layers + 2` leaves are arrays."""
    model = [Linear(jnp.ones(2), jax.nn.relu if layer == 0 else None) for layer in range(layers)]
    moments = [{"mu": jnp.ones(2), "nu": jnp.ones(2), "count": jnp.zeros(()), "decay": None} for _ in range(layers)]
    return (model, moments), jnp.ones(2)


def step(state: Any, x: Any) -> Any:
    return state[0][0].weight + x


def ratio(call: Callable[[], Any], floor: Callable[[], Any]) -> float:
    """How many times `floor` a call takes: the best of many short, alternating rounds, so that load hits both."""
    best = [float("inf"), float("inf")]
    for _ in range(20):
        for place, timed in enumerate((call, floor)):
            started = time.perf_counter()
            for _ in range(100):
                timed()
            best[place] = min(best[place], time.perf_counter() - started)
    return best[0] / best[1]


class Watcher:
    """The least that a watcher does."""

    def started(self, call: hook.FilterCall) -> object:
        return call.program

    def finished(self, token: object, error: BaseException | None) -> None:
        return None


@pytest.mark.parametrize("leaves", LAYERS)
def test_a_cached_call_costs_little_more_than_one_that_is_already_partitioned(leaves: int, benchmark: Any) -> None:
    arguments = state(LAYERS[leaves])
    arrays, _ = partition(arguments, is_array)
    floor, jitted, equinox = jax.jit(step), filter_jit(step), eqx.filter_jit(step)
    benchmark.extra_info["of the floor"] = measured = ratio(lambda: jitted(*arguments), lambda: floor(*arrays))
    benchmark.extra_info["of equinox"] = ratio(lambda: jitted(*arguments), lambda: equinox(*arguments))
    benchmark(jitted, *arguments)
    assert measured < LIMIT
    assert benchmark.extra_info["of equinox"] < 1


@pytest.mark.parametrize("leaves", LAYERS)
def test_returning_the_model_costs_little_more_as_well(leaves: int, benchmark: Any) -> None:
    arguments = state(LAYERS[leaves])
    arrays, _ = partition(arguments, is_array)
    floor, jitted = jax.jit(lambda state, x: (state, x)), filter_jit(lambda state, x: (state, x))
    benchmark.extra_info["of the floor"] = measured = ratio(lambda: jitted(*arguments), lambda: floor(*arrays))
    benchmark(jitted, *arguments)
    assert measured < LIMIT


def test_keywords_and_defaults_cost_little_more(benchmark: Any) -> None:
    arguments = state(LAYERS[20])
    arrays, _ = partition(arguments, is_array)
    floor, jitted = jax.jit(step), filter_jit(lambda state, x, *, scale=2.0: step(state, x))
    call = lambda: jitted(arguments[0], x=arguments[1])  # noqa: E731
    benchmark.extra_info["of the floor"] = measured = ratio(call, lambda: floor(*arrays))
    benchmark(call)
    assert measured < LIMIT


def test_being_watched_costs_next_to_nothing(benchmark: Any) -> None:
    arguments = state(LAYERS[20])
    jitted = filter_jit(step)

    def watched() -> Any:
        hook.observer = watcher
        result = jitted(*arguments)
        hook.observer = None
        return result

    watcher = Watcher()
    benchmark.extra_info["of an unwatched call"] = measured = ratio(watched, lambda: jitted(*arguments))
    benchmark(watched)
    assert measured < LIMIT
