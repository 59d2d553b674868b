"""Every second of a recording is given to one kind of work, and to no more than one."""

import itertools
from array import array
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitviz.findings.accounting import TimeSpan, innermost
from jitviz.model import CALLBACK, TRACED, UNDER, Glance, Signature
from jitviz.model import Sample as Sampled
from jitviz.model.finding import WHATS, Account, Part
from jitviz.recording import Recording, merge
from jitviz.recording import events as ev
from tests.display.samples import EPOCH_S, FIRST, Sample, Story, op_compiled

SIGNATURE = Signature()


def seconds(account: Account) -> dict[str, float]:
    return {part.what: round(part.seconds, 6) for part in account.parts if part.seconds}


def lines(account: Account, what: str) -> dict[str, float]:
    return {line.source: round(line.seconds, 6) for line in account.part(what).lines}  # type: ignore[arg-type]


def sampled(*rows: tuple[str, float, float, bool], is_waiting: bool = False) -> ev.LinesSampled:
    samples = (
        Sampled(EPOCH_S + begin_s, EPOCH_S + end_s, Glance(source, is_waiting=is_waiting), is_in_phase)
        for source, begin_s, end_s, is_in_phase in rows
    )
    return ev.LinesSampled(EPOCH_S, tuple(samples))


def op(at_s: float, spent_s: float, thread: str = "MainThread") -> ev.OpCompiled:
    end_s = EPOCH_S + at_s + spent_s
    return op_compiled(end_s, "jnp.median", spent_s, source="In [3]:9", thread=thread)


def test_hits_that_were_summed_are_a_run_at_their_line_and_no_python() -> None:
    story = Story()
    story.events.append(ev.SiteSeen(EPOCH_S, 9, story.function("step"), "In [3]:3"))
    numbers = [number for hit in range(4) for number in (9, int((EPOCH_S + hit) * 1e9), 500_000_000)]
    story.events.append(ev.HitsNoted(EPOCH_S + 4, array("q", numbers).tobytes()))
    story.events.append(sampled(("In [3]:3", 0.0, 3.0, False), ("In [3]:4", 3.0, 4.0, False)))
    account = story.end(10.0).account
    assert seconds(account) == {"run": 2.0, "python": 8.0}
    assert lines(account, "run") == {"In [3]:3": 2.0}
    assert lines(account, "python") == {"In [3]:3": 1.0, "In [3]:4": 1.0}


@pytest.mark.parametrize(
    ("samples", "run_s", "python"),
    [
        ([sampled(("In [3]:3", 0.0, 3.0, False), is_waiting=True)], 3.0, {}),
        ([sampled(("In [3]:4", 0.0, 3.0, False))], 2.0, {"In [3]:4": 3.0}),
        ([sampled(("In [3]:4", 0.0, 10.0, False))], 2.0, {"In [3]:4": 8.0}),
        ([], 2.0, {}),
    ],
    ids=["taken for waiting", "seen at another line", "nothing else seen", "not seen"],
)
def test_seconds_of_hits_are_taken_from_what_was_seen_at_their_line_alone(
    samples: list[ev.LinesSampled], run_s: float, python: dict[str, float]
) -> None:
    story = Story()
    story.events.append(ev.SiteSeen(EPOCH_S, 9, story.function("step"), "In [3]:3"))
    numbers = [number for hit in range(4) for number in (9, int((EPOCH_S + hit) * 1e9), 500_000_000)]
    story.events += [ev.HitsNoted(EPOCH_S + 4, array("q", numbers).tobytes()), *samples]
    account = story.end(10.0).account
    assert seconds(account) == {"run": run_s, "python": 10.0 - run_s}
    assert lines(account, "run") == {"In [3]:3": run_s}
    assert lines(account, "python") == python


def test_time_is_told_by_the_way_in_which_the_user_s_code_or_program_was_called() -> None:
    story = Story()
    story.events.append(ev.SiteSeen(EPOCH_S, 9, story.function("step"), "t.py:3"))
    numbers = [number for hit in (0, 1) for number in (9, int((EPOCH_S + hit) * 1e9), 1_000_000_000)]
    story.events.append(ev.HitsNoted(EPOCH_S + 2, array("q", numbers).tobytes()))
    seen = [
        Glance("t.py:1", ("t.py:3",), CALLBACK, is_eager=True),
        Glance("t.py:5", ("t.py:6",), TRACED + "jax.lax.scan"),
        Glance("t.py:7", (), UNDER + "jax.vmap", is_eager=True),
        Glance("t.py:7", (), "jax.numpy.stack", is_eager=True),
        Glance("t.py:8", (), "jax.numpy.stack", is_eager=True),
    ]
    times = [(0.0, 1.5), (2.0, 4.0), (4.0, 4.5), (4.5, 5.0), (5.0, 6.0)]
    samples = (Sampled(EPOCH_S + a, EPOCH_S + b, one) for (a, b), one in zip(times, seen, strict=True))
    story.events.append(ev.LinesSampled(EPOCH_S, tuple(samples)))
    account = story.end(7.0).account
    assert {(one.what, one.function, one.stack): one.seconds for one in account.shares} == {
        ("run", "Python callbacks", ("t.py:3", "t.py:1")): 1.5,
        ("run", "step", ("t.py:3",)): 0.5,
        ("run", "jitted functions under jax.vmap", ("t.py:7",)): 1.0,
        ("trace", "jax.lax.scan", ("t.py:6", "t.py:5")): 2.0,
        ("python", "operations, not jitted", ("t.py:8",)): 1.0,
    }
    assert seconds(account) == {"trace": 2.0, "run": 3.0, "python": 2.0}


