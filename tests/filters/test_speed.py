"""The cost of a cached call, in function calls."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from jitviz.filters import filter_jit, hook
from tests.counted import calls_of

from .samples import Linear

MORE = 10  # function calls; an observer that flattens the arguments again would exceed it


def state(layers: int) -> tuple[Any, Any]:
    """Arguments of a training step: modules and their two moments, with `4 * layers + 1` arrays."""
    model = [Linear(jnp.ones(2), jax.nn.relu if layer == 0 else None) for layer in range(layers)]
    moments = [{"mu": jnp.ones(2), "nu": jnp.ones(2), "count": jnp.zeros(()), "decay": None} for _ in range(layers)]
    return (model, moments), jnp.ones(2)


def step(state: Any, x: Any) -> Any:
    return state[0][0].weight + x


def both(state: Any, x: Any, **more: Any) -> Any:
    return state, x


def cached(call: Callable[[], Any]) -> int:
    """The number of function calls in a call, once it has been made before."""
    call(), call()
    return calls_of(call)


def with_scale(state: Any, x: Any, *, scale: float = 2.0) -> Any:
    return step(state, x)


@pytest.mark.parametrize("keywords", [{}, {"scale": 3.0}], ids=["defaults", "keywords"])
@pytest.mark.parametrize("function", [with_scale, both])
@pytest.mark.parametrize("layers", [1, 5, 33])
def test_a_cached_call_costs_less_than_that_of_equinox(
    layers: int, function: Callable[..., Any], keywords: dict[str, Any]
) -> None:
    arguments = state(layers)
    ours, theirs = filter_jit(function), eqx.filter_jit(function)
    assert cached(lambda: ours(*arguments, **keywords)) < cached(lambda: theirs(*arguments, **keywords))


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
