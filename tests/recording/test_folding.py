"""Events are folded into rows: each test is a log and the rows that come of it. The recording starts at 100 s."""

import threading
import zlib
from array import array
from dataclasses import fields, replace
from typing import Any

import pytest

from jitviz.model import Call, Compile, Cost, Function, Leaf, Memory, Miss, OpByOp, Phase, Signature
from jitviz.recording import Recording, jsonlines
from jitviz.recording import events as ev
from jitviz.recording.facts import Cell, method_for
from jitviz.recording.folding import Fold

STEP = Function("step", "step", "train", "jax.jit", "train.step", token=1)
OTHER = Function("other", "other", "train", "jax.jit", "train.other", token=2)
X, Y = (Signature((Leaf("x", "traced", "jax.Array", (size,), "float32"),)) for size in (3, 4))
START = (ev.RecordingStarted(100.0), ev.FunctionSeen(100.0, 1, STEP), ev.FunctionSeen(100.0, 2, OTHER))

# Numbers of calls and compiles are those of the process: call 70 compiles version 80.
BEGUN = ev.CallStarted(101.0, 70, 1, source="a.py:3")
ASKED = ev.CompileStarted(101.0, 80, 70, 1, X, source="a.py:3")
TRACED = (ev.PhaseStarted(101.0, 80, "trace"), ev.PhaseFinished(101.5, 80, "trace", 101.0, own_s=0.125))
COMPILED = (ev.PhaseStarted(102.0, 80, "compile"), ev.PhaseFinished(103.0, 80, "compile", 102.0, own_s=0.25))
MADE = ev.CompileFinished(103.25, 80)
RETURNED = ev.CallFinished(104.0, 70, 1, 101.0, "compile", source="a.py:3", compile=80)
FIRST_CALL = (BEGUN, ASKED, *TRACED, *COMPILED, MADE, RETURNED)

CALL = Call(
    "step", 0, "compile", 1.0, 3.0, source="a.py:3", version=1, signature=X, function_info=STEP, ready_s=3.25,
)  # fmt: skip  # one row
COMPILE = Compile(
    function="step", function_info=STEP, index=0, version=1, signature=X, start_s=1.0, source="a.py:3",
    phases=(Phase("trace", 1.0, 0.5, 0.125), Phase("compile", 2.0, 1.0, 0.25)),
)  # fmt: skip  # one row


def folded(*events: ev.Event) -> Fold:
    return Recording([*START, *events]).facts


def hit(number: int, at_s: float, **more: Any) -> ev.CallFinished:
    return ev.CallFinished(at_s + 0.5, number, 1, at_s, "hit", **more)


def asked(
    number: int, at_s: float = 105.0, call: int | None = None, function: int = 1, **more: Any
) -> ev.CompileStarted:
    return ev.CompileStarted(at_s, number, call, function, Y, **more)


def test_every_kind_of_event_is_read_from_a_file_and_folded() -> None:
    kinds = {name for name, kind in vars(ev).items() if isinstance(kind, type) and issubclass(kind, ev.Event)}
    assert set(jsonlines._KINDS) == kinds - {"Event"} == {name for name in kinds if hasattr(Fold, method_for(name))}


@pytest.mark.parametrize(
    ("n_events", "expected"),
    [
        (1, replace(CALL, outcome="trace", duration_s=None, version=None, signature=None, ready_s=None)),
        (2, replace(CALL, outcome="trace", duration_s=None, ready_s=None)),
        (4, replace(CALL, outcome="trace", duration_s=None, ready_s=1.625)),
        (5, replace(CALL, duration_s=None, ready_s=None)),
        (6, replace(CALL, duration_s=None)),
        (8, CALL),
    ],
)
def test_a_call_that_compiles_has_a_row_from_its_first_event_on(n_events: int, expected: Call) -> None:
    assert folded(*FIRST_CALL[:n_events]).calls == [expected]


@pytest.mark.parametrize(
    ("n_events", "expected"),
    [
        (2, replace(COMPILE, phases=(), status="running")),
        (3, replace(COMPILE, phases=(Phase("trace", 1.0, None),), status="running")),
        (6, replace(COMPILE, status="running")),
        (7, COMPILE),
    ],
)
def test_a_compile_has_a_row_from_its_first_event_on(n_events: int, expected: Compile) -> None:
    assert folded(*FIRST_CALL[:n_events]).compiles == [expected]


def test_a_hit_is_a_single_event_with_the_version_that_it_ran() -> None:
    rows = folded(*FIRST_CALL, hit(71, 105.0, compile=80), hit(72, 106.0)).calls
    plain = Call("step", 1, "hit", 5.0, 0.5, version=1, function_info=STEP, ready_s=5.0)
    assert rows == [CALL, plain, replace(plain, index=2, start_s=6.0, version=None, ready_s=6.0)]


