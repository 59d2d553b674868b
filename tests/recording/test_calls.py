"""Blocks of hits have rows when they are read one by one, and sums otherwise. The recording starts at 100 s."""

from array import array

import pytest

from jitviz.model import Call, Function, Leaf, Signature
from jitviz.recording import Recording, merge
from jitviz.recording import events as ev

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


def test_sums_of_hits_of_several_versions_keep_their_order() -> None:
    rec = Recording([*LOG, noted((5, 103, 1), (5, 104, 1), (6, 105, 1), (7, 106, 1), (5, 107, 1))])
    assert [row[0:3] + row[5:] for row in summed(rec)[1:]] == [
        (1, "step", 1, 2), (3, "step", None, 1), (4, "other", None, 1), (5, "step", 1, 1),
    ]  # fmt: skip  # a table


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
