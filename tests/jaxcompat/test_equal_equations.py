"""Equations that compute what was computed before are known by their inputs and parameters."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jitviz.jaxcompat.equal_equations import EqualEquations

X = np.ones((3, 3), np.float32)


def again(function: Any) -> list[str]:
    """The primitives of the equations that compute what an earlier one has computed."""
    equal = EqualEquations()
    return [one.primitive.name for one in jax.make_jaxpr(function)(X).eqns if equal.is_again(one)]


def test_what_is_computed_of_equal_values_is_equal() -> None:
    assert again(lambda x: [jnp.sin(x) * 2.0, jnp.sin(x) * 2.0, jnp.sin(x) * 3.0]) == ["sin", "mul", "sin"]


def test_other_parameters_make_another_value() -> None:
    assert again(lambda x: [x.sum(0), x.sum(1), jax.lax.reshape(x, (9,)), jax.lax.reshape(x, (9,), (1, 0))]) == []


def test_what_has_effects_is_never_equal() -> None:
    def printed(x: Any) -> Any:
        jax.debug.callback(print, x)
        jax.debug.callback(print, x)
        return x

    assert again(printed) == []


def test_parameters_are_not_compared_by_code_of_the_user() -> None:
    class Static:
        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

        def __hash__(self) -> int:
            return 0

    @jax.custom_vjp
    def twice(x: Any) -> Any:
        return x * 2.0

    twice.defvjp(lambda x: (x * 2.0, Static()), lambda _, g: (g,))
    assert set(again(lambda x: [twice(x), twice(x)])) <= {"custom_vjp_call", "custom_vjp_call_jaxpr"}
