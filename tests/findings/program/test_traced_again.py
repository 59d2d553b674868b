"""What is traced several times with equal inputs is counted by line; what JAX traced once is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.findings.program.jaxpr import by_line, find_traced_again

X = np.ones((2, 2), np.float32)
HERE = "tests/findings/program/test_traced_again.py"


def layer(x: Any) -> Any:
    return jnp.sin(x) @ x


def found_in(step: Callable[[Any], Any], n_objects: int = 0) -> list[tuple[str, int]]:
    """`n_objects` are the function objects that each line calls."""
    with jitviz.record() as rec:
        jax.jit(step)(X)
    found = find_traced_again(json.loads(rec.compiles[-1].equations or ""))
    return list(by_line(found, {one.source: n_objects for one in found}).values())


def test_a_function_that_is_made_anew_is_traced_each_time() -> None:
    def step(x: Any) -> Any:
        for _ in range(5):
            x = jax.jit(lambda x: layer(x))(x)
        for _ in range(3):
            x = jax.lax.scan(lambda c, _: (layer(c), None), x, None, length=2)[0]
        return x

    assert sorted(found_in(step)) == [("`<lambda>`", 5), ("the body of `scan`", 3)]


def test_a_function_that_is_jitted_once_is_traced_once_for_each_shape() -> None:
    def step(x: Any) -> Any:
        for _ in range(5):
            x = inner(x)
        return x, inner(x[:1, :1])

    inner = jax.jit(layer)
    assert found_in(step) == []


def test_functions_that_compute_something_else_are_not_the_same() -> None:
    def step(x: Any) -> Any:
        for n in range(5):
            x = jax.jit(lambda x, n=n: x * n)(x)
        return x

    assert found_in(step) == []


def made_anew(x: Any) -> Any:
    for _ in range(5):
        x = jax.jit(lambda x: layer(x))(x)
    return x.sum()


@pytest.mark.parametrize("transform", [jax.grad, jax.vmap, lambda f: jax.vmap(jax.grad(f))])
def test_under_a_transformation_a_function_counts_as_often_as_there_are_objects(transform: Any) -> None:
    def step(x: Any) -> Any:
        return transform(made_anew)(x if transform is jax.grad else jnp.stack([x, x]))

    assert found_in(step, n_objects=5) == [("`<lambda>`", 5)]


def test_what_vmap_makes_of_one_trace_for_several_axes_is_no_trace() -> None:
    total = jax.jit(lambda x: x.sum())

    def step(x: Any) -> Any:
        return [jax.vmap(total, axis)(x).sum() for axis in (0, 1)]

    assert found_in(step, n_objects=1) == []
