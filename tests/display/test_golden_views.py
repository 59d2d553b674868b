"""Views and answers as files, which the tests of the front end read."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, get_args

import pytest

from jitviz.display.answers import UnansweredError, answer, list_program_questions, list_tree_questions, name_question
from jitviz.display.function_outline import parts
from jitviz.model import HitsSeen, quantities
from jitviz.views import PANEL, Panel, shape_panel
from jitviz.views.groups import at_least
from tests.display import samples
from tests.display.golden import matches

# One of twenty thousand leaves is made by the front end's tests themselves.
STORIES = [story for story in samples.ALL if story is not samples.huge]


def as_json(value: Any) -> str:
    return json.dumps(value, default=vars, indent=1, ensure_ascii=False, allow_nan=False)


def all_answers(recording: samples.Sample, panel: Panel) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for kind, params in (*list_tree_questions(recording, panel), *list_program_questions(panel)):
        with suppress(UnansweredError):
            answers[name_question(kind, params)] = answer(recording, kind, params)
    return answers


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_a_view_is_the_one_that_the_front_end_was_tested_with(story: Callable[[], samples.Sample]) -> None:
    recording = story()
    panel = shape_panel(recording, PANEL)
    view = {"view": panel, "answers": all_answers(recording, panel)}
    assert matches(f"{story.__name__}.json", as_json(view))


NUMBERS = (0, 1, 2, 9.9, 9.96, 512, 999, 1000, 1250, 48_600, 1_250_000, 9_960_000, 3e9, 7.7e12, 5e15)
TIMES_S = (
    None,
    0.0,
    1e-9,
    4.2e-7,
    1e-6,
    3.14e-5,
    0.000999,
    0.01,
    0.0997,
    0.25,
    0.9996,
    1.04,
    9.94,
    9.96,
    42.4,
    100.0,
    4000.9,
)
LEAVES = ((0, 0, 0), (1, 0, 0), (132, 14, 1_200_000), (0, 3, 0), (2000, 0, 8))


def test_words_are_those_that_the_front_end_says() -> None:
    said = {
        "count": [
            [number, noun, quantities.count(number, noun)] for number in (0, 1, 2000) for noun in ("hit", "leaf")
        ],
        "atLeast": [[number, seen, at_least(number, seen)] for number in (0, 1, 2000) for seen in get_args(HitsSeen)],
        "seconds": [[time, quantities.seconds(time)] for time in TIMES_S],
        "size": [[number, quantities.size(number)] for number in NUMBERS],
        "parts": [[*sums, parts(*sums)] for sums in LEAVES],
    }
    assert matches("words.json", as_json(said))
