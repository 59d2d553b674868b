"""Advice about a function that is transformed from outside."""

import re
from typing import Any

import jax
import jax.numpy as jnp

import jitviz


@jax.jit
def residual(u: Any) -> Any:
    return jnp.tanh(u) - u


def test_the_advice_about_a_directional_derivative_runs_and_is_one_program() -> None:
    u = jnp.ones(4)
    with jitviz.record() as rec:
        residual(u)
        expected = jax.jvp(residual, (u,), (u,))
    (advised,) = {re.findall(r"`(.*)`", row.reasons[0].advice)[0] for row in rec.compiles if row.transform == "jvp"}
    assert advised == "jax.jit(lambda primals, tangents: jax.jvp(residual, primals, tangents))"
    fast = eval(advised)
    assert all(map(jnp.allclose, fast((u,), (u,)), expected))
    assert fast._cache_size() == 1
