from __future__ import annotations

import pytest

from jitviz.findings.program.places import NOWHERE, Finder, Places, overlap


def frames(places: Places, names: str) -> tuple[int, ...]:
    """One frame per letter: a function of that name, on a line of its own."""
    found = [places.frame("train.py", name, ord(name), 4, ord(name), 9) for name in names]
    return tuple(number for number in found if number is not None)


def told(places: Places, stack: int) -> str:
    functions = list(places.functions)
    return "".join(functions[places.frames[number].function] for number in places.chain(stack))


def test_a_place_is_one_frame_however_often_any_text_names_it() -> None:
    places = Places()
    first = places.frame("train.py", "loss", 3, 4, 3, 9)
    assert places.frame("train.py", "Model.loss", 3, 4, 3, 9) == first
    assert places.frame("train.py", "loss", 3, 5, 3, 9) != first
    assert places.frames == [(0, 0, 3, 4, 3, 9), (0, 0, 3, 5, 3, 9)]


@pytest.mark.parametrize("file", ["jax/_src/lax/lax.py", "jitviz/filters/jit.py"])
def test_frames_of_jax_and_of_jitviz_are_not_places(file: str) -> None:
    assert Places().frame(file, "f", 1, 0, 1, 1) is None


@pytest.mark.parametrize(
    ("outer", "inner", "whole"),
    [
        ("", "ab", "ab"),
        ("ab", "", "ab"),
        ("ab", "cd", "abcd"),
        ("ab", "bc", "abc"),  # the line that runs a scan, told again by what is in it
        ("ab", "abc", "abc"),  # an inner stack that is whole already
        ("a", "aab", "ab"),  # JAX's frames between two of the same place are gone
    ],
)
def test_a_stack_goes_on_where_an_inner_program_begins(outer: str, inner: str, whole: str) -> None:
    places = Places()
    stack = places.join(places.join(NOWHERE, frames(places, outer)), frames(places, inner))
    assert told(places, stack) == whole


def test_a_parent_comes_before_its_children() -> None:
    places = Places()
    for names in ("abc", "abd", "xd"):
        places.join(NOWHERE, frames(places, names))
    _, parents = places.stacks()
    assert parents == (-1, 0, 1, 1, -1, 4)
    assert all(parent < number for number, parent in enumerate(parents))


def test_the_overlap_of_two_stacks_is_the_longest() -> None:
    assert overlap((1, 2, 1, 2), (1, 2, 1, 2, 3)) == 4
    assert overlap((1, 2), (3, 4)) == 0


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
