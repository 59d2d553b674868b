from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import jitviz


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
def test_a_function_and_its_gradient_are_no_versions_of_each_other(jit: Any, transforms: list[Any]) -> None:
    def fresh(w: jax.Array) -> jax.Array:
        return loss(w)

    with jitviz.record() as rec:
        for transform in transforms:
            jit(transform(fresh))(jnp.ones(3))
    told = [(compile.function, compile.version, compile.reasons[0].kind) for compile in rec.compiles]
    assert told == [("fresh", 1, "first")] * 3
