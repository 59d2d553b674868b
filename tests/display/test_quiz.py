from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from jitviz.display import html, text
from jitviz.display.quiz_outline import outline_quiz
from jitviz.display.widget import PanelWidget
from jitviz.display.wrapped_lines import width_of, write
from jitviz.model import Signature
from jitviz.views.schema import CallQuestion, LeafQuestion, Quiz
from tests.display import samples
from tests.display.conftest import Comms
from tests.display.samples import FIRST, Sample, Story, array, static

SIGNATURE = Signature((array("x", (4,)), static("mode", "str", "'<train>'")))
QUIZ = Quiz(
    calls=(
        CallQuestion("step", 1, "In [3]:3", "compile", "`x` changed its shape."),
        CallQuestion("step", 2, "", "hit", "It found version 1."),
    ),
    n_more_calls=45,
    function="step",
    call=1,
    source="In [3]:3",
    leaves=(
        LeafQuestion("x", "jax.Array", "traced", "An input of the program: `f32[4]`."),
        LeafQuestion("mode", "str", "static", "Part of the cache key: `'train'`."),
    ),
    n_more_leaves=1,
    note="Some hits are not seen.",
)
ASKED = """\
Quiz: hit or compile, traced or static? Answer first, then look.
1. step, call 1 at In [3]:3: hit or compile?
2. step, call 2: hit or compile?
3. Which leaves are traced in step, call 1 at In [3]:3: x (jax.Array), mode (str)?
Not in the quiz: 45 more calls, 1 more leaf. Some hits are not seen.

The answers are below.
"""
ANSWERED = """
1. compile. `x` changed its shape.
2. hit. It found version 1.
3. `x` is traced. An input of the program: `f32[4]`.
   `mode` is static. Part of the cache key: `'train'`."""


def test_in_text_the_answers_come_after_a_gap() -> None:
    assert "\n".join(write(outline_quiz(QUIZ), 100)) == ASKED + "⋮\n" * 20 + ANSWERED


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


def two_calls() -> Sample:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, SIGNATURE, (FIRST,))
    story.hit(step, 1.0, 0.01, version=0)
    return story.end(2.0)


def test_in_html_the_answers_and_the_panel_are_folded() -> None:
    root = ElementTree.fromstring(html.fragment(two_calls(), has_quiz=True))
    folded = root.findall("details")
    summaries = ["".join(one.find("summary").itertext()) for one in folded]  # type: ignore[union-attr]
    assert summaries == [
        "1. step, call 1 at In [3]:3: hit or compile?",
        "2. step, call 2 at In [3]:3: hit or compile?",
        "3. Which leaves are traced in step, call 1 at In [3]:3: x (jax.Array), mode (str)?",
        "Show the panel",
    ]
    assert [one.get("open") for one in folded] == [None] * 4
    answers = ["".join(one.itertext()).removeprefix(summary) for one, summary in zip(folded, summaries, strict=True)]
    assert answers[:3] == [
        "compile. The function had not been compiled before.",
        "hit. It ran version 1, which call 1 compiled.",
        "x is traced. An input of the program: f32[4].mode is static. Part of the cache key: '<train>'.",
    ]
    plain = ElementTree.fromstring(html.fragment(two_calls()))
    assert answers[3] == "".join(plain.itertext())


@pytest.mark.parametrize("make", samples.ALL)
def test_html_with_a_quiz_is_well_formed(make: Callable[[], Sample]) -> None:
    ElementTree.fromstring(html.fragment(make(), has_quiz=True))


def test_without_questions_the_panel_is_the_usual_one() -> None:
    nothing = samples.nothing()
    assert text.render(nothing, has_quiz=True) == text.render(nothing)
    assert html.fragment(nothing, has_quiz=True) == html.fragment(nothing)


def test_a_widget_has_the_quiz_in_its_view_and_needs_no_kernel_to_answer_it(comms: Comms) -> None:
    widget = PanelWidget(two_calls(), has_quiz=True)
    widget.refresh()
    view = comms.view_of(widget) or {}
    truths = [question["truth"] for question in view["quiz"]["calls"]]
    assert truths == ["compile", "hit"]


def test_a_widget_without_a_quiz_has_none(comms: Comms) -> None:
    widget = PanelWidget(two_calls())
    widget.refresh()
    assert (comms.view_of(widget) or {})["quiz"] is None