def test_a_call_knows_its_enclosing_call_and_its_error() -> None:
    inner = ev.CallFinished(
        101.5, 71, 2, 101.25, "error", parent=70, thread="worker", source="b.py:4", error="TypeError: no",
        is_end_known=False, signature=Y,
    )  # fmt: skip  # one event
    told = Call(
        "other", 1, "error", 1.25, 0.25, 0, "worker", "TypeError: no", "b.py:4", is_end_known=False, signature=Y,
        function_info=OTHER,
    )  # fmt: skip  # one row
    assert folded(BEGUN, inner).calls[1:] == [told]
    begun = ev.CallStarted(101.25, 71, 2, parent=70, thread="worker", source="b.py:4")
    running = replace(told, outcome="trace", duration_s=None, error=None, is_end_known=True, signature=None)
    assert folded(BEGUN, begun).calls[1:] == [running]
    assert folded(begun).calls[0].parent is None


def test_a_call_that_begins_with_lowering_compiles_and_one_that_only_traces_does_not() -> None:
    lowered = folded(BEGUN, replace(ASKED, is_traced=False)).calls
    assert [row.outcome for row in lowered] == ["compile"]
    retraced = folded(BEGUN, ASKED, *TRACED, MADE, replace(RETURNED, outcome="trace")).calls
    assert [(row.outcome, row.ready_s) for row in retraced] == [("trace", None)]


def test_rows_find_each_other() -> None:
    rec = Recording([*START, *FIRST_CALL, hit(71, 105.0, compile=80), hit(72, 106.0)])
    assert [row.compile for row in rec.calls] == [rec.compiles[0], rec.compiles[0], None]
    assert rec.compiles[0].call == rec.calls[0]
    assert rec.compiles[0].recording is rec
    assert replace(rec.calls[1], _links=None).compile is None  # a row of no recording


def test_the_compile_of_a_call_is_the_first_that_it_caused() -> None:
    rec = Recording([*START, BEGUN, ASKED, asked(81, 102.0, 70, 2)])
    assert [(row.function, row.version) for row in rec.compiles] == [("step", 1), ("other", 1)]
    assert rec.calls[0].compile == rec.compiles[0]
    assert [row.call for row in rec.compiles] == [rec.calls[0]] * 2
    assert (rec.calls[0].version, rec.calls[0].signature) == (1, X)


def test_versions_are_counted_by_lineage_and_earlier_ones_are_separate() -> None:
    before = asked(80, 99.0, is_before=True)
    rec = Recording([*START, before, hit(70, 101.0, compile=80), asked(81), asked(82, function=2), asked(81)])
    assert [(row.version, row.index, row.start_s, row.status) for row in rec.earlier] == [(1, 0, -1.0, "done")]
    assert [(row.function, row.version) for row in rec.compiles] == [("step", 2), ("other", 1)]
    assert rec.calls[0].version == 1
    assert rec.calls[0].compile == rec.earlier[0]
    with pytest.raises(LookupError, match="before the recording"):
        _ = rec.earlier[0].recording


def test_the_properties_of_a_program_are_joined_from_several_events() -> None:
    out = Leaf("[0]", "traced", "jax.Array", (3,), "float32")
    told = folded(
        ASKED,
        ev.ProgramSeen(101.0, 80, outputs=(out,), output_transform="grad", cost=Cost(has_loop=True)),
        ev.ProgramSeen(102.0, 80, cost=Cost(flops=8.0, bytes_accessed=24.0), memory=Memory(1)),
        ev.PhaseFinished(102.0, 80, "lower", 101.5, dropped=("y",)),
        ev.ProgramSeen(103.0, 80, reused=("x",)),
        ev.ProgramLoaded(103.0, 80, saved_s=2.0),
        ev.TextSeen(103.0, 80, "jaxpr", zlib.compress(b"a\nb\n")),
        ev.TextSeen(103.0, 99, "jaxpr", b""),
    )
    (row,) = told.compiles
    assert row.cost == Cost(8.0, 24.0, has_loop=True)
    assert (row.outputs, row.output_transform, row.memory) == ((out,), "grad", Memory(1))
    assert (row.dropped, row.reused, row.origin, row.saved_s) == (("y",), ("x",), "loaded", 2.0)
    assert (row.jaxpr, row.hlo, row.n_lines("jaxpr"), row.n_lines("hlo")) == ("a\nb\n", None, 2, 0)


