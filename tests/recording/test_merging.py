from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from jitviz.model import Description, Function, Glance, Leaf, Outcome, Sample, Signature
from jitviz.recording import Recording, load, merge
from jitviz.recording import events as ev

STEP = Function("step", "step", "train", "jax.jit", lineage="train.step", token=1, body=Description("function", "step"))


def signature(length: int) -> Signature:
    return Signature(leaves=(Leaf("x", "traced", "jax.Array", shape=(length,), dtype="f32", itemsize=4),))


def recorded(start_s: float, process: str, *, call: int, length: int, label: str = "") -> Recording:
    """A recording of one call of `step` that compiles."""
    return Recording(
        [
            ev.RecordingStarted(start_s, label, versions=(("jitviz", "0.1.0"),), process=process),
            ev.FunctionSeen(start_s + 0.1, function=1, info=STEP),
            ev.CallStarted(start_s + 0.1, call=call, function=1),
            ev.CompileStarted(start_s + 0.2, compile=call, call=call, function=1, signature=signature(length)),
            ev.CompileFinished(start_s + 0.4, compile=call),
            ev.CallFinished(start_s + 0.5, call, 1, started_s=start_s + 0.1, outcome="compile"),
            ev.RecordingFinished(start_s + 0.6),
        ]
    )


def kinds(recording: Recording) -> list[str]:
    return [type(event).__name__ for event in recording.events]


def test_recordings_of_one_process_keep_their_numbers_and_come_in_the_order_of_time() -> None:
    later = recorded(20.0, "a", call=2, length=4, label="In [2]")
    earlier = recorded(10.0, "a", call=1, length=3, label="In [1]")
    merged = merge(later, earlier)
    assert kinds(merged) == [
        "RecordingStarted",
        *["FunctionSeen", "CallStarted", "CompileStarted", "CompileFinished", "CallFinished"],
        *["CallStarted", "CompileStarted", "CompileFinished", "CallFinished"],
        "RecordingFinished",
    ]
    assert [event.call for event in merged.events if isinstance(event, ev.CallStarted)] == [1, 2]
    assert [compile.version for compile in merged.compiles] == [1, 2]
    start, end = merged.events[0], merged.events[-1]
    assert start == ev.RecordingStarted(10.0, "In [2], In [1]", (("jitviz", "0.1.0"),), process="a")
    assert end == ev.RecordingFinished(20.6)


@pytest.mark.parametrize("processes", ["ab", ("", "")])
def test_recordings_of_two_or_unknown_processes_are_renumbered_with_separate_versions(processes: Sequence[str]) -> None:
    merged = merge(*(recorded(10.0, process, call=1, length=3) for process in processes))
    assert [call.outcome for call in merged.calls] == ["compile", "compile"]
    assert [compile.version for compile in merged.compiles] == [1, 1]
    assert [compile.call for compile in merged.compiles] == list(merged.calls)
    lineages = [function.lineage for function in merged.facts.functions.values()]
    assert lineages == ["recording 1: train.step", "recording 2: train.step"]


def test_events_of_processes_that_ran_at_the_same_time_come_in_the_order_of_time() -> None:
    merged = merge(recorded(10.0, "a", call=1, length=3), recorded(10.25, "b", call=1, length=4))
    times = [event.at_s for event in merged.events if isinstance(event, ev.CallStarted | ev.CallFinished)]
    assert times == [10.1, 10.35, 10.5, 10.75]


def test_a_recording_inside_another_adds_nothing_twice() -> None:
    outer = recorded(10.0, "a", call=1, length=3)
    inner = Recording([ev.RecordingStarted(10.05, process="a"), *outer.events[1:-1]])
    assert merge(outer, inner).events[1:] == outer.events[1:-1]  # the inner one goes on, so there is no end


def test_a_repeated_version_is_dropped_if_another_recording_saw_its_compile() -> None:
    first = recorded(10.0, "a", call=1, length=3)
    second = recorded(20.0, "a", call=2, length=4)
    repeated = ev.CompileStarted(10.2, compile=1, call=None, function=1, signature=signature(3), is_before=True)
    second = Recording([*second.events[:2], repeated, *second.events[2:]])
    assert [compile.version for compile in second.compiles] == [2]
    assert len(second.earlier) == 1
    merged = merge(first, second)
    assert [compile.version for compile in merged.compiles] == [1, 2]
    assert list(merged.earlier) == []


def test_hits_of_a_version_that_an_earlier_recording_saw_stay() -> None:
    first = recorded(10.0, "a", call=1, length=3)
    hit = [
        ev.CompileStarted(10.2, compile=1, call=None, function=1, signature=signature(3), is_before=True),
        ev.SiteSeen(20.2, site=1, function=1, compile=1),
        ev.HitsNoted(20.3, array("q", (1, 20_200_000_000, 1_000)).tobytes()),
    ]
    start, function, *_, end = recorded(20.0, "a", call=2, length=3).events
    merged = merge(first, Recording([start, function, *hit, end]))
    assert [(call.outcome, call.version) for call in merged.calls] == [("compile", 1), ("hit", 1)]


def test_the_order_inside_a_log_stays_even_if_an_event_has_an_earlier_time() -> None:
    second = recorded(20.0, "a", call=2, length=4)
    repeated = ev.CompileStarted(10.2, compile=1, call=None, function=1, signature=signature(3), is_before=True)
    log = [*second.events[:2], repeated, *second.events[2:]]
    assert merge(Recording(log)).events == log


def test_a_recording_that_is_still_live_stays_so() -> None:
    live = Recording(recorded(20.0, "a", call=2, length=4).events[:-1])
    merged = merge(recorded(10.0, "a", call=1, length=3), live)
    assert kinds(merged)[-1] == "CallFinished"
    assert (merged.is_live, merged.is_cut) == (True, False)