def test_time_without_other_work_is_python() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (0.5, 0.25, 0.75), 0.5, SIGNATURE, (FIRST,))
    story.events.append(op(4.0, 1.0))
    account = story.end(10.0).account
    assert account.wall_s == 10.0
    assert seconds(account) == {
        "trace": 0.5, "lower": 0.25, "compile": 0.75, "op_by_op": 1.0, "run": 0.5, "python": 7.0,
    }  # fmt: skip
    assert lines(account, "compile") == {"In [3]:3": 0.75}
    assert lines(account, "op_by_op") == {"In [3]:9": 1.0}


def test_work_inside_other_work_is_subtracted_from_it() -> None:
    story = Story()
    outer = story.miss(story.function("outer"), 0.0, (4.0, 0.5, 0.5), 0.0, SIGNATURE, (FIRST,))
    story.miss(story.function("inner"), 1.0, (0.25, 0.25, 0.5), 0.0, SIGNATURE, (FIRST,), parent=outer)
    story.events.append(op(2.5, 0.5))
    account = story.end(5.0).account
    assert seconds(account) == {"trace": 2.75, "lower": 0.75, "compile": 1.0, "op_by_op": 0.5}


def test_time_that_jitviz_takes_is_its_own() -> None:
    story = Story()
    story.miss(story.function("step"), 0.0, (1.0, 1.0, 1.0), 0.0, SIGNATURE, (FIRST,))
    place = next(place for place, event in enumerate(story.events) if isinstance(event, ev.PhaseFinished))
    ended = story.events[place]
    assert isinstance(ended, ev.PhaseFinished)
    story.events[place] = ev.PhaseFinished(ended.at_s - 0.25, 0, ended.phase, ended.started_s, own_s=0.25)
    last = op(3.0, 1.0)
    story.events.append(replace(last, op=replace(last.op, own_s=0.5)))
    own = {"trace": 0.75, "lower": 1.0, "compile": 1.0, "op_by_op": 1.0, "jitviz": 0.75}
    assert seconds(story.end(4.5).account) == own


def test_a_program_from_disk_is_loaded_and_not_compiled() -> None:
    story = Story()
    story.miss(story.function("step"), 0.0, (0.0, 0.0, 1.0), 0.0, SIGNATURE, (FIRST,))
    story.events.append(ev.ProgramLoaded(EPOCH_S + 1, 0, 3.0))
    assert seconds(story.end(1.0).account) == {"load": 1.0}


def test_between_cells_nothing_is_counted() -> None:
    story = Story()
    story.hit(story.function("step"), 0.5, 1.0)
    story.events.append(ev.CellFinished(EPOCH_S + 1.0, "In [3]"))
    story.events += [ev.CellStarted(EPOCH_S + 8.0, "In [4]"), ev.CellFinished(EPOCH_S + 9.0, "In [4]")]
    story.events.append(ev.RecordingFinished(EPOCH_S + 20.0))
    account = Sample(story.events, []).account
    assert account.wall_s == 2.0
    assert seconds(account) == {"run": 0.5, "python": 1.5}


def test_the_work_of_other_threads_is_listed_separately() -> None:
    story = Story()
    story.events.append(op(0.0, 1.0, thread="loader"))
    account = story.end(2.0).account
    assert seconds(account) == {"python": 2.0}
    assert [(part.what, part.seconds) for part in account.beside] == [("op_by_op", 1.0)]


def test_samples_give_python_and_tracing_their_lines() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (1.0, 0.5, 0.5), 0.0, SIGNATURE, (FIRST,))
    story.events.append(
        sampled(
            ("loop.py:1", 0.0, 1.0, False),
            ("model.py:7", 0.9, 1.8, True),
            ("loop.py:2", 1.8, 4.0, False),
        )
    )
    account = story.end(5.0).account
    assert lines(account, "trace") == {"model.py:7": 0.8}
    assert lines(account, "python") == {"loop.py:1": 1.0, "loop.py:2": 1.0}
    assert lines(account, "lower") == {"In [3]:3": 0.5}


def test_waiting_for_a_program_counts_as_its_run() -> None:
    story = Story()
    story.events.append(sampled(("loop.py:1", 0.0, 2.0, False)))
    story.events.append(sampled(("loop.py:2", 2.0, 5.0, False), is_waiting=True))
    account = story.end(5.0).account
    assert seconds(account) == {"run": 3.0, "python": 2.0}
    assert lines(account, "run") == {"loop.py:2": 3.0}
    assert lines(account, "python") == {"loop.py:1": 2.0}