@pytest.mark.parametrize("error", [("no", None), (None, "no"), ("no", "then")])
def test_a_compile_with_a_phase_that_raised_has_failed(error: tuple[str | None, str | None]) -> None:
    raised = ev.PhaseFinished(101.5, 80, "trace", 101.0, error=error[0])
    (row,) = folded(ASKED, TRACED[0], raised, replace(MADE, error=error[1])).compiles
    assert (row.status, row.error, row.phases) == ("failed", error[1] or error[0], (Phase("trace", 1.0, 0.5),))


def test_a_phase_without_a_start_is_a_phase_of_its_own() -> None:
    again = ev.PhaseFinished(102.0, 80, "trace", 101.75)
    phases = (Phase("trace", 1.0, 0.5, 0.125), Phase("trace", 1.75, 0.25))
    assert folded(ASKED, *TRACED, again).compiles[0].phases == phases


FAILED = (asked(80, call=70), ev.CompileFinished(105.5, 80, error="no"))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([asked(80)], [Miss(STEP, Y)]),
        ([asked(80, is_before=True, is_warm=True, is_traced=False, transform="vmap", source="a.py:1")],
         [Miss(STEP, Y, is_traced=False, is_before=True, is_warm=True, transform="vmap", source="a.py:1")]),
        ([*FAILED, asked(81), asked(82)], [Miss(STEP, Y), Miss(STEP, Y, is_retry=True), Miss(STEP, Y)]),
        ([*FAILED, asked(81, function=2)], [Miss(STEP, Y), Miss(OTHER, Y)]),
        ([ev.CachesCleared(101.0, "all"), asked(80), asked(81)], [Miss(STEP, Y), Miss(STEP, Y)]),
        ([asked(80), ev.CachesCleared(105.5, "function"), asked(81), asked(82)],
         [Miss(STEP, Y), Miss(STEP, Y, cleared="function"), Miss(STEP, Y)]),
        ([asked(80), ev.CachesCleared(105.5, "all"), ev.CachesCleared(105.5, "function"), asked(81)],
         [Miss(STEP, Y), Miss(STEP, Y, cleared="all")]),
        ([asked(80, stage="lower"), ev.PhaseFinished(106.0, 80, "lower", 105.0)], [Miss(STEP, Y, stage="lower")]),
        ([asked(80, stage="lower"), ev.PhaseFinished(106.0, 80, "compile", 105.0)],
         [Miss(STEP, Y, stage="lower"), Miss(STEP, Y, stage="compile")]),
        ([asked(80, stage="lower"), ev.PhaseFinished(106.0, 80, "compile", 105.0, error="no")],
         [Miss(STEP, Y, stage="lower")]),
    ],
)  # fmt: skip  # a table
def test_events_are_folded_into_misses(events: list[ev.Event], expected: list[Miss]) -> None:
    misses = ({field.name: getattr(row, field.name) for field in fields(Miss)} for row in folded(*events).misses)
    assert [Miss(**known) for known in misses] == expected


def test_reasons_of_rows_are_those_of_their_misses() -> None:
    lowered = (asked(80, stage="lower"), ev.PhaseFinished(105.5, 80, "compile", 105.0))
    rec = Recording([*START, asked(79, 99.0, is_before=True), *lowered, ev.CompileStarted(106.0, 81, None, 1, X)])
    assert [row.reasons[0].kind for row in rec.compiles] == ["unexplained", "shape"]
    assert [row.compared_with for row in rec.compiles] == [rec.earlier[0], rec.compiles[0]]
    assert rec.earlier[0].reasons == ()


def test_a_cell_ends_by_its_label_the_newest_first() -> None:
    told = folded(
        ev.CellStarted(101.0, "In [1]"), ev.CellStarted(102.0, "In [1]"), ev.CellFinished(103.0, "In [1]"),
        ev.CellFinished(104.0, "In [9]", error="ValueError: no"),
    )  # fmt: skip  # a table
    assert told.cells == [Cell("In [1]", 1.0), Cell("In [1]", 2.0, 1.0)]
    assert told.error == "ValueError: no"
    assert folded(ev.CellStarted(101.0, "a"), ev.CellFinished(102.0, "a", "no")).cells == [Cell("a", 1.0, 1.0, "no")]


def test_the_start_of_a_program_outside_any_jit_counts_from_that_of_the_recording() -> None:
    row = OpByOp("jnp.median", start_s=102.0, span_s=1.0, compile_s=0.5, thread="worker")
    assert folded(ev.OpCompiled(103.0, row)).op_by_op == [replace(row, start_s=2.0)]


