"""Findings of recordings that are hard to read otherwise, whole, as a terminal shows them."""

from collections.abc import Callable
from itertools import repeat

import pytest

from jitviz.display import text
from jitviz.display.text import render, render_beginning
from jitviz.display.text_reasons import draw_findings
from jitviz.recording import Recording
from jitviz.views import TERMINAL, shape_panel
from tests.display.golden import matches
from tests.findings.runs import Run
from tests.findings.test_find import five_thousand_calls, forty_sizes, overlapping_causes
from tests.reasons.samples import array, scalar, static


def sixty_functions() -> Recording:
    """Each compiles once; every tenth has a cause of its own."""
    run = Run()
    for number in range(60):
        run.call(f"layer_{number}", array("x", (4,)), seconds=0.25)
        if number % 10 == 0:
            run.call(f"layer_{number}", array("x", (4,), "bfloat16"), seconds=0.25 + number)
    return run.end()


def two_threads() -> Recording:
    """Both make the same mistake, in turn."""
    run = Run()
    for step in range(4):
        thread = ("MainThread", "loader")[step % 2]
        run.call("prepare", array("batch", (32 - step, 8)), thread=thread, source=f"{thread.lower()}.py:5")
    return run.end()


def errors() -> Recording:
    """A trace that raises is no recompile, and what comes after it is."""
    run = Run()
    run.call("step", array("x", (3,)))
    run.call("step", array("x", (4,)), error="TypeError: shapes")
    run.call("step", array("x", (3,)), static("rate", 0.5))
    run.call("step", scalar("x"), static("rate", 0.5))
    return run.end()


@pytest.mark.parametrize(
    "record", [forty_sizes, overlapping_causes, five_thousand_calls, sixty_functions, two_threads, errors]
)
def test_findings_read_as_expected(record: Callable[[], Recording]) -> None:
    text = "\n".join(draw_findings(shape_panel(record(), TERMINAL), 100))
    assert matches(f"findings_{record.__name__}.txt", text)


def test_beside_a_panel_the_text_begins_with_the_findings_and_is_bounded() -> None:
    recording = forty_sizes()
    lines = render_beginning(recording).split("\n")
    whole = render(recording).split("\n")
    assert len(lines) == 60
    assert lines[:-1] == whole[:59]
    assert lines[-1] == "… and more: print(recording) shows everything"
    assert next(place for place, line in enumerate(lines) if line.startswith("1. `x` came in 40 sizes")) < 10


def test_what_does_not_stand_beside_a_panel_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_draw", lambda *_: repeat("a line"))
    assert render_beginning(forty_sizes()).count("a line\n") == 59
