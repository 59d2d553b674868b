from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

import pytest

from jitviz.model import Signature
from jitviz.recording import events as ev
from jitviz.views import TERMINAL, shape_explanation, shape_panel
from tests.display import samples
from tests.display.samples import EPOCH_S, FIRST, Sample, Story, array

X = Signature((array("x", (4,)),))


def texts(value: object) -> list[str]:
    """Every text in a view."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in texts(part)]
    return []


@pytest.mark.parametrize("make", samples.ALL)
def test_a_panel_is_valid_json(make: Callable[[], Sample]) -> None:
    panel = asdict(shape_panel(make()))
    assert json.loads(json.dumps(panel, allow_nan=False)) == json.loads(json.dumps(panel))


@pytest.mark.parametrize("make", samples.ALL)
def test_no_text_of_a_panel_holds_a_control_character(make: Callable[[], Sample]) -> None:
    for limits in (None, TERMINAL):
        panel = shape_panel(make(), *([limits] if limits else []))
        assert [text for text in texts(asdict(panel)) if not text.replace("\n", "").isprintable()] == []


def test_a_panel_of_twenty_thousand_leaves_stays_small() -> None:
    assert len(json.dumps(asdict(shape_panel(samples.huge())))) < 120_000


def test_an_explanation_has_what_a_panel_says_of_causes_and_neither_trees_nor_programs() -> None:
    for make in samples.ALL:
        sample = make()
        told, panel = shape_explanation(sample, TERMINAL), shape_panel(sample, TERMINAL)
        versions = [version for function in told.functions for version in function.versions if not version.is_before]
        assert [(version.inputs, version.outputs, version.listings) for version in versions] == [
            (None, None, ()) for _ in versions
        ]
        assert [version.reasons for version in versions] == [
            version.reasons for function in panel.functions for version in function.versions if not version.is_before
        ]
        assert [one.summary for one in told.findings] == [one.summary for one in panel.findings]
        assert told.op_by_op == panel.op_by_op


def test_if_there_are_too_many_functions_the_most_expensive_are_shown_in_their_original_order() -> None:
    story = Story()
    for number in range(20):
        spent_s = 0.2 if number in (3, 18) else 0.01
        function = story.function(f"f{number}")
        story.miss(function, float(number), (spent_s, 0.01, 0.01), 0.0, X, (FIRST,))
    panel = shape_panel(story.end(30.0))
    names = [function.name for function in panel.functions]
    assert len(names) == 16
    assert names == sorted(names, key=lambda name: int(name[1:]))
    assert {"f3", "f18"} <= set(names)
    assert panel.n_more_functions == 4


def test_ahead_of_time_stages_are_merged_and_are_not_calls() -> None:
    story = Story()
    step = story.function("step")
    story.events += [ev.StageNoted(EPOCH_S, step, "eval_shape", "In [3]:2")] * 3
    panel = shape_panel(story.end(1.0))
    assert panel.stages == ("eval_shape of `step` 3 times at In [3]:2; no call",)
    assert panel.scores == ()


def test_failures_beyond_the_limit_are_counted() -> None:
    story = Story()
    story.events += [ev.CaptureFailed(EPOCH_S, "signature", f"KeyError: {number}") for number in range(11)]
    panel = shape_panel(story.end(1.0))
    assert (len(panel.failures), panel.n_more_failures) == (8, 3)


def test_the_process_number_is_not_shown() -> None:
    start = ev.RecordingStarted(EPOCH_S, "x", (("jax", "0.10.2"), ("process", "1234")))
    assert shape_panel(Sample([start], [])).made_with == "jax 0.10.2"


def test_two_functions_with_the_same_name_stay_separate() -> None:
    story = Story()
    story.hit(story.function("step"), 0.0, 0.1)
    first = next(event for event in story.events if isinstance(event, ev.FunctionSeen))
    story.events.append(
        ev.FunctionSeen(EPOCH_S, 9, type(first.info)("step", "step", "other", "jax.jit", "other.step", token=9))
    )
    story.hit(9, 0.5, 0.1)
    told = [(function.name, function.told) for function in shape_panel(story.end(1.0)).functions]
    assert told == [("step", "1 call: 1 hit, 0 compiles")] * 2
