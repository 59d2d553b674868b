from __future__ import annotations

from collections.abc import Callable

import pytest

from jitviz.display.layout import width_of
from jitviz.display.text import render
from jitviz.model import Signature
from jitviz.recording import events as ev
from jitviz.views import SAVED, shape_panel
from tests.display import samples
from tests.display.golden import matches
from tests.display.samples import EPOCH_S, Sample, Story, array


@pytest.mark.parametrize("width", [100, 60, 40])
@pytest.mark.parametrize(
    "make", [samples.recompile_by_treedef, samples.only_hits, samples.error_in_trace, samples.nasty, samples.nothing]
)
def test_a_recording_reads_as_expected_at_any_width(make: Callable[[], Sample], width: int) -> None:
    assert matches(f"{make.__name__}.{width}.txt", render(make(), width))


@pytest.mark.parametrize("width", [24, 40, 60, 100, 160])
@pytest.mark.parametrize("make", samples.ALL)
def test_no_line_is_wider_than_asked_for(make: Callable[[], Sample], width: int) -> None:
    lines = render(make(), width).split("\n")
    assert [line for line in lines if width_of(line) > width] == []
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("make", samples.ALL)
def test_nothing_but_printable_characters_comes_out(make: Callable[[], Sample]) -> None:
    assert render(make()).replace("\n", "").isprintable()


def test_whatever_the_static_html_says_is_said_in_text() -> None:
    """Every leaf, reason, advice, phase and limit of the smaller view stands in the text."""
    recording = samples.recompile_by_treedef()
    text = render(recording, 1000)
    panel = shape_panel(recording, SAVED)
    for function in panel.functions:
        for version in function.versions:
            for reason in version.reasons:
                assert reason.summary in text
                assert reason.advice in text
            for partition in (version.inputs, version.outputs):
                for row in partition.rows if partition else ():
                    assert f"{row.name}" in text
                    assert row.aval in text
    assert all(chip.value in text for chip in panel.chips)


def test_what_could_not_be_seen_is_said() -> None:
    assert f"limits: {samples.BOUND}" in render(samples.only_hits())


def test_failures_of_the_capture_are_said() -> None:
    story = Story()
    story.events.append(ev.CaptureFailed(EPOCH_S, "signature", "KeyError: 'x'"))
    assert "capture failed: signature: KeyError: 'x'" in render(story.end(1.0))


def test_a_long_list_of_leaves_ends_with_how_many_more_there_are() -> None:
    story = Story()
    leaves = tuple(array(f"x{number}", ()) for number in range(1_000))
    story.hit(story.function("step"), 0.0, 0.1, signature=Signature(leaves))
    assert "600 more: 600 traced, 2.4 kB" in render(story.end(1.0))


def test_the_timeline_is_a_line_of_blocks() -> None:
    lines = render(samples.recompile_by_treedef(), 60).split("\n")
    (lane,) = [line for line in lines if line.startswith("step  ")]
    assert set(lane.removeprefix("step")) <= set(" ░▒█─|")
    assert lane.count("|") == 5
