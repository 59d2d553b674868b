"""filter_jit inside and outside every transformation, and the outputs that it returns through them."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.config import enable_x64  # public from jax 0.8 on
from jax.extend import source_info_util

from jitviz.filters import filter_jit

from .samples import Counted, same

X = jnp.arange(3.0)


@filter_jit
def square(x: Any, label: str = "label") -> Any:
    return x**2, label


def squared(x: Any) -> Any:
    value, label = square(x)
    assert label == "label"
    return value


TRANSFORMATIONS = {
    "jit": lambda f: jax.jit(f)(X),
    "vmap": lambda f: jax.vmap(f)(X),
    "grad": lambda f: jax.grad(lambda x: f(x).sum())(X),
    "jvp": lambda f: jax.jvp(f, (X,), (X,)),
    "linearize": lambda f: jax.linearize(f, X)[1](X),
    "hessian": lambda f: jax.hessian(lambda x: f(x).sum())(X),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(lambda x: f(x).sum()))(X),
    "scan": lambda f: jax.lax.scan(lambda carry, x: (f(carry), x), X, X),
    "while": lambda f: jax.lax.while_loop(lambda x: x.sum() < 100, f, X),
    "cond": lambda f: jax.lax.cond(X[1] > 0, f, lambda x: x, X),
    "map": lambda f: jax.lax.map(f, X),
    "vmap of grad": lambda f: jax.vmap(jax.grad(f))(X),
    "eqx.filter_jit": lambda f: eqx.filter_jit(f)(X),
    "eqx.filter_vmap of eqx.filter_grad": lambda f: eqx.filter_vmap(eqx.filter_grad(f))(X),
    "filter_jit": lambda f: filter_jit(f)(X),
    "disable_jit": lambda f: _without_jit(f),
}


def _without_jit(f: Any) -> Any:
    with jax.disable_jit():
        return f(X)


@pytest.mark.parametrize("transform", TRANSFORMATIONS.values(), ids=TRANSFORMATIONS)
def test_it_works_inside_any_transformation(transform: Any) -> None:
    assert same(transform(squared), transform(lambda x: x**2))


@pytest.mark.parametrize("transform", [jax.vmap, jax.jit, jax.checkpoint, filter_jit, eqx.filter_jit])
def test_a_wrapper_can_be_passed_to_a_transformation(transform: Any) -> None:
    double = filter_jit(lambda x: 2 * x)
    assert same(transform(double)(X), 2 * X)


def test_any_transformation_works_inside_it() -> None:
    for name, transform in TRANSFORMATIONS.items():
        if name != "disable_jit":
            assert same(
                filter_jit(lambda x, t=transform: t(lambda y: y * x.sum()))(X), transform(lambda y: y * X.sum())
            )


def test_inline_has_the_jaxpr_of_an_inline_jit() -> None:
    def body(x: Any) -> Any:
        return jnp.zeros(3), np.ones(2), x * 2

    def outer(inner: Any) -> Any:
        return jax.make_jaxpr(lambda x: inner(x)[2] + inner(x)[0])(X)

    assert str(outer(filter_jit(body, inline=True))) == str(outer(jax.jit(body, inline=True)))
    assert str(outer(filter_jit(body))) == str(outer(jax.jit(body)))


def test_inlined_results_may_be_static() -> None:
    constants = filter_jit(lambda x: (1.0, x.shape, "text", None), inline=True)
    assert constants(X) == (1.0, (3,), "text", None)

    @jax.jit
    def outer(x: Any) -> Any:
        scale, shape, text, nothing = constants(x)
        assert (scale, shape, text, nothing) == (1.0, (3,), "text", None)
        return x * scale

    assert same(outer(X), X)


def test_static_outputs_are_returned_unchanged() -> None:
    marker = object()
    unhashable = {1, 2}
    result = filter_jit(lambda x: {"array": x, "numpy": np.ones(2), "rest": [1, "a", None, marker, unhashable]})(X)
    assert same(result["array"], X)
    assert isinstance(result["numpy"], jax.Array)
    assert result["rest"][:3] == [1, "a", None]
    assert result["rest"][3] is marker
    assert result["rest"][4] is unhashable


def test_static_outputs_are_those_of_the_version_that_ran() -> None:
    counted = Counted()

    @filter_jit
    @counted
    def describe(x: Any) -> Any:
        return x, (x.shape, str(x.dtype), jax.typeof(x).weak_type)

    def seen(x: Any) -> Any:
        return describe(x)[1]

    weak = jnp.asarray(1.0)
    for _ in range(2):
        assert seen(jnp.ones(2)) == ((2,), "float32", False)
        assert seen(jnp.ones(())) == ((), "float32", False)
        assert seen(weak) == ((), "float32", True)
        with enable_x64(True):
            assert seen(np.ones(2)) == ((2,), "float64", False)
    assert counted.traces == 4
    jax.clear_caches()
    assert seen(weak) == ((), "float32", True)
    assert seen(jnp.ones(2)) == ((2,), "float32", False)
    assert counted.traces == 6


def test_static_outputs_are_right_if_the_first_trace_is_nested() -> None:
    describe = filter_jit(lambda x: (x * 2, x.shape))
    assert jax.vmap(lambda x: x * describe(x)[1][0])(jnp.ones((2, 3))).shape == (2, 3)
    assert describe(jnp.ones(3))[1] == (3,)
    assert describe(jnp.ones(4))[1] == (4,)


def test_source_lines_of_a_nested_call_are_the_users() -> None:
    jaxpr = jax.make_jaxpr(lambda x: square(x)[0])(X)
    (equation,) = jaxpr.jaxpr.eqns
    assert "test_jit_nesting.py" in source_info_util.summarize(equation.source_info)


def test_inputs_may_differ_in_sharding_and_placement() -> None:
    device = jax.devices()[0]
    assert same(squared(jax.device_put(X, device)), squared(X))
