"""The findings of complex recordings, as a terminal shows them."""

from collections.abc import Callable
from itertools import repeat

import pytest

from jitviz.display import text
from jitviz.display.access import IN_HAND
from jitviz.display.outline import outline_findings, outline_overview
from jitviz.display.text import render, render_beginning
from jitviz.display.wrapped_lines import after_gap, say, write
from jitviz.model import Signature
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.views import TERMINAL, shape_panel
from tests.display.golden import matches
from tests.display.samples import EPOCH_S, Story
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
    """Both threads make the same mistake in turn."""
    run = Run()
    for step in range(4):
        thread = ("MainThread", "loader")[step % 2]
        run.call("prepare", array("batch", (32 - step, 8)), thread=thread, source=f"{thread.lower()}.py:5")
    return run.end()


def errors() -> Recording:
    """A trace that raises is not a recompile, but the compile after it is."""
    run = Run()
    run.call("step", array("x", (3,)))
    run.call("step", array("x", (4,)), error="TypeError: shapes")
    run.call("step", array("x", (3,)), static("rate", 0.5))
    run.call("step", scalar("x"), static("rate", 0.5))
    return run.end()


def twelve_blocks() -> Recording:
    """A transformer step that donates its model: the weights are weak at first, and then comes a short batch."""
    story = Story(label="train.py")
    step = story.function("step", "equinox.filter_jit", "train.py:40", "train")
    names = [f"model.blocks[{block}].{name}" for block in range(12) for name in ("attn.weight", "mlp.weight")]
    for at_s, rows, is_weak in ((0.0, 4, True), (40.0, 4, False), (80.0, 3, False)):
        model = [array(name, (64, 64), donated=True, weak_type=is_weak) for name in names]
        batch = array("batch", (rows, 32), "int32")
        kept = tuple(names[:-1])
        story.miss(step, at_s, (6.0, 2.0, 22.0), 0.5, Signature((*model, batch)), (), source="train.py:61", reused=kept)
    return _explained(story, 120.0)


def nested() -> Recording:
    """A jitted loss compiles inside the trace of a step that recompiles."""
    story = Story(label="train.py")
    step, loss = story.function("step"), story.function("loss")
    for at_s, rows in ((0.0, 4), (4.0, 3)):
        given = Signature((array("x", (rows,)),))
        call = story.miss(step, at_s, (2.0, 0.5, 1.0), 0.0, given, (), source="train.py:9")
        story.miss(loss, at_s + 0.5, (0.5, 0.25, 0.5), 0.0, given, (), source="train.py:4", parent=call)
    return _explained(story, 8.0)


def _explained(story: Story, wall_s: float) -> Recording:
    return Recording([*story.events, ev.RecordingFinished(EPOCH_S + wall_s)])


_STRESS = [
    forty_sizes,
    overlapping_causes,
    five_thousand_calls,
    sixty_functions,
    two_threads,
    errors,
    twelve_blocks,
    nested,
]


@pytest.mark.parametrize("record", _STRESS)
def test_findings_read_as_expected(record: Callable[[], Recording]) -> None:
    panel = shape_panel(record(), TERMINAL)
    findings = outline_findings(panel.findings, panel.n_more_findings, IN_HAND)
    lines = [*outline_overview(panel, 100), *after_gap(findings)]
    assert matches(f"findings_{record.__name__}.txt", "\n".join(write(lines, 100)))


@pytest.mark.parametrize("record", _STRESS)
def test_every_finding_that_counts_is_in_the_first_15_lines(record: Callable[[], Recording]) -> None:
    recording = record()
    first = render(recording, 80).split("\n")[:15]
    for number, found in enumerate(recording.findings[:9], 1):
        if found.seconds >= 0.05 * recording.account.wall_s:
            assert [line for line in first if line.lstrip().startswith(f"{number}. ")], first


def test_the_text_beside_a_panel_starts_with_the_findings_and_is_bounded() -> None:
    recording = forty_sizes()
    lines = render_beginning(recording).split("\n")
    whole = render(recording).split("\n")
    assert len(lines) == 60
    assert lines[:-1] == whole[:59]
    assert lines[-1] == "… and more: print the recording"
    assert next(place for place, line in enumerate(lines) if "`x` came in 40 sizes" in line) < 10


def test_only_the_beginning_of_the_text_beside_a_panel_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "outline_panel", lambda *_: repeat(say(0, "a line")))
    assert render_beginning(forty_sizes()).count("a line\n") == 59
