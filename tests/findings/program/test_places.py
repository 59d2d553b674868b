from __future__ import annotations

import pytest

from jitviz.findings.program.places import NOWHERE, Places, overlap


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