def test_recordings_that_were_cut_stay_so() -> None:
    first, second = recorded(10.0, "a", call=1, length=3), recorded(20.0, "a", call=2, length=4)
    merged = merge(*(Recording(cut.events[:-1], is_closed=True) for cut in (first, second)))
    assert (merged.is_live, merged.is_cut) == (False, True)


def test_merging_nothing_gives_an_empty_recording() -> None:
    assert merge().events == []


def of_process(index: int | None, *lengths: int, at_s: float = 10.0, n_hits: int = 0, pid: int = 0) -> Recording:
    """Calls of `step` in one process; a length that came before is a hit."""
    events: list[ev.Event] = [
        ev.RecordingStarted(at_s, process=f"{index}-{pid}", host="node", pid=pid or 100, process_index=index),
        ev.FunctionSeen(at_s, 1, STEP),
    ]
    known: list[int] = []
    for number, length in enumerate((*lengths, *lengths[-1:] * n_hits), start=2):
        now_s = at_s + number
        if length not in known:
            known.append(length)
            events += [
                ev.CallStarted(now_s, number, 1),
                ev.CompileStarted(now_s, 10_000 + length, number, 1, signature(length)),
                ev.PhaseFinished(now_s + 0.5, 10_000 + length, "compile", now_s),
                ev.CompileFinished(now_s + 0.5, 10_000 + length),
            ]
        outcome: Outcome = "hit" if events[-1].at_s < now_s else "compile"
        events.append(
            ev.CallFinished(now_s + 0.6, number, 1, started_s=now_s, outcome=outcome, compile=10_000 + length)
        )
    return Recording([*events, ev.RecordingFinished(events[-1].at_s)])


def test_a_recompile_of_all_processes_is_one_finding() -> None:
    merged = merge(*(of_process(index, 8, 7) for index in range(4)))
    assert [(found.kind, found.path, found.count) for found in merged.findings] == [("recompile", "x", 1)]


def test_each_process_has_its_own_threads_and_says_where_it_ran() -> None:
    merged = merge(of_process(1, 8, pid=4), of_process(0, 8, pid=3))
    assert [call.thread for call in merged.calls] == ["process 0", "process 1"]
    assert [
        (label, place.process_index, place.host, place.pid, place.hits_seen)
        for label, place in merged.facts.processes.items()
    ] == [("process 0", 0, "node", 3, "all"), ("process 1", 1, "node", 4, "all")]
    assert merge(of_process(None, 8, pid=4), of_process(None, 8, pid=3)).calls[0].thread == "pid 4"


def test_processes_of_two_hosts_are_named_with_their_hosts() -> None:
    here, there = of_process(None, 8, pid=4), of_process(None, 8, pid=4)
    start = replace(there.events[0], host="other", process="b")
    merged = merge(here, Recording([start, *there.events[1:]]))
    assert list(merged.facts.processes) == ["node pid 4", "other pid 4"]


def test_a_process_that_joined_others_during_its_recording_is_named_by_its_number() -> None:
    late = of_process(None, 8, pid=4)
    late = Recording([*late.events[:2], ev.ProcessJoined(11.0, 1), *late.events[2:]])
    assert [(label, place.process_index) for label, place in late.facts.processes.items()] == [("", 1)]
    assert list(merge(of_process(0, 8, pid=3), late).facts.processes) == ["process 0", "process 1"]


def test_runs_of_different_days_are_not_added_up() -> None:
    with pytest.raises(ValueError, match=r"^These are different runs: one ended on .*, the next began on .*compare"):
        merge(of_process(0, 8), of_process(1, 8, at_s=10.0 + 86_400))


def test_a_file_that_was_cut_before_its_first_event_does_not_count_as_an_older_run(tmp_path: Path) -> None:
    whole = of_process(0, 8, at_s=1_790_000_000.0)
    whole.save(tmp_path / "whole.jsonl")
    header = (tmp_path / "whole.jsonl").read_text().splitlines()[0]
    (tmp_path / "cut.jsonl").write_text(f'{header}\n{{"event":"Rec')
    merged = merge(whole, load(tmp_path / "cut.jsonl"))
    assert [row.version for row in merged.compiles] == [1]
    assert merged.facts.gaps == ["In the file, the last line was cut off, as when a process is killed while it writes."]


@pytest.mark.parametrize(("processes", "kept"), [("ab", ["a:1"]), ("aa", ["a:1", "a:2"])])
def test_lines_of_the_first_process_are_apart_from_those_of_others(processes: str, kept: list[str]) -> None:
    runs = [recorded(10.0, process, call=1 + place, length=3) for place, process in enumerate(processes)]
    logs = [
        [*run.events, ev.LinesSampled(11.0, (Sample(10.0, 10.5, Glance(f"a:{place}")),))]
        for place, run in enumerate(runs, 1)
    ]
    merged = merge(*(Recording(sorted(log, key=lambda event: event.at_s)) for log in logs))
    assert [sample.source for sample in merged.facts.samples] == kept
    others = {label: [one.source for one in samples] for label, samples in merged.facts.samples_of.items() if label}
    assert others == ({"recording 2": ["a:2"]} if processes == "ab" else {})


def test_a_process_that_ends_early_is_not_stretched_over_the_whole_span() -> None:
    merged = merge(recorded(10.0, "a", call=1, length=3), recorded(30.0, "b", call=1, length=3))
    assert merged.facts.wall_s == pytest.approx(20.6)
    assert merged.account.wall_s == pytest.approx(0.6)
