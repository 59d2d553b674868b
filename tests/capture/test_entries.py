"""JAX's own jitted functions that are handed one of the user's."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.ode import odeint

import jitviz

X = np.arange(3, dtype=np.float32)
ENTRIES: dict[str, Callable[[Any], Any]] = {
    "odeint": lambda scale: odeint(lambda y, t: -y * scale, X, X),
    "piecewise": lambda scale: jnp.piecewise(X, [X < 1, X >= 1], [lambda x: x, lambda x: -x * scale]),
}


@pytest.mark.parametrize("name", list(ENTRIES))
def test_a_function_made_anew_for_an_entry_of_jax_is_named(name: str) -> None:
    with jitviz.record() as rec:
        ENTRIES[name](2.0)
        ENTRIES[name](2.0)
    assert rec.facts.failures == []
    assert [made.function for made in rec.compiles] == [name, name]
    assert [made.reasons[0].kind for made in rec.compiles] == ["first", "new_function"]
    assert "test_entries.py" in rec.compiles[1].reasons[0].summary
