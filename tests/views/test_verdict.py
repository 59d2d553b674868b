from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jitviz.model import Glance, Reason, Signature
from jitviz.recording import Recording, load, merge
from jitviz.recording import events as ev
from jitviz.views import shape_panel
from jitviz.views.groups import add_up, group_rows
from jitviz.views.schema import Span, Verdict
from jitviz.views.words import as_text
from tests.display import samples
from tests.display.samples import EPOCH_S, FIRST, Sample, Story, array, op_compiled
from tests.findings.runs import Run
from tests.findings.test_slow_traces import traced
from tests.reasons.samples import static
from tests.recording.test_merging import of_process

X = Signature((array("x", (4,)),))
SHAPE = Reason("shape", "x", "f32[3]", "f32[4]", "`x` changed its shape.", "Pad it.")


def verdict(recording: Sample) -> Verdict:
    return shape_panel(recording).verdict


def told(recording: Sample) -> tuple[str, str]:
    """The title and the line below it."""
    return as_text(verdict(recording).title), as_text(verdict(recording).subline)


@pytest.mark.parametrize(
    ("make", "level", "title", "subline"),
    [
        (samples.nothing, "empty", "No jitted call ran in this cell", ""),
        (samples.only_hits, "hits", "Nothing compiled in this cell: at least 13 calls, all hits", ""),
        (
            samples.recompile_by_treedef,
            "recompile",
            "830 ms to save of 2.3 s",
            "`step` compiled 2 times in 12 calls.",
        ),
        (
            samples.error_in_trace,
            "error",
            "`Model.loss` raised TypeError",
            "dot_general requires contracting dimensions to have the same shape, got (4,) and (5,). "
            "`Model.loss` compiled once in 2 calls; 1 error.",
        ),
        (
            samples.still_compiling,
            "running",
            "`step` is still compiling, 12 s so far",
            "1 call, 1 program outside any jit.",
        ),
    ],
)
def test_one_line_says_what_it_comes_to_and_one_what_happened(
    make: type[Sample], level: str, title: str, subline: str
) -> None:
    recording = make()
    assert (verdict(recording).level, *told(recording)) == (level, title, subline)


def test_what_could_be_saved_is_strong() -> None:
    assert [span.text for span in verdict(samples.recompile_by_treedef()).title if span.is_strong] == ["830 ms to save"]


def test_without_a_jitted_call_it_says_what_to_write() -> None:
    assert "%%filterjit -f NAME" in verdict(samples.nothing()).advice
    assert "%%filterjit" not in verdict(Recording([ev.RecordingStarted(EPOCH_S, "train.py", hits_seen="all")])).advice


def test_if_hits_may_be_unseen_an_empty_cell_may_still_have_made_calls() -> None:
    story = Story(limits=(samples.BOUND,), hits_seen="some").end(0.1)
    assert told(story) == ("No jitted call was seen in this cell", "")


def test_a_recording_outside_of_cells_is_called_a_recording() -> None:
    recording = Sample([ev.RecordingStarted(EPOCH_S, "train.py"), ev.RecordingFinished(EPOCH_S + 1)], [])
    assert told(recording) == ("No jitted call ran in this recording", "")


def test_the_title_uses_the_time_of_the_cells() -> None:
    story = Story()
    story.miss(story.function("step"), 0.0, (0.5, 0.25, 0.75), 0.5, Signature(), (FIRST,))
    story.events.append(ev.CellFinished(EPOCH_S + 3.0, "In [3]"))
    story.events.append(ev.RecordingFinished(EPOCH_S + 20.0))
    assert told(Sample(story.events, [(FIRST,)])) == (
        "1.5 of the 3.0 s compiling, nothing to save",
        "`step` compiled once in 1 call.",
    )


def test_what_a_rewrite_is_estimated_to_save_is_not_called_nothing() -> None:
    recording = traced((Glance("model.py:12", ("train.py:7",), "numpy.sort"), 5.0))
    title = as_text(shape_panel(recording).verdict.title)
    assert title == "5.5 of the 5.6 s compiling, 5.0 s to save, estimated"


def test_several_cells_are_called_cells() -> None:
    story = Story()
    story.events += [ev.CellStarted(EPOCH_S, "In [4]"), ev.CellFinished(EPOCH_S + 1, "In [4]")]
    assert told(story.end(2.0)) == ("No jitted call ran in these cells", "")


def test_the_most_expensive_functions_are_named_and_the_others_counted() -> None:
    story = Story()
    for name in ("step", "evaluate", "init"):
        story.miss(story.function(name), 0.1, (0.1, 0.1, 0.1), 0.0, X, (FIRST,))
    story.hit(1, 0.9, 0.01, version=1)
    assert told(story.end(1.0))[1] == "`step` compiled once in 1 call; `evaluate` once; 1 more function."


def test_compiles_that_overlap_count_their_wall_time_once() -> None:
    story = Story()
    outer = story.function("outer")
    call = story.miss(outer, 0.0, (0.5, 0.1, 0.2), 0.0, X, (FIRST,))
    story.miss(story.function("inner"), 0.1, (0.1, 0.1, 0.1), 0.0, X, (FIRST,), parent=call)
    recording = story.end(1.0)
    assert add_up(recording, group_rows(recording)).compile_s == pytest.approx(0.8)


