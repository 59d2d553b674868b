from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from jitviz.display import html, text
from jitviz.display.outline import outline_quiz
from jitviz.display.widget import PanelWidget
from jitviz.display.wrapped_lines import width_of, write
from jitviz.views import shape_panel
from jitviz.views.schema import Quiz, QuizQuestion
from tests.display import samples
from tests.display.conftest import Comms
from tests.display.samples import Sample

QUIZ = Quiz(
    score=0,
    questions=(
        QuizQuestion(2, "what made call 3 compile", "`x` f32[4] → f32[5]"),
        QuizQuestion(4, "what made call 5 compile", "`mode` 'train' → 'eval'"),
    ),
    choices=("x", "mode"),
)
ASKED = """\
Quiz: one of x, mode. Answer first, then look.
1. What made call 3 compile?
2. What made call 5 compile?

The answers are below.
"""
ANSWERED = """
1. `x` f32[4] → f32[5]
2. `mode` 'train' → 'eval'"""


def test_in_text_the_answers_come_after_a_gap() -> None:
    assert "\n".join(write(outline_quiz(QUIZ), 100)).replace("`x`, `mode`", "x, mode") == ASKED + "⋮\n" * 20 + ANSWERED


@pytest.mark.parametrize("width", [24, 60])
@pytest.mark.parametrize("make", samples.ALL)
def test_a_quiz_fits_any_width(make: Callable[[], Sample], width: int) -> None:
    lines = text.render(make(), width, has_quiz=True).split("\n")
    assert [line for line in lines if width_of(line) > width or line != line.rstrip()] == []


def test_the_panel_after_the_answers_is_the_same_as_without_a_quiz() -> None:
    recording = samples.recompile_by_treedef()
    asked, _, shown = text.render(recording, has_quiz=True).partition("⋮\n\n")
    panel = text.render(recording)
    assert asked.startswith("Quiz: ")
    assert panel not in asked
    assert shown.endswith(f"\n\n{panel}")


def test_in_html_the_answers_and_the_panel_are_folded() -> None:
    recording = samples.recompile_by_treedef()
    root = ElementTree.fromstring(html.draw_fragment(shape_panel(recording, has_quiz=True), recording))
    folded = root.findall("details")
    summaries = ["".join(one.find("summary").itertext()) for one in folded]  # type: ignore[union-attr]
    assert summaries == ["1. What made call 2 compile?", "Show the panel"]
    assert [one.get("open") for one in folded] == [None] * 2
    answers = ["".join(one.itertext()).removeprefix(summary) for one, summary in zip(folded, summaries, strict=True)]
    assert "opt_state[0].count" in answers[0]
    assert answers[1] == "".join(ElementTree.fromstring(html.fragment(recording)).itertext())


@pytest.mark.parametrize("make", samples.ALL)
def test_html_with_a_quiz_is_well_formed(make: Callable[[], Sample]) -> None:
    recording = make()
    ElementTree.fromstring(html.draw_fragment(shape_panel(recording, has_quiz=True), recording))


def test_without_questions_the_panel_is_the_usual_one() -> None:
    nothing = samples.nothing()
    assert text.render(nothing, has_quiz=True) == text.render(nothing)
    assert html.draw_fragment(shape_panel(nothing, has_quiz=True), nothing) == html.fragment(nothing)


@pytest.mark.parametrize("has_quiz", [False, True])
def test_a_widget_has_the_quiz_in_its_view_and_needs_no_kernel_to_answer_it(comms: Comms, has_quiz: bool) -> None:
    widget = PanelWidget(samples.recompile_by_treedef(), has_quiz=has_quiz)
    widget.refresh()
    quiz = (comms.view_of(widget) or {})["quiz"]
    assert (quiz is not None) == has_quiz
    assert quiz is None or [question["column"] for question in quiz["questions"]] == [1]
