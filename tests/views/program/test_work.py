from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest

from jitviz.findings.program.places import NOWHERE, Places
from jitviz.views.program import shape_links
from jitviz.views.program.work import Work
from jitviz.views.schema import LineWork

from . import programs, unrolled
from .panes import Panes
from .programs import line_in, line_of, record


def test_a_line_includes_what_it_calls_and_counts_each_operation_once() -> None:
    places = Places()
    caller, callee = (places.frame("t.py", name, line, 0, line, 9) for name, line in (("a", 1), ("b", 2)))
    assert caller is not None
    assert callee is not None
    work = Work()
    work.add("equations", places.join(NOWHERE, (caller,)), 1)
    work.add("equations", places.join(NOWHERE, (caller, callee, caller, callee)), 10)  # a recursion
    work.add("flops", NOWHERE, 7.0)
    assert list(work.totals().values()) == [11, 0, 0, 7.0, 0]
    assert work.by_line(places, {(0, 2): 3}) == LineWork(
        file=(0, 0),
        line=(1, 2),
        equations=(11, 10),
        stablehlo_ops=(0, 0),
        hlo_ops=(0, 0),
        flops=(0.0, 0.0),
        nbytes=(0.0, 0.0),
        repeats=(1, 3),
    )


@pytest.mark.parametrize("make", programs.ALL)
def test_no_line_exceeds_the_whole_and_stacks_add_up_to_it(make: programs.Make) -> None:
    links = shape_links(*make())
    for name in ("equations", "stablehlo_ops", "hlo_ops", "flops", "nbytes"):
        total = getattr(links, name)
        assert total > 0
        assert max(getattr(links.lines, name)) <= total * (1 + 1e-9)
        assert sum(getattr(links.stacks, name)) <= total * (1 + 1e-9)
    assert sum(links.stacks.equations) == links.equations


def test_a_shared_program_counts_as_often_as_it_is_printed() -> None:
    links = shape_links(*record(unrolled.a_jitted_body, [jnp.ones((4, 4))] * 9, jnp.ones(4)))
    assert links.equations == len(set(links.jaxpr.line))
    inner = line_in(unrolled, "def layer") + 1
    called = line_in(unrolled, "jax.jit(layer)")
    equations = dict(zip(links.lines.line, links.lines.equations, strict=True))
    assert equations[called] == links.equations
    assert equations[inner] < 9


def test_the_line_that_calls_everything_has_all_equations() -> None:
    panes = Panes(*programs.batched())
    work = panes.links.lines
    row = work.line.index(line_of("vmap"))
    assert work.equations[row] == panes.links.equations
    assert work.flops[row] == panes.links.flops


@pytest.mark.parametrize("make", [programs.transformer, programs.nested, programs.batched])
def test_flops_of_programs_without_loops_match_xla_within_a_factor_of_two(make: programs.Make) -> None:
    """XLA counts after optimisation, which changes small programs more than large matrix products."""
    recording, compile = make()
    cost = recording.compiles[compile].cost
    assert cost is not None
    assert cost.flops is not None
    assert 0.5 < shape_links(recording, compile).flops / cost.flops < 2


def test_flops_of_matrix_products_match_xla_within_a_tenth() -> None:
    links, cost = (
        shape_links(*programs.transformer()),
        programs.transformer()[0].compiles[programs.transformer()[1]].cost,
    )
    assert cost is not None
    assert links.flops == pytest.approx(cost.flops, rel=0.1)


def scanned(unroll: int) -> Callable[[jax.Array, jax.Array], jax.Array]:
    @jax.jit
    def run(w: jax.Array, xs: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda h, x: (jnp.tanh(h @ w) * x, None), xs[0], xs, unroll=unroll)[0]

    return run


def test_flops_of_a_scan_include_every_iteration() -> None:
    """XLA counts the body of a loop once, so its program has the loop unrolled."""
    args = jnp.ones((32, 32)), jnp.ones((6, 32))
    links = shape_links(*record(scanned(1), *args))
    recording, compile = record(scanned(6), *args)
    cost = recording.compiles[compile].cost
    assert cost is not None
    assert links.flops == pytest.approx(cost.flops, rel=0.1)
