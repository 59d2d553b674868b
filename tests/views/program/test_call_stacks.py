from __future__ import annotations

import jax.numpy as jnp
import pytest

from jitviz.findings.program.places import NOWHERE, Places
from jitviz.views.program import shape_links
from jitviz.views.program.call_stacks import Finder, Work
from jitviz.views.schema import LineWork
from tests.findings.program.test_places import frames, told

from . import programs, unrolled
from .panes import Panes
from .programs import line_in, line_of, record


@pytest.fixture
def places() -> Places:
    """The equations tell of these stacks: a calls b and c, b calls d; p and q are where the function was called."""
    places = Places()
    for names in ("a", "ab", "ac", "abd", "b", "d"):
        places.join(NOWHERE, frames(places, names))
    return places


@pytest.mark.parametrize(
    ("told_as", "meant"),
    [
        ("pqabd", "abd"),
        ("qabd", "abd"),  # the outer end was cut off
        ("bd", "abd"),  # and more of it
        ("pqb", "b"),  # which is not what was cut off of a longer one
        ("pqad", "abd"),  # a frame between was left out
        ("pqaabbd", "abd"),  # JAX's own frames between were left out
        ("pqabababd", "abd"),  # the stretch round a scan is told with each of its operations
        ("pqaxbd", "abd"),  # the equations tell of fewer
        ("pqax", "ax"),  # an operation that no equation tells of
        ("pq", ""),  # nothing but where the function was called
        ("p", ""),
        ("", ""),
    ],
)
def test_a_stack_of_another_text_is_found_among_those_of_the_equations(
    places: Places, told_as: str, meant: str
) -> None:
    finder = Finder(places)
    finder.learn([frames(places, names) for names in ("pqab", "pqac", "pqabd", "xyac")])
    assert told(places, finder.find(frames(places, told_as))) == meant


def test_a_stretch_that_is_reported_twice_is_not_taken_for_where_the_function_was_called(places: Places) -> None:
    finder = Finder(places)
    finder.learn([frames(places, names) for names in ("pqabab", "pqababab", "pqababd", "pqabdabd", "pqa")])
    assert told(places, finder.find(frames(places, "pqabab"))) == "ab"
    assert told(places, finder.find(frames(places, "pqab"))) == "ab"


def test_where_the_function_was_called_is_known_even_if_most_stacks_lack_a_part_of_it(places: Places) -> None:
    finder = Finder(places)
    finder.learn([frames(places, names) for names in ("qab", "qac", "qabd", "pqa")])
    assert told(places, finder.find(frames(places, "pqx"))) == "x"


def test_without_equations_stacks_are_as_they_are_reported() -> None:
    places = Places()
    finder = Finder(places)
    finder.learn([frames(places, "pa"), frames(places, "pb")])
    assert told(places, finder.find(frames(places, "pa"))) == "pa"


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