def test_a_trace_without_samples_is_attributed_to_the_line_that_called() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (1.0, 0.5, 0.5), 0.0, SIGNATURE, (FIRST,))
    assert lines(story.end(5.0).account, "trace") == {"In [3]:3": 1.0}


def test_a_compile_that_is_still_running_counts_up_to_now() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (1.0, 1.0, 0.0), 0.0, SIGNATURE, (FIRST,), is_over=False)
    story.events.append(ev.StageNoted(EPOCH_S + 9.0, 0, "lower"))
    assert seconds(Sample(story.events, [(FIRST,)]).account) == {
        "trace": 1.0,
        "lower": 1.0,
        "compile": 6.0,
        "python": 1.0,
    }


def test_an_empty_recording_has_no_time() -> None:
    account = Recording().account
    assert (account.wall_s, sum(part.seconds for part in account.parts), account.beside) == (0.0, 0.0, ())


moments = st.floats(0, 10, allow_nan=False)
spans = st.lists(
    st.builds(lambda a, b, what: TimeSpan(min(a, b), max(a, b), what), moments, moments, st.sampled_from(WHATS)),
    max_size=30,
)


@given(spans)
def test_pieces_do_not_overlap_and_cover_what_their_spans_cover(given_spans: list[TimeSpan]) -> None:
    pieces = list(innermost(given_spans))
    assert all(first.end_s <= second.start_s for first, second in itertools.pairwise(pieces))
    for piece in pieces:
        around = [span for span in given_spans if span.start_s <= piece.start_s and piece.end_s <= span.end_s]
        assert piece.what in {span.what for span in around if span.start_s == max(one.start_s for one in around)}
    edges = sorted({edge for span in given_spans for edge in span[:2]})
    covered = sum(
        b - a for a, b in itertools.pairwise(edges) if any(s.start_s <= a and b <= s.end_s for s in given_spans)
    )
    assert sum(piece.end_s - piece.start_s for piece in pieces) == pytest.approx(covered)


@st.composite
def logs(draw: st.DrawFn) -> list[ev.Event]:
    """Calls, compiles, programs, cells and samples at any times, of several threads, in any order."""
    story = Story()
    story.events = story.events[:1]
    function = story.function("step")
    threads = st.sampled_from(["MainThread", "loader"])
    durations = st.floats(0, 3, allow_nan=False)
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["miss", "hit", "op", "cell", "sample"]))
        at_s, spent_s = draw(moments), draw(durations)
        if kind == "miss":
            phases = draw(st.tuples(durations, durations, durations))
            story.miss(function, at_s, phases, spent_s, SIGNATURE, (FIRST,), thread=draw(threads))
        elif kind == "hit":
            story.hit(function, at_s, spent_s)
        elif kind == "op":
            story.events.append(op(at_s, spent_s, draw(threads)))
        elif kind == "cell":
            label = f"In [{len(story.events)}]"
            story.events += [
                ev.CellStarted(EPOCH_S + at_s, label),
                ev.CellFinished(EPOCH_S + at_s + spent_s, label),
            ]
        else:
            row = ("a.py:1", at_s, at_s + spent_s, draw(st.booleans()))
            story.events.append(sampled(row, is_waiting=draw(st.booleans())))
    return [*story.events, ev.RecordingFinished(EPOCH_S + draw(moments))]


@given(logs())
def test_the_parts_of_any_log_sum_to_the_wall_time(log: list[ev.Event]) -> None:
    account = Recording(log).account
    assert tuple(part.what for part in account.parts) == WHATS
    assert sum(part.seconds for part in account.parts) == pytest.approx(account.wall_s, abs=1e-6)
    for part in account.parts:
        assert part.seconds >= 0
        assert sum(line.seconds for line in part.lines) <= part.seconds * 1.0001 + 1e-5


def test_cells_that_took_no_time_do_not_count() -> None:
    cells = [
        event
        for at_s in (1.0, 2.0)
        for event in (ev.CellStarted(EPOCH_S + at_s, f"In [{at_s}]"), ev.CellFinished(EPOCH_S + at_s, f"In [{at_s}]"))
    ]
    seen = [op(0.0, 3.0, "MainThread"), sampled(("a.py:1", 0.0, 3.0, False))]  # all through them
    account = Recording([*Story().events[:1], *seen, *cells, ev.RecordingFinished(EPOCH_S + 3.0)]).account
    assert (account.wall_s, account.parts) == (0.0, tuple(Part(what, 0.0) for what in WHATS))


def test_of_a_merged_recording_the_first_process_has_the_time_that_it_lived() -> None:
    lives = [("a", 1, 11.0), ("b", 2, 30.0)]
    recordings = [
        Recording([ev.RecordingStarted(10.0, process=name, host="node", pid=pid), ev.RecordingFinished(end_s)])
        for name, pid, end_s in lives
    ]
    account = merge(*recordings).account
    assert (account.wall_s, account.part("python").seconds) == (1.0, 1.0)
