from __future__ import annotations

import pytest

from jitviz.findings.program.places import NOWHERE, Places
from jitviz.views.program.call_stacks import Finder
from tests.findings.program.test_places import frames, told


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
