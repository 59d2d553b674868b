"""Blocks of hits have rows when they are read one by one, and sums otherwise. The recording starts at 100 s."""

from array import array

import pytest

from jitviz.model import Call, Function, Leaf, Signature
from jitviz.recording import Recording, merge
from jitviz.recording import events as ev
from tests.counted import Counter

STEP = Function("step", "step", "train", "jax.jit", "train.step", token=1)
OTHER = Function("other", "other", "train", "jax.jit", "train.other", token=2)
X = Signature((Leaf("x", "traced", "jax.Array", (3,), "float32"),))
S = 10**9  # nanoseconds
LOG = (
    ev.RecordingStarted(100.0, process="p"),
    ev.FunctionSeen(100.0, 1, STEP),
    ev.FunctionSeen(100.0, 2, OTHER),
    ev.CallStarted(101.0, 70, 1),
    ev.CompileStarted(101.0, 80, 70, 1, X),
    ev.CallFinished(102.0, 70, 1, 101.0, "compile", compile=80),
    ev.SiteSeen(102.0, 5, 1, "a.py:3", compile=80),
    ev.SiteSeen(102.0, 6, 1, "a.py:4", "worker"),
    ev.SiteSeen(102.0, 7, 2, "a.py:5"),
)


def noted(*hits: tuple[int, int, int]) -> ev.HitsNoted:
    """Hits as (site, start, duration), in seconds."""
    numbers = [number for site, start_s, spent_s in hits for number in (site, start_s * S, spent_s * S)]
    return ev.HitsNoted(float(hits[-1][1] + hits[-1][2]), array("q", numbers).tobytes())


def summed(recording: Recording) -> list[tuple[int, str, int | None, str, float | None, int]]:
    """(index, function, version, source, seconds, how many) of each sum."""
    return [
        (call.index, call.function, call.version, call.source, call.duration_s, n)
        for call, n in recording.facts.calls.summed()
    ]


def test_a_hit_of_a_block_has_the_row_of_its_site() -> None:
    rec = Recording([*LOG, noted((5, 103, 1), (6, 105, 2))])
    told = Call("step", 2, "hit", 5.0, 2.0, thread="worker", source="a.py:4", function_info=STEP, ready_s=5.0)
    assert rec.calls[2] == rec.calls[-1] == told
    assert [(call.index, call.version, call.compile) for call in rec.calls] == [
        (0, 1, rec.compiles[0]), (1, 1, rec.compiles[0]), (2, None, None),
    ]  # fmt: skip  # a table
    assert rec.calls[1:] == list(rec.calls)[1:]
    with pytest.raises(IndexError):
        rec.calls[3]


def test_single_calls_come_between_blocks_in_the_order_of_time() -> None:
    begun = ev.CallStarted(106.0, 71, 2, parent=None)
    inner = ev.CallFinished(108.0, 72, 1, 107.0, "hit", parent=71)
    ended = ev.CallFinished(109.0, 71, 2, 106.0, "hit")
    rec = Recording([*LOG, noted((5, 103, 1)), begun, noted((6, 105, 2)), inner, ended, noted((7, 109, 1))])
    assert [(call.index, call.function, call.start_s, call.duration_s, call.parent) for call in rec.calls] == [
        (0, "step", 1.0, 1.0, None), (1, "step", 3.0, 1.0, None), (2, "other", 6.0, 3.0, None),
        (3, "step", 5.0, 2.0, None), (4, "step", 7.0, 1.0, 2), (5, "other", 9.0, 1.0, None),
    ]  # fmt: skip  # a table


def test_hits_of_a_block_are_summed_by_line() -> None:
    rec = Recording([*LOG, noted((5, 103, 1), (7, 104, 1), (5, 105, 1), (7, 106, 2), (5, 108, 1))])
    assert len(rec.calls) == 6
    assert summed(rec) == [
        (0, "step", 1, "", 1.0, 1), (1, "step", 1, "a.py:3", 3.0, 3), (2, "other", None, "a.py:5", 3.0, 2),
    ]  # fmt: skip  # a table


def alike(recording: Recording) -> list[tuple[str, str, int | None, int, float | None, int]]:
    """(function, line, version, index, seconds, how many) of calls in a row that are alike."""
    return [
        (call.function, call.source, call.version, call.index, call.duration_s, n)
        for call, n in recording.facts.calls.alike()
    ]


def test_hits_in_a_row_are_one_for_each_line_however_many_blocks_they_are_in() -> None:
    one, two = noted((5, 103, 1), (7, 104, 1), (5, 105, 1)), noted((5, 106, 1), (7, 107, 2))
    rec = Recording([*LOG, one, two, ev.CallFinished(109.0, 71, 1, 108.0, "inlined"), noted((5, 109, 1))])
    assert alike(rec) == [
        ("step", "", 1, 0, 1.0, 1),
        ("step", "a.py:3", 1, 1, 3.0, 3),
        ("step", "", None, 6, 1.0, 1),
        ("step", "a.py:3", 1, 7, 1.0, 1),
        ("other", "a.py:5", None, 2, 3.0, 2),
    ]