def test_recompiles_that_findings_explain_are_only_counted() -> None:
    story = Story()
    step = story.function("step")
    mode = Reason("static_value", "is_training", "True", "False", "", inherent=True)
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, X, (FIRST,))
    story.miss(step, 1.0, (0.1, 0.1, 0.7), 0.0, X, (mode,))
    story.miss(step, 2.0, (0.1, 0.1, 0.2), 0.0, X, (SHAPE,))
    recording = story.end(4.0)
    assert told(recording)[1] == "`step` compiled 3 times in 3 calls."
    assert verdict(recording).advice == ""


def test_expected_recompiles_are_called_expected_and_explained() -> None:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, X, (replace(SHAPE, inherent=True),))
    recording = story.end(1.0)
    assert told(recording)[1] == "`step` compiled once in 1 call. `x` f32[3] → f32[4]."
    leaves = [span for span in verdict(recording).subline if span.path]
    assert leaves == [Span("x", is_code=True, path="x", compile=0)]
    assert verdict(recording).advice == SHAPE.advice


def test_a_cause_without_a_leaf_is_told_by_its_summary() -> None:
    story = Story()
    edited = "`step` changed to a new function: you re-ran its cell."
    cause = Reason("new_function", "", "", "", edited, inherent=True)
    story.miss(story.function("step"), 0.0, (0.1, 0.1, 0.1), 0.0, X, (cause,))
    assert told(story.end(1.0))[1].endswith(f"in 1 call. {edited}")


def test_a_running_recompile_already_has_its_cause() -> None:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, X, (FIRST,))
    story.miss(step, 1.0, (0.1, 0.1, 0.0), 0.0, X, (SHAPE,), is_over=False)
    assert told(story.stop())[0] == "`step` is still compiling, 200 ms so far; `x` f32[3] → f32[4]"


def test_a_compile_that_has_just_begun_has_no_time_and_is_not_a_retrace() -> None:
    story = Story()
    step = story.function("step")
    story.events += [
        ev.CallStarted(EPOCH_S + 1, 0, step),
        ev.CompileStarted(EPOCH_S + 1, 0, 0, step, X),
        ev.PhaseStarted(EPOCH_S + 1, 0, "trace"),
    ]
    story.reasons.append((FIRST,))
    recording = story.stop()
    assert told(recording) == ("`step` is still compiling", "1 call.")
    assert add_up(recording, group_rows(recording))["retrace"] == 0


def test_an_error_outside_any_call_belongs_to_the_cell() -> None:
    story = Story()
    story.hit(story.function("step"), 0.0, 0.1)
    raised = story.end(1.0, "ZeroDivisionError: division by zero.")
    assert told(raised) == ("This cell raised ZeroDivisionError", "Division by zero.")


def test_a_cell_that_raised_before_any_call_gets_no_advice_to_make_one() -> None:
    raised = verdict(Story().end(1.0, "NameError: name 'step' is not defined."))
    assert (raised.level, raised.advice) == ("error", "")


def test_an_incomplete_capture_is_noted_beside_the_sentence() -> None:
    story = Story()
    story.events.append(ev.CaptureFailed(EPOCH_S, "signature", "KeyError: 'x'"))
    assert verdict(story.end(1.0)).notes == ("Capture incomplete: 1 failure inside jitviz, listed at the end.",)


def test_the_lost_end_of_a_torn_file_is_not_a_failure_of_the_capture(tmp_path: Path) -> None:
    whole = samples.only_hits().save(tmp_path / "whole.jsonl")
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(whole.read_bytes()[:-9])
    assert shape_panel(load(torn)).verdict.notes == (
        "The recording is incomplete: its process was killed, or was still running when this was read.",
        "In the file, the last line was cut off, as when a process is killed while it writes.",
    )
    assert shape_panel(load(torn)).failures == ()


def test_a_program_that_was_only_lowered_is_not_a_compile() -> None:
    story = Story()
    step = story.function("step")
    story.events += [
        ev.CompileStarted(EPOCH_S, 0, None, step, X, stage="lower"),
        ev.PhaseFinished(EPOCH_S + 0.2, 0, "trace", EPOCH_S + 0.1),
        ev.PhaseFinished(EPOCH_S + 0.3, 0, "lower", EPOCH_S + 0.2),
        ev.CompileFinished(EPOCH_S + 0.3, 0),
    ]
    story.reasons.append((FIRST,))
    assert told(story.end(1.0)) == ("Nothing compiled in this cell: 1 program traced or lowered ahead of time", "")


def test_calls_that_neither_hit_nor_compiled_are_counted_by_outcome() -> None:
    story = Story()
    step = story.function("step")
    story.hit(step, 0.0, 0.1)
    story.events.append(ev.CallFinished(EPOCH_S + 1, 7, step, EPOCH_S, "inlined"))
    assert told(story.end(2.0)) == ("Nothing compiled in this cell: 2 calls (1 hit, 1 inlined call)", "")


