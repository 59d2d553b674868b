"""Processes of one job that part: they are told apart by the numbers of their calls, or by their versions."""

from array import array

import pytest

from jitviz.model import HitsSeen
from jitviz.recording import Recording, merge
from jitviz.recording import events as ev
from jitviz.views import as_text, shape_panel
from tests.recording.test_merging import of_process, signature


def parted(*recordings: Recording) -> list[str]:
    return [found.summary for found in merge(*recordings).findings if found.kind == "diverged"]


def test_a_process_that_compiles_where_the_others_hit_is_found() -> None:
    alike = [of_process(index, 8, 8, 8, 8, 8, 8) for index in (0, 2, 3)]
    assert parted(of_process(1, 8, 8, 8, 8, 7, 8), *alike) == [
        "process 1 compiled `step` at call 5 where the others hit: `x` f32[8] → f32[7]"
    ]
    assert parted(*alike) == []
    assert parted(of_process(1, 8, 7, 8), of_process(0, 8, 7, 7)) == []
    assert parted(of_process(1, 8, 8, 8), of_process(0, 8, 7, 8), of_process(2, 8, 7, 8)) == [
        "process 1 hit `step` at call 2 where the others compiled: `x` f32[8] → f32[7]"
    ]


def test_a_process_that_compiles_while_the_others_wait_is_found() -> None:
    assert parted(of_process(1, 8, 8, 7), of_process(0, 8, 8), of_process(2, 8, 8)) == [
        "process 1 compiled `step` at call 3, which the others had not finished: `x` f32[8] → f32[7]"
    ]


def without_hits(recording: Recording, seen: HitsSeen = "none") -> Recording:
    """The same run where no hit was seen."""
    start, *events = recording.events
    assert isinstance(start, ev.RecordingStarted)
    kept = [event for event in events if getattr(event, "outcome", "") != "hit"]
    return Recording([ev.RecordingStarted(**{**vars(start), "hits_seen": seen}), *kept])


def test_a_version_that_the_others_never_compiled_is_found_where_no_hit_is_seen() -> None:
    alike = [without_hits(of_process(index, 8, 8, 6)) for index in (0, 2)]
    assert parted(without_hits(of_process(1, 8, 6, 6, 7)), *alike) == [
        "process 1 compiled a version of `step` that processes 0 and 2 did not: `x` f32[6] → f32[7]"
    ]
    assert parted(without_hits(of_process(1, 8, 8, 8, 6)), *alike) == []
    assert parted(without_hits(of_process(1, 8)), *alike) == [
        "processes 0 and 2 compiled a version of `step` that process 1 did not: `x` f32[8] → f32[6]"
    ]


@pytest.mark.parametrize("doubt", ["is_warm", "is_partial"])
def test_versions_are_not_compared_where_some_of_a_process_are_unknown(doubt: str) -> None:
    def in_doubt(event: ev.Event) -> ev.Event:
        if not isinstance(event, ev.CompileStarted):
            return event
        given = event.signature
        if doubt == "is_partial":
            given = type(given)(**{**vars(given), "is_partial": True})
        return ev.CompileStarted(**{**vars(event), "signature": given, "is_warm": doubt == "is_warm"})

    one = without_hits(of_process(1, 8, 7))
    assert parted(one, without_hits(of_process(0, 8))) != []
    assert parted(one, Recording([in_doubt(event) for event in without_hits(of_process(0, 8)).events])) == []


def test_what_a_process_may_have_done_after_it_was_killed_does_not_part_it_from_the_others() -> None:
    killed = Recording(without_hits(of_process(0, 8)).events[:-1])
    assert parted(without_hits(of_process(1, 8, 7)), killed) == []
    assert parted(without_hits(of_process(1, 8, 7)), killed, without_hits(of_process(2, 8))) == [
        "process 1 compiled a version of `step` that process 2 did not: `x` f32[8] → f32[7]"
    ]
    killed = Recording(without_hits(of_process(0, 8, 7)).events[:-1])
    assert parted(without_hits(of_process(1, 8)), killed) == [
        "process 0 compiled a version of `step` that process 1 did not: `x` f32[8] → f32[7]"
    ]


def test_calls_are_not_numbered_where_a_file_has_lost_lines() -> None:
    *others, end = of_process(0, 8, 7).events
    cut = Recording([*others, ev.CaptureFailed(15.0, "load", "line 7 is missing"), end])
    assert parted(of_process(1, 8, 8, 7), cut) == []
    assert parted(of_process(1, 8, 8, 7), cut, of_process(2, 8, 7, 7)) != []


def test_versions_are_compared_where_one_of_the_processes_sees_no_hits() -> None:
    unseen = without_hits(of_process(0, 8, 8, 8, 7))
    assert parted(of_process(1, 8, 8, 8, 7), unseen) == []
    assert parted(of_process(1, 8, 8, 8, 8), unseen) == [
        "process 0 compiled a version of `step` that process 1 did not: `x` f32[8] → f32[7]"
    ]


def test_a_function_that_one_process_alone_calls_does_not_part_them() -> None:
    start, *_, end = of_process(0, 8).events
    assert parted(without_hits(of_process(1, 8, 7)), Recording([start, end])) == []


def summing(index: int, n_sums: int, n_hits: int, length: int = 7) -> Recording:
    """A compile, hits of which the oldest are a sum, and another compile."""
    first = list(of_process(index, 8).events[:-1])
    site = ev.SiteSeen(13.0, 50, 1, "t.py:3", compile=10_008)  # type: ignore[arg-type]
    hits = [number for place in range(n_hits) for number in (50, 14_000_000_000 + place, 100)]
    kept = [ev.HitsSummed(14.0, array("q", (50, 13_000_000_000, 900, n_sums)).tobytes())] * (n_sums > 0)
    last = [
        ev.CallStarted(15.0, 70, 1),  # type: ignore[arg-type]
        ev.CompileStarted(15.0, 80, 70, 1, signature(length)),  # type: ignore[arg-type]
        ev.PhaseFinished(15.5, 80, "compile", 15.0),  # type: ignore[arg-type]
        ev.CompileFinished(15.5, 80),  # type: ignore[arg-type]
        ev.CallFinished(15.6, 70, 1, 15.0, "compile", compile=80),  # type: ignore[arg-type]
    ]
    return Recording([*first, site, *kept, ev.HitsNoted(14.5, array("q", hits).tobytes()), *last])


def test_calls_are_numbered_alike_however_many_of_them_are_sums() -> None:
    assert parted(summing(0, 60, 40), summing(1, 30, 70), summing(2, 0, 100)) == []
    assert parted(summing(0, 60, 40), summing(1, 30, 71)) == [
        "process 0 compiled `step` at call 102 where the others hit: `x` f32[8] → f32[7]",
        "process 1 compiled `step` at call 103, which the others had not finished: `x` f32[8] → f32[7]",
    ]


def test_one_recompile_is_in_one_finding_and_the_headline_says_whose_seconds_it_adds_up() -> None:
    merged = merge(of_process(0, 8, 8, 7, 8), of_process(1, 8, 6, 7, 8))
    findings = [(found.kind, found.count, found.compiles) for found in merged.findings]
    assert findings == [("diverged", 1, (2,)), ("recompile", 1, (3,))]
    panel = shape_panel(merged)
    assert as_text(panel.verdict.title) == "2.5 s compiling in 2 processes in 5.6 s"
    assert panel.account is not None
    assert panel.account.beside == (
        "This is process 0 alone. Meanwhile, in other processes and threads: 1.5 s XLA, 900 ms running programs."
    )
