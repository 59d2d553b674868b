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


class Scale(eqx.Module):
    factor: float = eqx.field(static=True)
    offset: jax.Array

    def apply(self, x: jax.Array) -> jax.Array:
        return x * self.factor + self.offset


def times(factor: float, x: jax.Array) -> jax.Array:
    return x * factor


@pytest.mark.parametrize("jit", [eqx.filter_jit, jitviz.filter_jit])
def test_a_callable_that_holds_the_same_is_no_new_function_to_a_filter_jit(jit: Any) -> None:
    made = jit(Scale(2.0, jnp.zeros(())).apply)
    makers: dict[str, Callable[[], Any]] = {
        "once": lambda: made,
        "each time": lambda: jit(Scale(2.0, jnp.zeros(())).apply),
        "partial": lambda: jit(jax.tree_util.Partial(times, 2.0)),
    }
    for size, maker in zip((3, 6, 9), makers.values(), strict=True):
        with jitviz.record(sample=False) as rec:
            for more in (0, 0, 1):
                maker()(jnp.ones(size + more))
            said = jitviz.predict(maker(), jnp.ones(size + 2))
        compiled = [[(reason.kind, reason.path) for reason in row.reasons] for row in rec.compiles]
        assert compiled[-1] == [("shape", "x")]
        assert [reason.path for reason in said.reasons] == ["x"]


def scale_by(factor: float, x: jax.Array) -> jax.Array:
    return x * factor


@pytest.mark.parametrize("jit", [eqx.filter_jit, jitviz.filter_jit])
def test_a_partial_made_again_is_one_cause_at_a_place_that_the_user_has(jit: Any) -> None:
    with jitviz.record(sample=False) as rec:
        for size in (3, 3, 4):
            jit(functools.partial(scale_by, 2.0))(jnp.ones(size))
    assert [[(reason.kind, reason.path) for reason in row.reasons] for row in rec.compiles] == [
        [("first", "")],
        [("new_function", "")],
        [("new_function", ""), ("shape", "x")],
    ]
    assert [leaf.path for leaf in rec.compiles[0].signature.leaves] == ["x"]
    (found,) = (found for found in rec.findings if found.reason == "new_function")
    assert found.saves == 1


@pytest.mark.parametrize("jit", JITS.values())
def test_two_lambdas_of_equal_code_are_two_functions(jit: Any) -> None:
    with jitviz.record(sample=False) as rec:
        for one in (jit(lambda x: x + 5), jit(lambda x: x + 5)):
            one(jnp.ones(3))
        for _ in range(2):
            jit(lambda x: x + 5)(jnp.ones(3))
    assert [row.reasons[0].kind for row in rec.compiles] == ["first", "first", "first", "new_function"]