def test_an_interrupted_recording_says_so_and_has_nothing_running() -> None:
    cut = Recording(samples.still_compiling().events, is_closed=True)
    assert told(cut)[0] == "Cut off after 12 s: compiling `step`, called at In [3]:3, for 12 s"
    panel = shape_panel(cut)
    assert panel.verdict.notes == (
        "The recording is incomplete: its process was killed, or was still running when this was read.",
    )
    assert panel.is_finished
    assert not shape_panel(Recording(samples.still_compiling().events)).is_finished


def _op(at_s: float, spent_s: float, length: int) -> ev.OpCompiled:
    return op_compiled(
        EPOCH_S + at_s + spent_s,
        "jnp.median",
        spent_s,
        source="In [3]:9",
        line="jnp.median(x)",
        inputs=(f"f32[{length}]",),
    )


def test_programs_outside_any_jit_are_mentioned_even_if_all_calls_hit() -> None:
    story = Story()
    story.hit(story.function("step"), 0.0, 0.01)
    story.events.append(_op(0.1, 0.06, 3))
    recording = story.end(1.0)
    assert told(recording) == (
        "60 ms of the 1.0 s compiling, nothing to save",
        "1 call, a hit, 1 program outside any jit.",
    )
    assert verdict(recording).level == "first"


def test_the_error_of_a_long_compile_says_how_long_it_took() -> None:
    story = Story()
    story.miss(story.function("step"), 0.1, (110.0,), 0.0, X, (FIRST,), error="KeyboardInterrupt")  # type: ignore[arg-type]
    story.events.append(_op(0.0, 0.06, 3))
    raised = story.end(111.0, "KeyboardInterrupt")
    assert told(raised) == (
        "After 110 s of compiling, `step` raised KeyboardInterrupt",
        "1 call (1 error), 1 program outside any jit.",
    )


def test_a_cell_that_compiles_op_by_op_alone_is_not_empty() -> None:
    story = Story()
    story.events.append(_op(0.1, 0.06, 3))
    recording = story.end(1.0)
    assert told(recording) == ("60 ms of the 1.0 s compiling, nothing to save", "1 program outside any jit.")
    assert verdict(recording).level == "first"


def also(recording: Sample) -> str:
    return shape_panel(recording).also


def test_where_else_the_time_went_is_in_the_line_below_unless_it_is_minor() -> None:
    def tail_of(*seconds: float, n_ops: int = 0) -> str:
        story = Story()
        for at, spent in enumerate(seconds):
            story.miss(story.function("step"), 3.0 * at, (0.0, 0.0, spent), 0.0, X, (SHAPE if at else FIRST,))
        story.events += [_op(6.0 + at, 0.5, 3) for at in range(n_ops)]
        return also(story.end(10.0))

    assert tail_of(1.5) == "1.5 s for first compiles"
    assert tail_of(n_ops=3) == "1.5 s outside any jit"
    assert tail_of(1.5, n_ops=3) == "1.5 s outside any jit · 1.5 s for first compiles"
    assert tail_of(1.5, n_ops=1) == "1.5 s for first compiles"  # a tenth of all time is minor
    assert tail_of(1.5, 2.5) == "1.5 s for first compiles"  # the rest is to save


def test_recompiles_that_may_have_been_needed_are_told_there_too() -> None:
    run = Run()
    run.call("step", array("x", (4,)), seconds=2.0)
    run.call("step", static("mode", "train"), seconds=1.0, program="other")
    assert also(run.end()) == "2.0 s for first compiles · 1.0 s for recompiles that may have been needed"


def test_programs_that_compile_again_and_again_outside_any_jit_are_to_save() -> None:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, X, (FIRST,))
    story.miss(step, 0.5, (0.1, 0.1, 0.1), 0.0, X, (SHAPE,))
    story.events += [_op(1.0 + length, 0.9, length) for length in (1, 2, 3)]
    assert told(story.end(5.0))[0] == "2.1 s to save of 5.0 s"


def test_the_compiles_of_all_threads_are_added_up_as_in_the_findings() -> None:
    story = Story()
    step = story.function("step")
    for at_s, reason in ((0.0, FIRST), (2.0, SHAPE)):
        story.miss(step, at_s, (0.25, 0.25, 0.5), 0.0, X, (reason,), thread="worker")
    story.miss(story.function("score"), 4.0, (0.25, 0.25, 0.5), 0.0, X, (FIRST,))
    panel = shape_panel(story.end(8.0))
    assert as_text(panel.verdict.title) == "1.0 s to save of 3.0 s compiling in all threads in 8.0 s"
    assert panel.also == "2.0 s for first compiles"
    assert [found.seconds for found in panel.findings] == [1.0]
    assert panel.account is not None
    assert panel.account.avoidable == ""


def test_what_several_processes_compiled_stands_beside_the_time_that_all_of_them_took() -> None:
    merged = merge(of_process(0, 8), of_process(1, 8, 7, at_s=10.5, pid=7))
    assert as_text(shape_panel(merged).verdict.title) == "1.5 s compiling in 2 processes in 4.1 s"
