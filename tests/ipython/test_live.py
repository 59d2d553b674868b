"""The panel of a running cell, with fake outputs. tests/browser has the panel in a browser."""

from __future__ import annotations

import importlib
import sys
import threading
from itertools import count
from types import SimpleNamespace

import pytest

import jitviz.display
from jitviz.ipython import cell_panel
from jitviz.ipython.cell_panel import LivePanel
from jitviz.recording import Recording
from jitviz.recording import events as ev
from tests.display import samples

STORY = samples.recompile_by_treedef().events


class Outputs:
    """The fake outputs of a panel, which log their calls."""

    def __init__(self, recording: Recording, *, is_asked: bool = True) -> None:
        self.done = ["opened"]
        self.drawn = threading.Semaphore(0)
        opened.append(self)

    def refresh(self) -> None:
        self.drawn.release()

    def tell(self, progress: dict[str, object]) -> None:
        told.append(progress["compiles"])
        self.drawn.release()

    def settle(self) -> None:
        self.done.append("settled")


opened: list[Outputs] = []
told: list[object] = []


@pytest.fixture(autouse=True)
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[Outputs]:
    """The outputs that panels open in this test."""
    opened.clear()
    monkeypatch.setattr("jitviz.display.notebook_output.Shown", Outputs)
    monkeypatch.setattr(cell_panel, "PERIOD_S", 0.001)
    return opened


def followers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "jitviz-live"]


def tell(recording: Recording, until: int = len(STORY)) -> None:
    for event in STORY[:until]:
        recording.append(event)


def test_the_panel_opens_with_the_first_compile_and_settles_with_the_cell(outputs: list[Outputs]) -> None:
    recording = Recording()
    panel = LivePanel(recording)
    tell(recording)
    assert panel.close() is True
    assert [one.done for one in outputs] == [["opened", "settled"]]


def test_the_panel_opens_with_the_first_program_outside_any_jit(outputs: list[Outputs]) -> None:
    recording = Recording()
    panel = LivePanel(recording)
    recording.append(samples.op_compiled(samples.EPOCH_S, "jnp.sin", 0.1))
    assert [one.done for one in outputs] == [["opened"]]
    assert panel.close() is True


def test_a_cell_of_hits_opens_nothing_while_it_runs(outputs: list[Outputs]) -> None:
    recording = Recording()
    panel = LivePanel(recording)
    for event in samples.hits_of_earlier_versions().events:
        recording.append(event)
    assert panel.close() is False
    assert outputs == []


def test_the_panel_is_redrawn_while_the_cell_runs(outputs: list[Outputs]) -> None:
    recording = Recording()
    panel = LivePanel(recording)
    tell(recording)
    (shown,) = outputs
    assert all(shown.drawn.acquire(timeout=60) for _ in range(3))
    (follower,) = followers()
    panel.close()
    assert not follower.is_alive()


def test_between_two_drawings_the_browser_hears_of_each_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_panel, "PERIOD_S", 60.0)
    monkeypatch.setattr(cell_panel, "NEWS_S", 0.001)
    told.clear()
    recording = Recording()
    panel = LivePanel(recording)
    for event in STORY:
        recording.append(event)
        while isinstance(event, ev.CompileFinished) and panel._progress.tell()["compiles"] not in told:
            assert opened[0].drawn.acquire(timeout=60)
    panel.close()
    assert {1, 2} <= {*told}


def test_a_compile_of_another_thread_opens_no_output(outputs: list[Outputs]) -> None:
    recording = Recording()
    panel = LivePanel(recording)
    other = threading.Thread(target=tell, args=(recording,))
    other.start()
    other.join()
    assert panel.close() is False
    assert outputs == []


def test_an_error_of_the_front_end_does_not_reach_the_users_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(recording: Recording) -> None:
        raise RuntimeError("no outputs")

    monkeypatch.setattr("jitviz.display.notebook_output.Shown", fail)
    recording = Recording()
    panel = LivePanel(recording)
    tell(recording)
    assert panel.close() is False


def test_a_failed_drawing_is_retried(outputs: list[Outputs], monkeypatch: pytest.MonkeyPatch) -> None:
    tries = threading.Semaphore(0)

    def fail(shown: Outputs) -> None:
        tries.release()
        raise RuntimeError("the comm is closed")

    monkeypatch.setattr(Outputs, "refresh", fail)
    recording = Recording()
    panel = LivePanel(recording)
    tell(recording)
    assert all(tries.acquire(timeout=60) for _ in range(2))
    assert panel.close() is True


def test_events_after_the_end_are_ignored(outputs: list[Outputs]) -> None:
    recording = Recording()
    LivePanel(recording).close()
    tell(recording)
    assert outputs == []


def test_the_widget_is_imported_before_a_recording_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "jitviz.display.widget"
    importlib.import_module(name)
    monkeypatch.delattr(jitviz.display, "widget")
    monkeypatch.delitem(sys.modules, name)
    cell_panel.load()
    assert name in sys.modules


def test_a_compile_that_holds_the_interpreter_does_not_delay_the_next_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawing of 38 ms took 429 ms by the wall, and the next one came 21 s later."""
    wall_s, cpu_s, waited = count(0, 1_000.0), count(0, 0.02), list[float]()
    clocks = {"perf_counter": lambda: next(wall_s), "time": lambda: next(wall_s), "thread_time": lambda: next(cpu_s)}
    panel = LivePanel(Recording())
    monkeypatch.setattr(cell_panel, "system", SimpleNamespace(**vars(cell_panel.system) | clocks))
    monkeypatch.setattr(panel, "_is_over", lambda period_s: waited.append(period_s) or len(waited) == 3)
    panel._follow()
    assert waited == [0.001, pytest.approx(0.02 / cell_panel.SHARE), pytest.approx(0.02 / cell_panel.SHARE)]
