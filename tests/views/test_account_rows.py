"""Where the time went, as rows that a screen can show."""

from dataclasses import replace

import pytest

from jitviz.model import Glance, Reason, Sample, Signature
from jitviz.recording import Recording, merge
from jitviz.recording import events as ev
from jitviz.views import TERMINAL, account_rows, shape_panel
from jitviz.views.account_rows import shape_account
from jitviz.views.words import as_text
from tests.display.samples import EPOCH_S, FIRST, Story
from tests.recording.test_merging import of_process

RESIZED = Reason("shape", "x", "f32[4]", "f32[3]", "`x` changed its shape from f32[4] to f32[3].")


def test_parts_are_sorted_by_seconds_and_list_their_most_expensive_functions_and_lines() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (2.0, 0.0, 4.0), 0.05, Signature(), (FIRST,))
    view = shape_account(story.end(10.0), TERMINAL)
    assert view is not None
    assert [(row.depth, row.name, round(row.seconds, 6)) for row in view.rows] == [
        (0, "XLA", 4.0),
        (1, "step at In [3]:3", 4.0),
        (0, "Python", 3.95),
        (0, "tracing", 2.0),
        (1, "step at In [3]:3", 2.0),
        (0, "running programs", 0.05),
    ]


def rows(recording: Recording) -> list[tuple[int, str, float]]:
    view = shape_account(recording, TERMINAL)
    assert view is not None
    return [(row.depth, row.name, round(row.seconds, 6)) for row in view.rows]


def test_what_a_trace_traces_again_has_a_row_beneath_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story()
    story.miss(story.function("step"), 0.0, (6.0, 0.0, 0.0), 0.0, Signature(), (FIRST,))
    seen = [Glance("m.py:9", ("m.py:5", "In [3]:3")), Glance("m.py:6", ("In [3]:3",))]
    times = [(0.0, 4.0), (4.0, 6.0)]
    samples = (Sample(EPOCH_S + a, EPOCH_S + b, one, True) for (a, b), one in zip(times, seen, strict=True))
    story.events.append(ev.LinesSampled(EPOCH_S, tuple(samples)))
    rec = story.end(6.0)
    again = {rec.compiles[0].lineage: {"m.py:5": ("`layer`", 12)}}
    monkeypatch.setattr(account_rows, "traced_again", lambda _: again)
    assert rows(rec) == [
        (0, "tracing", 6.0),
        (1, "step at In [3]:3", 6.0),
        (2, "at m.py:5", 4.0),
        (3, "layer, traced 12 times with equal inputs at m.py:9", 4.0),
        (2, "at m.py:6", 2.0),
    ]


def test_the_bar_names_expensive_functions_and_says_what_of_each_part_was_avoidable() -> None:
    story = Story()
    step, score, small = map(story.function, ("step", "score", "small"))
    story.miss(step, 0.0, (1.0, 0.0, 4.0), 0.0, Signature(), (FIRST,))
    story.miss(step, 5.0, (1.0, 0.0, 3.0), 0.0, Signature(), (RESIZED,))
    story.miss(score, 9.0, (0.0, 0.0, 2.0), 0.0, Signature(), (FIRST,))
    story.miss(small, 11.0, (0.0, 0.0, 0.1), 0.0, Signature(), (FIRST,))
    view = shape_account(story.end(20.0), TERMINAL)
    assert view is not None
    assert [(row.depth, row.name, round(row.seconds, 6), round(row.avoidable_s, 6)) for row in view.bar] == [
        (0, "tracing", 2.0, 1.0),
        (1, "step", 2.0, 1.0),
        (0, "XLA", 9.1, 3.0),
        (1, "step", 7.0, 3.0),
        (1, "score", 2.0, 0.0),
        (0, "Python", 8.9, 0.0),
    ]
    assert view.avoidable == "4.0 s: 3.0 s XLA, 1.0 s tracing"


