from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.model import Cost
from jitviz.model.quantities import quantity
from jitviz.views import PANEL, shape_panel
from jitviz.views.program import shape_facts, shape_links
from jitviz.views.words import tell_cost


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(), ""),
        (Cost(2e6, 4e6), "2 million floating-point operations, 4 MB moved, 0.5 operations per byte"),
        (Cost(jaxpr_flops=2e6), "2 million floating-point operations"),
        (Cost(2e6, jaxpr_flops=2e6), "2 million floating-point operations"),
        (
            Cost(2e6, jaxpr_flops=2e6, has_loop=True),
            "2 million floating-point operations (each loop body counted once)",
        ),
        (
            Cost(2e6, jaxpr_flops=2e8, has_loop=True),
            "200 million floating-point operations (2 million by XLA's estimate, which counts a loop body once)",
        ),
        (
            Cost(2e6, jaxpr_flops=3e6),
            "3 million floating-point operations (2 million by XLA's estimate of the optimized program)",
        ),
    ],
)
def test_two_different_estimates_are_shown_with_the_reason(cost: Cost, said: str) -> None:
    assert tell_cost(cost) == said


def test_the_cost_of_a_scan_is_the_same_everywhere() -> None:
    @jax.jit
    def run(h: jax.Array, xs: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda h, x: (h @ h + x, None), h, xs)[0]

    with jitviz.record() as recording:
        run(jnp.ones((32, 32)), jnp.ones((100, 32, 32)))
    (compile,) = [row for row in recording.compiles if row.function == "run"]
    links, facts = shape_links(recording, compile.index), shape_facts(recording, compile.index)
    (version,) = shape_panel(recording, PANEL).functions[0].versions
    assert compile.cost is not None
    assert compile.cost.jaxpr_flops == links.flops == 100 * (2 * 32**3 + 32**2)
    assert facts.flops.startswith(f"{quantity(links.flops)} (")
    assert facts.flops.endswith(" by XLA's estimate, which counts a loop body once)")
    assert version.cost.startswith(f"{quantity(links.flops)} floating-point operations (")


def test_the_cost_of_a_cond_is_that_of_one_branch_and_of_a_loop_both_programs() -> None:
    x = jnp.ones((8, 8))
    with jitviz.record() as recording:
        jax.jit(lambda p, x: jax.lax.cond(p, lambda x: x @ x, lambda x: x + 1, x))(True, x)
        jax.jit(lambda x: jax.lax.while_loop(lambda x: x.sum() < 5, lambda x: x + 1, x))(x)
    costs = [row.cost.jaxpr_flops for row in recording.compiles if row.cost is not None]
    assert costs == [(2 * 8**3 + 8**2) / 2, 2 * 8**2]
