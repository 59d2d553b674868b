from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.model import Cost
from jitviz.views import PANEL, shape_panel
from jitviz.views.program import shape_facts
from jitviz.views.words import tell_cost


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(), ""),
        (Cost(has_loop=True), ""),
        (Cost(1.0), "1 floating-point operation"),
        (Cost(2e6, 4e6), "2 million floating-point operations, 4 MB moved"),
        (
            Cost(2e6, 4e6, has_loop=True),
            "2 million floating-point operations, 4 MB moved (each loop body counted once)",
        ),
    ],
)
def test_the_cost_is_the_estimate_of_xla(cost: Cost, said: str) -> None:
    assert tell_cost(cost) == said


def test_the_cost_of_a_scan_is_the_same_everywhere() -> None:
    @jax.jit
    def run(h: jax.Array, xs: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda h, x: (h @ h + x, None), h, xs)[0]

    with jitviz.record() as recording:
        run(jnp.ones((32, 32)), jnp.ones((100, 32, 32)))
    (compile,) = [row for row in recording.compiles if row.function == "run"]
    assert compile.cost is not None
    assert compile.cost.has_loop
    facts = shape_facts(recording, compile.index)
    (version,) = shape_panel(recording, PANEL).functions[0].versions
    number, _, of_loops = facts.flops.partition(" (")
    assert version.cost.startswith(f"{number} floating-point operations, ")
    assert version.cost.endswith(f" ({of_loops}")
    assert version.flops == compile.cost.flops
