"""Which functions share a lineage, so that one is a version of the other, and under which name."""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

import jitviz

from .samples import JITS, named_causes


def loss(w: jax.Array) -> jax.Array:
    return jnp.sum(w**2)


@pytest.mark.parametrize(
    ("jit", "transforms"),
    [
        (jax.jit, [lambda f: f, jax.grad, jax.value_and_grad]),
        (eqx.filter_jit, [lambda f: f, eqx.filter_grad, eqx.filter_value_and_grad]),
        (jitviz.filter_jit, [lambda f: f, jitviz.filter_grad, jitviz.filter_value_and_grad]),
    ],
)
def test_a_function_and_its_gradient_are_not_versions_of_each_other(jit: Any, transforms: list[Any]) -> None:
    def fresh(w: jax.Array) -> jax.Array:
        return loss(w)

    with jitviz.record() as rec:
        for transform in transforms:
            jit(transform(fresh))(jnp.ones(3))
    assert named_causes(rec) == [("fresh", 1, "first")] * 3


def test_a_batch_of_gradients_is_not_a_version_of_a_batch() -> None:
    batched = [loss, jax.grad(loss), jax.value_and_grad(loss)]
    with jitviz.record() as rec:
        for function in batched:
            jax.jit(jax.vmap(function))(jnp.ones((2, 3)))
    assert [compile.version for compile in rec.compiles] == [1, 1, 1]


def scaled(by: float) -> Callable[[jax.Array], jax.Array]:
    def scale(x: jax.Array) -> jax.Array:
        return x * by

    scale.__name__ = f"times_{by:.0f}"
    return scale


@pytest.mark.parametrize("jit", [*JITS.values(), nnx.jit])
def test_functions_with_different_set_names_are_not_versions_of_each_other(jit: Any) -> None:
    with jitviz.record() as rec:
        jit(scaled(2.0))(jnp.ones(3))
        jit(scaled(3.0))(jnp.ones(3))
    assert named_causes(rec) == [("times_2", 1, "first"), ("times_3", 1, "first")]


class Model:
    def step(self, x: jax.Array) -> jax.Array:
        return x + 1

    step.__name__ = "forward"


class Named:
    def __init__(self) -> None:
        self.__name__ = "mine"

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + 2


def named_lambda() -> Any:
    add = lambda x: x + 3  # noqa: E731
    add.__name__ = "add_three"
    return add


def named_partial() -> Any:
    part = functools.partial(loss)
    part.__name__ = "half"  # type: ignore[attr-defined]
    return part


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Model().step, "Model.forward"),
        (Named, "mine"),
        (named_lambda, "add_three"),
        (named_partial, "half"),
        (lambda: functools.partial(loss), "loss"),
        (lambda: jax.vmap(scaled(2.0)), "times_2"),
    ],
)
def test_a_jitted_object_has_the_name_that_was_set_on_it(make: Any, name: str) -> None:
    with jitviz.record() as rec:
        jax.jit(make())(jnp.ones(3))
    assert rec.facts.failures == []
    assert [compile.function for compile in rec.compiles] == [name]


def test_functions_of_one_place_with_the_same_set_name_are_versions_of_each_other() -> None:
    with jitviz.record() as rec:
        for _ in range(2):
            jax.jit(scaled(7.0))(jnp.ones(3))
    assert named_causes(rec) == [("times_7", 1, "first"), ("times_7", 2, "new_function")]


@pytest.mark.parametrize("jit", JITS.values())
def test_each_use_of_a_counter_of_equinox_is_a_new_function_to_the_cache(jit: Any) -> None:
    def scale(x: jax.Array) -> jax.Array:
        return x * 2

    counted = eqx.debug.assert_max_traces(scale, max_traces=9)
    with jitviz.record() as rec:
        for function in (scale, counted, counted, eqx.debug.assert_max_traces(scale, max_traces=9)):
            jit(function)(jnp.ones(3))
    assert [kind for *_, kind in named_causes(rec)] == ["first", "new_function", "new_function"]
