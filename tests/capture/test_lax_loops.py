"""An eager loop is listed under its name; what other functions of JAX compile is outside any jit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.ode import odeint

import jitviz

X = np.linspace(0.0, 1.0, 3, dtype=np.float32)


def causes(rec: jitviz.Recording) -> list[tuple[str, str, str]]:
    return [(made.function, made.reasons[0].kind, made.reasons[0].path) for made in rec.compiles]


LOOPS: dict[str, Callable[[float], Any]] = {
    "scan": lambda scale: jax.lax.scan(lambda carry, x: (carry * scale, x), X[0], X),
    "while": lambda scale: jax.lax.while_loop(lambda x: x < 3, lambda x: x + scale, X[0]),
    "cond": lambda scale: jax.lax.switch(jnp.asarray(1), [lambda x: x, lambda x: x * scale], X),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_new_body_of_a_loop_is_a_new_function_of_its_name(name: str) -> None:
    with jitviz.record() as rec:
        LOOPS[name](2.0)
        LOOPS[name](3.0)
    assert rec.facts.failures == []
    assert causes(rec) == [(name, "first", ""), (name, "new_function", "")]


def test_the_same_body_with_another_shape_recompiles_because_of_the_shape() -> None:
    def body(carry: Any, x: Any) -> Any:
        return carry, x * 2

    with jitviz.record() as rec:
        for xs in (X, X[:2], X):
            jax.lax.scan(body, 0.0, xs)
    assert causes(rec) == [("scan", "first", ""), ("scan", "shape", "xs")]


class Decay:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, carry: Any, x: Any) -> Any:
        return carry * self.rate, x


def test_a_callable_object_is_an_argument_of_a_loop() -> None:
    with jitviz.record() as rec:
        for rate in (2.0, 2.0, 3.0):
            jax.lax.scan(Decay(rate), 1.0, X)
    assert causes(rec) == [("scan", "first", ""), ("scan", "static_identity", "f"), ("scan", "static_value", "f.rate")]


ENTRIES: dict[str, Callable[[], Any]] = {
    "odeint": lambda: odeint(lambda y, t: -y, X, X),
    "pmap": lambda: jax.pmap(lambda x: x * 2)(X[None]),
    "reduce": lambda: jax.lax.reduce(X, np.float32(0), lambda a, b: a + b * 2, (0,)),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_what_another_function_of_jax_compiles_is_outside_any_jit(name: str) -> None:
    with jitviz.record() as rec:
        ENTRIES[name]()
    assert rec.facts.failures == []
    assert rec.compiles == []
    assert {op.source.partition(":")[0] for op in rec.op_by_op} == {"tests/capture/test_lax_loops.py"}


def test_a_transformation_is_not_listed() -> None:
    # functions that no other test jits: once the user has jitted one of JAX's, it stays the user's in this process
    def wave(x: Any) -> Any:
        return jnp.arcsinh(x).prod()

    with jitviz.record() as rec:
        jax.grad(wave)(X)
        jax.vmap(wave)(X[None])
        jax.tree.map(jnp.arctan, [X])
    assert rec.compiles == []
