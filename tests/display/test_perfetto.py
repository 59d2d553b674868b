from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from jitviz.display.perfetto import write_trace
from jitviz.recording import merge
from tests.display import samples
from tests.display.samples import Sample
from tests.recording.test_merging import of_process


def events_of(recording: Sample, tmp_path: Path) -> list[dict[str, Any]]:
    path = write_trace(recording, tmp_path / "trace.json")
    return list(json.loads(path.read_text(encoding="utf-8"))["traceEvents"])


def test_calls_and_phases_are_slices_in_microseconds(tmp_path: Path) -> None:
    slices = [event for event in events_of(samples.recompile_by_treedef(), tmp_path) if event["ph"] == "X"]
    assert [(event["cat"], event["name"], round(event["ts"]), round(event["dur"])) for event in slices[:3]] == [
        ("cell", "In [3]", 0, 2_300_000),
        ("call", "step", 50_000, 1_060_000),
        ("call", "step", 1_150_000, 840_000),
    ]
    phases = [event for event in slices if event["cat"] in ("trace", "lower", "compile")]
    assert [event["name"] for event in phases] == ["trace step", "lower step", "compile step"] * 2
    assert phases[-1]["args"] == {
        "version": 2,
        "source": "In [3]:3",
        "reason 1": "treedef opt_state[0].trace.index array → None",
        "reason 2": "weak_type opt_state[0].count weak int32 → int32",
    }


def test_phases_lie_inside_their_call_on_the_same_track(tmp_path: Path) -> None:
    events = events_of(samples.recompile_by_treedef(), tmp_path)
    calls = [event for event in events if event.get("cat") == "call"]
    for phase in (event for event in events if event.get("cat") in ("trace", "lower", "compile")):
        assert any(
            call["tid"] == phase["tid"]
            and call["ts"] <= phase["ts"] + 1
            and phase["ts"] + phase["dur"] <= call["ts"] + call["dur"] + 1
            for call in calls
        )


def test_tracks_have_names(tmp_path: Path) -> None:
    named = [event for event in events_of(samples.only_hits(), tmp_path) if event["ph"] == "M"]
    assert [(event["name"], event["tid"], event["args"]["name"]) for event in named] == [
        ("process_name", 0, "jitviz In [7]"),
        ("thread_name", 1, "cells"),
        ("thread_name", 2, "MainThread"),
    ]


def test_an_unfinished_slice_extends_to_the_end_and_says_so(tmp_path: Path) -> None:
    (last,) = (event for event in events_of(samples.still_compiling(), tmp_path) if event["name"] == "compile step")
    assert last["args"]["note"] == "had not ended"
    assert round(last["ts"] + last["dur"]) == 12_400_000


def test_errors_and_texts_of_the_user_are_valid_json(tmp_path: Path) -> None:
    for make in (samples.nasty, samples.error_in_trace, samples.nothing):
        assert events_of(make(), tmp_path)[-1]["ph"] == "M"


def test_programs_outside_any_jit_have_their_own_track(tmp_path: Path) -> None:
    events = events_of(samples.recompile_by_treedef(), tmp_path)
    (track,) = (event["tid"] for event in events if event["args"].get("name") == "outside any jit: MainThread")
    assert [event["name"] for event in events if event["tid"] == track and event["ph"] == "X"] == [
        "jit(iota)",
        "_threefry_split",
    ]


def test_each_process_of_a_merged_recording_has_its_own_tracks(tmp_path: Path) -> None:
    merged = merge(of_process(1, 8, 7), of_process(0, 8))
    events = events_of(merged, tmp_path)
    assert [(event["pid"], event["args"]["name"]) for event in events if event["name"] == "process_name"] == [
        (1, "process 0"),
        (2, "process 1"),
    ]
    assert Counter(event["pid"] for event in events if event.get("cat") == "call") == {1: 1, 2: 2}
    assert {(event["pid"], event["tid"]) for event in events if event.get("cat") == "call"} == {(1, 1), (2, 1)}
