import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitviz.ipython.cell_outputs import find_tracer


class Box:
    def __init__(self, held: Any) -> None:
        self.held = held

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def method(self) -> None: ...


def closing_over(held: Any) -> Callable[[], Any]:
    return lambda: held


def with_default(held: Any) -> Callable[..., Any]:
    def function(held: Any = held) -> Any:
        return held

    return function


def with_class(held: Any) -> type:
    class Holder:
        held_there = held

    return Holder


def itself(held: Any) -> Any:
    return held


def generator(held: Any) -> Any:
    return (held for _ in range(3))


@pytest.mark.parametrize(
    ("hide", "expected"),
    [
        (itself, ""),
        (closing_over, " (by `held`)"),
        (with_default, " (by `held`)"),
        (with_class, " (by `held_there`)"),
        (generator, " (by `held`)"),
        (Box, " (by `held`)"),
        (lambda held: object.__getattribute__(Box(held), "method"), " (by `held`)"),
        (lambda held: functools.partial(print, held), ""),
        (lambda held: functools.partial(print, end={"a": [held]}), ""),
        (lambda held: closing_over(Box((held,))), " (by `held.held`)"),
        (lambda held: jax.jit(closing_over(held)), " (by `__wrapped__.held`)"),
    ],
)
def test_a_traced_value_is_found_wherever_it_is(hide: Callable[[Any], Any], expected: str) -> None:
    found = []

    @jax.jit
    def trace(x: Any) -> Any:
        found.append(find_tracer(hide(x)))
        return x

    trace(jnp.ones(3))
    assert found == [expected]
    assert find_tracer(hide(jnp.ones(3))) is None


def test_the_search_ends_in_a_cycle_of_objects() -> None:
    ring: list[Any] = []
    ring.append({"ring": ring, "module": jax})
    assert find_tracer(ring) is None
