"""What a running cell tells the browser between two drawings."""

from __future__ import annotations

import pytest

from jitviz.ipython.progress import Progress
from jitviz.model import system
from jitviz.recording import events as ev
from tests.display import samples

AT_60_S = {"type": "progress", "at_s": 60.0}


@pytest.fixture(autouse=True)
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "time", lambda: samples.EPOCH_S + 60)


def test_it_names_the_phase_under_way_and_since_when() -> None:
    since_s = pytest.approx(0.9)
    running = {"what": "compile", "since_s": since_s, "function": "step"}
    assert Progress(samples.still_compiling().events).tell() == {**AT_60_S, "compiles": 0, **running}


def test_a_trace_inside_another_names_both() -> None:
    story = samples.Story()
    outer, inner = story.function("step"), story.function("rms")
    begun = [ev.PhaseStarted(samples.EPOCH_S + 1, 0, "trace"), ev.PhaseStarted(samples.EPOCH_S + 2, 1, "trace")]
    started = [
        ev.CompileStarted(samples.EPOCH_S, number, None, function, samples.Signature(()))
        for number, function in enumerate((outer, inner))
    ]
    running = {"what": "trace", "since_s": 2.0, "function": "rms", "inside": "step"}
    assert Progress([*story.events, *started, *begun]).tell() == {**AT_60_S, "compiles": 0, **running}


def test_between_phases_there_is_only_the_number_of_compiles_without_those_before_the_recording() -> None:
    assert Progress(samples.recompile_by_treedef().events).tell() == {**AT_60_S, "compiles": 2}
    assert Progress(samples.hits_of_earlier_versions().events).tell() == {**AT_60_S, "compiles": 0}
