from __future__ import annotations

from dataclasses import asdict

from jitviz.model import Reason, Signature
from jitviz.recording import Recording
from jitviz.views import PANEL, shape_panel
from jitviz.views.schema import Quiz, QuizQuestion
from tests.display import samples
from tests.display.samples import FIRST, Story, array, static

MODE = static("mode", "str", "'train'")


def quiz_of(recording: Recording) -> Quiz | None:
    return shape_panel(recording, PANEL, has_quiz=True).quiz


def compiled(*sizes: int) -> Recording:
    """Calls of one function that compile, each with another size of x."""
    story, reason = Story(), FIRST
    step = story.function("step")
    for number, size in enumerate(sizes):
        signature = Signature((array("x", (size,)), MODE))
        story.miss(step, number, (0.1, 0.1, 0.1), 0.0, signature, (reason,))
        story.hit(step, number + 0.5, 0.01, version=number)
        following = sizes[number + 1] if number + 1 < len(sizes) else size
        reason = Reason("shape", "x", f"f32[{size}]", f"f32[{following}]", "`x` changed its shape.", "Pad it.")
    return story.end(len(sizes))


def test_each_call_that_compiled_for_a_leaf_has_a_question_with_its_answer() -> None:
    assert quiz_of(compiled(4, 5, 6)) == Quiz(
        score=0,
        questions=(
            QuizQuestion(2, "what made call 3 compile", "`x` f32[4] → f32[5]"),
            QuizQuestion(4, "what made call 5 compile", "`x` f32[5] → f32[6]"),
        ),
        choices=("x", "mode"),
    )


def test_there_are_few_questions() -> None:
    quiz = quiz_of(compiled(*range(1, 14)))
    assert quiz is not None
    assert len(quiz.questions) == PANEL.questions


def test_where_nothing_compiled_again_there_is_nothing_to_ask() -> None:
    assert [quiz_of(recording) for recording in (samples.nothing(), samples.only_hits(), compiled(4))] == [None] * 3


def test_a_question_gives_away_no_shape_dtype_or_value() -> None:
    quiz = quiz_of(samples.recompile_by_treedef())
    assert quiz is not None
    told = str([(question.text, quiz.choices) for question in quiz.questions])
    assert "opt_state[0].count" in told
    assert "i32" not in told
    assert "f32" not in told


def test_texts_of_the_user_are_bounded_and_printable() -> None:
    quiz = quiz_of(samples.nasty())
    texts = str(asdict(quiz)) if quiz is not None else ""
    assert texts.isprintable()
