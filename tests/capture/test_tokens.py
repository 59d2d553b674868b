"""Each living object has one number, and numbering keeps no object alive."""

import gc
import itertools
import sys
import weakref
from types import FrameType
from typing import Any

from jitviz.capture.tokens import living_tokens, token, token_of_all
from jitviz.recording.events import MOST_WHOLE


class Thing:
    pass


class Bare:
    __slots__ = ()


def test_a_living_object_keeps_its_number() -> None:
    things = [Thing() for _ in range(100)]
    numbers = [token(thing) for thing in things]
    assert len(set(numbers)) == 100
    assert [token(thing) for thing in things] == numbers


def test_an_object_at_the_address_of_a_dead_one_has_another_number() -> None:
    seen: dict[int, int] = {}
    for _ in range(1000):
        thing = Thing()
        number = token(thing)
        assert seen.get(id(thing)) != number
        seen[id(thing)] = number
        del thing
    assert len(seen) < 1000  # some address was reused
    assert len(set(seen.values())) == len(seen)


def test_a_number_keeps_no_object_alive() -> None:
    thing = Thing()
    reference = weakref.ref(thing)
    token(thing)
    del thing
    gc.collect()
    assert reference() is None


def test_no_code_in_which_a_ctrl_c_would_be_lost_runs_when_a_numbered_object_dies() -> None:
    ran: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            ran.append(frame.f_code.co_name)

    thing = Thing()
    number = token(thing)
    sys.setprofile(note)
    try:
        del thing
    finally:
        sys.setprofile(None)
    assert ran == []
    assert number not in living_tokens()


def test_objects_that_cannot_be_referenced_weakly_are_numbered_while_they_live() -> None:
    bare, pair = Bare(), (1, 2)
    assert token(bare) == token(bare)
    assert token(pair) == token(pair)
    assert token(bare) != token(Bare())


def test_classes_are_numbered_like_any_object() -> None:
    first, second = (type("Same", (), {}) for _ in range(2))
    assert token(first) == token(first)
    assert token(first) != token(second)


def test_the_number_of_several_objects_is_one_that_a_file_holds() -> None:
    things = [Thing() for _ in range(100)]
    numbers = [token_of_all(pair) for pair in itertools.pairwise(things)]
    assert len(set(numbers)) == 99
    assert all(0 <= number <= MOST_WHOLE for number in numbers)