def test_failures_are_listed_once_and_separately_from_gaps_in_a_file() -> None:
    told = folded(
        ev.CaptureFailed(101.0, "hit", "ValueError"),
        ev.CaptureFailed(102.0, "hit", "ValueError"),
        ev.CaptureFailed(103.0, "save", "a.jsonl ends early"),
        ev.CaptureFailed(103.0, "load", "the last line was cut off"),
        ev.StageNoted(104.0, 1, "eval_shape", "a.py:9"),
        ev.StageNoted(104.0, 7, "lower"),
    )
    assert told.failures == ["hit: ValueError"]
    assert told.gaps == ["The file a.jsonl ends early.", "In the file, the last line was cut off."]
    assert told.stages == {("step", "eval_shape", "a.py:9"): 1, ("?", "lower", ""): 1}


def test_facts_of_the_recording_come_from_its_start_and_end() -> None:
    start = ev.RecordingStarted(100.0, "In [1]", (("jax", "0.10"),), ("no hits",), hits_seen="none")
    other = ev.RecordingStarted(101.0, "In [2]", (("jax", "0.12"),), ("no hits", "no ends"), hits_seen="all")
    live = Recording([start]).facts
    assert (live.label, live.hits_seen, live.is_finished, live.wall_s) == ("In [1]", "none", False, 0.0)
    both = Recording([start, ev.FunctionSeen(101.0, 1, STEP), other, ev.CachesCleared(103.0, "all")]).facts
    assert (both.label, both.limits, both.hits_seen) == ("In [1]", ("no hits", "no ends"), "some")
    assert (both.versions, both.started_s, both.wall_s) == ((("jax", "0.10"),), 100.0, 3.0)
    ended = Recording([start, ev.RecordingFinished(104.0, (("backend", "cpu"),))]).facts
    assert (ended.versions, ended.is_finished, ended.wall_s) == ((("jax", "0.10"), ("backend", "cpu")), True, 4.0)
    assert Recording().facts.wall_s == 0.0


def test_events_of_unknown_compiles_are_left_out() -> None:
    told = folded(*TRACED, MADE, ev.ProgramLoaded(104.0, 80), ev.CallFinished(105.0, 70, 9, 104.0, "hit", compile=80))
    assert told.compiles == []
    assert [(row.function, row.version) for row in told.calls] == [("?", None)]


def test_a_recording_that_is_held_still_is_read_as_of_one_moment() -> None:
    recording = Recording([ev.RecordingStarted(1.0), ev.CallStarted(2.0, call=1, function=1)])

    def go_on() -> None:
        recording.append(ev.CallStarted(3.0, call=2, function=1))

    with recording.held_still():
        other = threading.Thread(target=go_on)
        other.start()
        other.join()
        with recording.held_still():
            assert (len(recording.calls), recording.account.wall_s) == (1, 1.0)
        assert len(recording.calls) == 1
    assert len(recording.calls) == 2


def test_hits_of_unknown_sites_are_left_out() -> None:
    numbers = array("q", [7, 2 * 10**9, 5, 8, 3 * 10**9, 5]).tobytes()
    before = array("q", [9, 2 * 10**9, 5]).tobytes()
    recording = Recording([ev.RecordingStarted(1.0), ev.SiteSeen(1.5, 8, 1), ev.HitsNoted(4.0, numbers)])
    recording.append(ev.HitsNoted(4.0, before))
    assert [(call.start_s, call.index) for call in recording.calls] == [(2.0, 0)]
    assert recording.facts.failures == []


def test_a_cell_inside_a_cell_ends_first_and_its_time_counts_once() -> None:
    log = [
        ev.RecordingStarted(100.0),
        ev.CellStarted(101.0, "In [2]", "outer"),
        ev.CellStarted(102.0, "In [2]", "inner"),
        ev.CellFinished(103.0, "In [2]", "KeyError"),
        ev.CellFinished(105.0, "In [2]"),
        ev.RecordingFinished(106.0),
    ]
    recording = Recording(log)
    told = [(cell.text, cell.start_s, cell.duration_s, cell.error) for cell in recording.facts.cells]
    assert told == [("outer", 1.0, 4.0, None), ("inner", 2.0, 1.0, "KeyError")]
    assert recording.account.wall_s == 4.0


def test_all_hits_of_lines_that_are_not_known_are_counted_as_left_out() -> None:
    hits = ev.HitsNoted(4.0, array("q", (8, 2_000_000_000, 5, 9, 2_000_000_000, 5)).tobytes())
    sums = ev.HitsSummed(3.0, array("q", (8, 1_000_000_000, 5, 10, 9, 1_000_000_000, 5, 20)).tobytes())
    recording = Recording([ev.RecordingStarted(0.0), sums, sums, hits, hits])
    told = "64 hits are left out: they began before the recording, or the file has lost their line."
    assert (list(recording.calls), recording.facts.gaps) == ([], [told])
