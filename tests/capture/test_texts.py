import jax
import jax.numpy as jnp
import pytest
from jax._src import pretty_printer

import jitviz


def test_a_jaxpr_is_kept_without_the_colours_that_notebooks_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretty_printer, "CAN_USE_COLOR", True)
    double = jax.jit(lambda x: x * 2)
    with jitviz.record() as rec:
        double(jnp.ones(3))
    assert "\x1b" in str(jax.make_jaxpr(double)(jnp.ones(3)))
    assert rec.compiles[0].jaxpr == "{ lambda ; a:f32[3]. let\n    b:f32[3] = mul a 2.0:f32[]\n  in (b,) }"
