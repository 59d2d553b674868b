from __future__ import annotations

from array import array as numbers_of
from dataclasses import replace

import pytest

from jitviz.model import Outcome, Signature
from jitviz.recording import events as ev
from jitviz.views import SAVED, shape_panel
from jitviz.views.groups import add_up, group_rows
from jitviz.views.schema import Lane
from jitviz.views.timeline import shape_timeline
from tests.display import samples
from tests.display.samples import EPOCH_S, FIRST, Story, array

X = Signature((array("x", (4,)),))


def test_an_inner_call_has_a_lane_below_its_caller() -> None:
    story = Story()
    outer, inner = story.function("outer"), story.function("inner")
    call = story.miss(outer, 0.0, (0.1, 0.1, 0.1), 0.5, X, (FIRST,))
    story.miss(inner, 0.1, (0.1, 0.1, 0.1), 0.0, X, (FIRST,), parent=call)
    timeline = shape_timeline(story.end(1.0), SAVED, {})
    assert timeline.lanes == (Lane("outer", -1, "", 0), Lane("inner", -1, "", 1))
    assert timeline.call_parent == (-1, 0)


def test_each_thread_has_lanes_of_its_own() -> None:
    story = Story()
    step = story.function("step")
    for call, thread in enumerate(("MainThread", "loader", "MainThread")):
        story.events.append(ev.CallFinished(EPOCH_S + 1, call, step, EPOCH_S, "hit", thread=thread))
    timeline = shape_timeline(story.end(2.0), SAVED, {})
    assert [lane.thread for lane in timeline.lanes] == ["", "loader"]
    assert timeline.call_lane == (0, 1, 0)


def test_the_lane_of_a_hidden_function_has_no_place_in_the_panel() -> None:
    story = Story()
    for number in range(3):
        story.miss(story.function(f"f{number}"), number / 10, (0.0, 0.0, 0.1 * number), 0.0, X, (FIRST,))
    panel = shape_panel(story.end(1.0), replace(SAVED, functions=2))
    assert [(lane.name, lane.function) for lane in panel.timeline.lanes] == [("f0", -1), ("f1", 0), ("f2", 1)]


def test_ahead_of_time_work_has_a_lane_and_no_call() -> None:
    story = Story()
    step = story.function("step")
    story.events += [
        ev.CompileStarted(EPOCH_S, 0, None, step, X, stage="lower"),
        ev.PhaseFinished(EPOCH_S + 0.2, 0, "lower", EPOCH_S + 0.1),
    ]
    story.reasons.append((FIRST,))
    timeline = shape_timeline(story.end(1.0), SAVED, {})
    assert (timeline.phase_call, timeline.phase_lane, timeline.lanes) == ((-1,), (0,), (Lane("step", -1, "", 0),))


def test_a_run_starts_when_the_program_is_ready() -> None:
    story = Story()
    step = story.function("step")
    story.events += [
        ev.CallStarted(EPOCH_S, 0, step),
        ev.CompileStarted(EPOCH_S + 0.5, 0, 0, step, X),
        ev.PhaseStarted(EPOCH_S + 1.0, 0, "trace"),
        ev.PhaseFinished(EPOCH_S + 2.0, 0, "trace", EPOCH_S + 1.0, own_s=0.75),
        ev.PhaseStarted(EPOCH_S + 3.0, 0, "compile"),
        ev.PhaseFinished(EPOCH_S + 5.0, 0, "compile", EPOCH_S + 3.0, own_s=0.5),
        ev.CallFinished(EPOCH_S + 6.0, 0, step, EPOCH_S, "compile"),
        ev.CallFinished(EPOCH_S + 7.0, 1, step, EPOCH_S + 6.5, "hit"),
    ]
    story.reasons.append((FIRST,))
    recording = story.end(8.0)
    assert [call.ready_s for call in recording.calls] == [5.5, 6.5]
    told = shape_timeline(recording, SAVED, {})
    assert (told.call_start_s, told.call_duration_s, told.call_ready_s) == ((0.0, 6.5), (6.0, 0.5), (5.5, 6.5))
    assert (told.phase_start_s, told.phase_duration_s, told.phase_own_s) == ((1.0, 3.0), (1.0, 2.0), (0.75, 0.5))


def test_nothing_runs_during_a_phase() -> None:
    recording = samples.still_compiling()
    assert [call.ready_s for call in recording.calls] == [None]
    assert shape_timeline(recording, SAVED, {}).call_ready_s == (-1.0,)


@pytest.mark.parametrize("outcome", ["inlined", "error"])
def test_a_call_that_was_inlined_or_raised_ran_nothing(outcome: Outcome) -> None:
    story = Story()
    story.events.append(ev.CallFinished(EPOCH_S + 2.0, 0, story.function("step"), EPOCH_S + 1.0, outcome))
    recording = story.end(3.0)
    assert [(call.outcome, call.ready_s) for call in recording.calls] == [(outcome, None)]
    assert shape_timeline(recording, SAVED, {}).call_ready_s == (-1.0,)


def test_in_a_recording_of_very_many_calls_similar_hits_are_one_entry_with_a_count() -> None:
    story = Story()
    step = story.function("step")
    story.events.append(ev.SiteSeen(EPOCH_S, 9, step, "a.py:3"))
    start_ns = int(EPOCH_S * 1e9)
    numbers = [number for hit in range(4) for number in (9, start_ns + hit * 10**9, 10**8)]
    story.events.append(ev.HitsNoted(EPOCH_S + 4, numbers_of("q", numbers).tobytes()))
    story.events.append(ev.CallFinished(EPOCH_S + 6.0, 70, step, EPOCH_S + 5.0, "hit"))
    rec = story.end(7.0)
    whole = shape_timeline(rec, SAVED, {})
    assert (whole.call_start_s, whole.call_count) == ((0.0, 1.0, 2.0, 3.0, 5.0), (1,) * 5)
    told = shape_timeline(rec, replace(SAVED, bars=4), {})
    assert (told.call_start_s, told.call_duration_s, told.call_count) == ((0.0, 5.0), (0.4, 1.0), (4, 1))
    assert [(column.first, column.last) for column in shape_panel(rec).scores[0].columns] == [(1, 5)]
    assert add_up(rec, group_rows(rec))["hit"] == 5