def test_hits_of_several_versions_of_a_function_keep_their_order() -> None:
    rec = Recording([*LOG, noted((5, 103, 1), (5, 104, 1), (6, 105, 1), (7, 106, 1), (5, 107, 1))])
    assert [(name, version, n) for name, _, version, _, _, n in alike(rec)[1:]] == [
        ("step", 1, 2), ("step", None, 1), ("step", 1, 1), ("other", None, 1),
    ]  # fmt: skip  # a table


def test_versions_that_take_turns_take_no_more_room_than_a_thousand_runs() -> None:
    turns = [noted(*((5 + hit % 2, 103 + hit, 1) for hit in range(1000)))] * 4
    rows = alike(Recording([*LOG, *turns, ev.CallFinished(5000.0, 71, 1, 4999.0, "inlined"), noted((5, 5001, 1))]))
    assert len(rows) == 1003
    assert rows[-4:] == [
        ("step", "a.py:3", 1, 999, 1501.0, 1501),
        ("step", "a.py:4", None, 1000, 1501.0, 1501),
        ("step", "", None, 4001, 1.0, 1),
        ("step", "a.py:3", 1, 4002, 1.0, 1),
    ]
    assert sum(n for *_, n in rows) == 4003


def test_a_call_knows_its_number_among_the_calls_of_its_function() -> None:
    sums = ev.HitsSummed(103.0, array("q", (5, 102 * S, 10 * S, 10)).tobytes())
    hits = noted((5, 103, 1), (7, 104, 1), (6, 105, 1))
    rec = Recording([*LOG, sums, hits, ev.CallFinished(107.0, 71, 1, 106.0, "inlined"), hits])
    assert [rec.facts.calls.number_of(index) for index in range(len(rec.calls))] == [1, 12, 1, 13, 14, 15, 2, 16]


def with_blocks(n_functions: int, n_blocks: int) -> Recording:
    """Functions that compiled at two lines each, and blocks of hits of another one."""
    log: list[ev.Event] = [*LOG]
    for number in range(3, 3 + n_functions):
        name = f"f{number}"
        log.append(ev.FunctionSeen(102.0, number, Function(name, name, "train", "jax.jit", name, token=number)))
        for line in (1, 2):
            given = Signature((Leaf("x", "traced", "jax.Array", (line,), "float32"),))
            call = 100 * number + line
            log += [
                ev.CallStarted(102.0, call, number, source=f"{name}.py:{line}"),
                ev.CompileStarted(102.0, call, call, number, given, source=f"{name}.py:{line}"),
                ev.PhaseFinished(102.5, call, "compile", 102.0),
                ev.CompileFinished(102.5, call),
                ev.CallFinished(102.5, call, number, 102.0, "compile", compile=call),
            ]
    return Recording([*log, *[noted((7, 103, 1), (7, 104, 1))] * n_blocks])


@pytest.mark.parametrize("read", ["reasons", "findings", "text"])
def test_what_a_block_of_hits_adds_to_reading_does_not_grow_with_the_functions(read: str) -> None:
    def work(n_functions: int, n_blocks: int) -> int:
        rec = with_blocks(n_functions, n_blocks)
        tasks = {"reasons": lambda: [row.reasons for row in rec.compiles], "findings": lambda: rec.findings}
        with Counter() as counter:
            tasks.get(read, rec.__str__)()
        return counter.n

    work(2, 2)  # what is made once
    few, many = (work(n, 500) - work(n, 100) for n in (2, 12))
    assert many < 1.3 * few


def test_blocks_that_two_recordings_of_a_process_hold_are_merged_once() -> None:
    block = noted((5, 103, 1), (6, 105, 2))
    both = merge(Recording([*LOG, block]), Recording([*LOG[:3], *LOG[6:], block]))
    assert [(call.start_s, call.source) for call in both.calls] == [(1.0, ""), (3.0, "a.py:3"), (5.0, "a.py:4")]


def test_blocks_of_two_processes_are_renumbered_with_their_lines() -> None:
    other = Recording([ev.RecordingStarted(100.0, process="q"), *LOG[1:], noted((7, 103, 1))])
    both = merge(Recording([*LOG, noted((5, 103, 1))]), other)
    assert [(call.lineage, call.source) for call in both.calls if call.outcome == "hit"] == [
        ("recording 1: train.step", "a.py:3"), ("recording 2: train.other", "a.py:5"),
    ]  # fmt: skip  # a table