def looked(*rows: tuple[Glance, float, float]) -> ev.LinesSampled:
    samples = (Sample(EPOCH_S + begin_s, EPOCH_S + end_s, glance, True) for glance, begin_s, end_s in rows)
    return ev.LinesSampled(EPOCH_S, tuple(samples))


def test_tracing_is_split_by_call_stack_and_an_unbranched_chain_is_one_row() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (4.0, 0.0, 0.0), 0.0, Signature(), (FIRST,))
    called = ("In [3]:3", "main.py:9")
    story.events.append(
        looked(
            (Glance("norm.py:5", ("block.py:7", "model.py:2", *called)), 1.0, 3.0),
            (Glance("attention.py:8", ("block.py:6", "model.py:2", *called)), 3.0, 4.0),
            (Glance("model.py:4", called), 4.0, 4.5),
        )
    )
    assert rows(story.end(5.0)) == [
        (0, "tracing", 4.0),
        (1, "step at In [3]:3", 4.0),
        (2, "at model.py:2", 3.0),
        (3, "at norm.py:5, from block.py:7", 2.0),
        (3, "at attention.py:8, from block.py:6", 1.0),
        (2, "at model.py:4", 0.5),
        (0, "Python", 1.0),
    ]


def test_the_cheapest_rows_are_left_out_and_counted() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (2.0, 0.0, 4.0), 0.05, Signature(), (FIRST,))
    story.miss(story.function("evaluate"), 8.0, (0.5, 0.0, 1.0), 0.05, Signature(), (FIRST,))
    view = shape_account(story.end(10.0), replace(TERMINAL, account=2))
    assert view is not None
    assert [(row.what, row.name) for row in view.rows if row.depth] == [
        ("compile", "step at In [3]:3"),
        ("trace", "step at In [3]:3"),
    ]
    assert view.n_more == 2


def test_a_recording_without_time_has_no_account() -> None:
    assert shape_account(Recording(), TERMINAL) is None


def below(recording: Recording, parent: int) -> Recording:
    """The same process as a child of another."""
    start, *events = recording.events
    assert isinstance(start, ev.RecordingStarted)
    return Recording([replace(start, parent=parent), *events])


def test_each_process_has_an_account_after_the_sum_of_all_and_the_notes_say_what_is_added_up() -> None:
    parent = Recording([ev.RecordingStarted(10.0, process="a", host="node", pid=1), ev.RecordingFinished(20.0)])
    whole = below(of_process(None, 8, 8, 7, pid=2), parent=1)
    killed = below(Recording(of_process(None, 8, 8, 7, pid=3).events[:-1]), parent=1)
    merged = merge(parent, whole, killed)
    view = shape_account(merged, TERMINAL)
    assert view is not None
    assert view.beside == (
        "This is pid 1 alone. Meanwhile, in other processes and threads: 2.0 s XLA, 1.6 s running programs."
    )
    assert view.processes == (
        "all 3 processes, added up: 19 s: 16 s Python, 2.0 s XLA, 1.6 s running programs",
        "pid 1: 10 s: 10 s Python",
        "pid 2, child of pid 1: 4.6 s: 2.8 s Python, 1.0 s XLA, 800 ms running programs",
        "pid 3, child of pid 1: 4.6 s: 2.8 s Python, 1.0 s XLA, 800 ms running programs",
    )
    panel = shape_panel(merged)
    assert panel.verdict.notes == (
        "Calls and compiles are those of 3 processes, 2 of which compiled jitted functions: pid 2 (2 times) and "
        "pid 3 (2 times).",
        "pid 3 left no end: killed, as a pool kills its workers, ended by os._exit, or still running when this was "
        "read.",
        "A cache on disk would spare the next process about 2.0 s, for 4 programs: set `jax_compilation_cache_dir` to "
        "a folder and `jax_persistent_cache_min_compile_time_secs` to 0.",
    )
    assert as_text(panel.findings[0].summary).endswith(", in 2 processes (the slowest is counted)")
