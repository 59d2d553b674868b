"""Which earlier version the reasons of a version tell the changes from."""

import pytest

from jitviz.model import Leaf, Miss
from jitviz.reasons import nearest
from jitviz.recording import Recording
from jitviz.recording.events import CompileStarted, FunctionSeen

from .samples import array, explained, jitted, miss, signature

X, Y = array("x"), array("y")


def compared(*misses: Miss) -> list[int | None]:
    """Per miss, the number of the one that it was compared with."""
    explainer = explained(*misses)
    return [explainer.compared_with(number) for number in range(len(misses))]


def test_a_version_is_compared_with_the_nearest_and_not_with_the_one_before() -> None:
    assert compared(
        miss(X, Y),
        miss(array("x", (9,)), array("y", (9,))),
        miss(X, array("y", (5,))),
        miss(array("x", (9,)), array("y", (7,))),
    ) == [None, 0, 0, 1]


def test_each_function_is_counted_with_all_others_and_compared_with_its_own() -> None:
    other = jitted(2, lineage="train.evaluate", name="evaluate")
    assert compared(miss(X), miss(X, function=other), miss(Y), miss(Y, function=other)) == [None, None, 0, 1]


def test_a_signature_that_was_seen_is_compared_with_itself() -> None:
    assert compared(miss(X), miss(Y), miss(X), miss(X, cleared="all")) == [None, 0, 0, 2]


def test_nothing_is_compared_with_an_attempt_that_failed_or_only_traced() -> None:
    assert compared(miss(X), miss(X, is_retry=True)) == [None, None]
    assert compared(miss(X), miss(array("x", (4,)), stage="eval_shape"), miss(array("x", (4,)))) == [None, 0, 0]


def test_a_backward_program_is_compared_with_the_backward_program_before() -> None:
    assert compared(
        miss(X, transform="jvp"),
        miss(Y, transform="transpose"),
        miss(array("x", (4,)), transform="jvp"),
        miss(array("y", (4,)), transform="transpose"),
    ) == [None, 0, 0, 1]


def test_what_is_too_old_to_be_kept_is_compared_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "WINDOW", 2)
    sizes = [3, 4, 5, 3]
    assert compared(*(miss(array("x", (size,))) for size in sizes)) == [None, 0, 1, None]


class TestRows:
    @staticmethod
    def recording() -> Recording:
        def compiled(number: int, *leaves: Leaf, is_before: bool = False) -> CompileStarted:
            return CompileStarted(float(number), number, None, 1, signature(leaves), is_before=is_before)

        return Recording(
            [
                FunctionSeen(0.0, 1, jitted()),
                compiled(7, X, Y, is_before=True),
                compiled(8, array("x", (9,)), array("y", (9,)), is_before=True),
                compiled(9, X, array("y", (5,))),
                compiled(10, array("x", (9,)), array("y", (7,))),
                compiled(11, X, array("y", (6,))),
            ]
        )

    def test_a_recording_answers_with_the_row_and_may_reach_behind_its_start(self) -> None:
        recording = self.recording()
        assert [recording.compared_with(index) for index in range(3)] == [*recording.earlier, recording.compiles[0]]

    def test_a_compile_answers_for_itself(self) -> None:
        *_, last = self.recording().compiles
        assert last.compared_with is not None
        assert last.compared_with.version == 3

    def test_a_row_without_a_recording_or_without_a_past_was_compared_with_nothing(self) -> None:
        recording = self.recording()
        assert recording.earlier[0].compared_with is None
        alone = Recording([event for event in recording.events if getattr(event, "compile", 9) == 9])
        assert [reason.kind for reason in alone.compiles[0].reasons] == ["first"]
        assert alone.compiles[0].compared_with is None
