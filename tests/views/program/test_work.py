from __future__ import annotations

import jax.numpy as jnp
import pytest

from jitviz.findings.program.places import NOWHERE, Places
from jitviz.views.program import shape_links
from jitviz.views.program.call_stacks import Work
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
    work.add("equations", places.join(NOWHERE, (caller,)))
    for _ in range(10):
        work.add("equations", places.join(NOWHERE, (caller, callee, caller, callee)))  # a recursion
    work.add("hlo_ops", NOWHERE)
    assert work.totals() == {"equations": 11, "stablehlo_ops": 0, "hlo_ops": 1}
    assert work.by_line(places, {(0, 2): 3}) == LineWork(
        file=(0, 0),
        line=(1, 2),
        equations=(11, 10),
        stablehlo_ops=(0, 0),
        hlo_ops=(0, 0),
        repeats=(1, 3),
    )


@pytest.mark.parametrize("make", programs.ALL)
def test_no_line_exceeds_the_whole_and_stacks_add_up_to_it(make: programs.Make) -> None:
    links = shape_links(*make())
    for name in ("equations", "stablehlo_ops", "hlo_ops"):
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
