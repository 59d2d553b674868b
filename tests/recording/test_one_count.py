"""Every view that counts calls says the same: three lines, two threads, 10,000 hits of each, half of them sums, in two
processes."""

from __future__ import annotations

import json
from array import array

import pytest

from jitviz.model import Function
from jitviz.recording import Recording, load, merge
from jitviz.recording import events as ev
from jitviz.views import TERMINAL, shape_panel
from jitviz.views.groups import add_up, group_rows

from .test_calls import LOG, S, X

N = 10_000  # hits of each line on each thread
LINES = (("a.py:3", 1), ("a.py:4", 1), ("a.py:5", 2))  # and the number of the function
THREADS = ("MainThread", "worker")


def process(index: int) -> Recording:
    """Two functions that compile once; all lines take turns. Each process has summed up half of its hits."""
    start = ev.RecordingStarted(100.0, process=f"p{index}", pid=1 + index, process_index=index)
    second = [
        ev.CallStarted(102.0, 71, 2),  # type: ignore[arg-type]
        ev.CompileStarted(102.0, 81, 71, 2, X),  # type: ignore[arg-type]
        ev.CallFinished(103.0, 71, 2, 102.0, "compile", compile=81),  # type: ignore[arg-type]
    ]
    recording = Recording([start, *LOG[1:6], *second])
    sites = [(line, function, thread) for thread in THREADS for line, function in LINES]
    for number, (line, function, thread) in enumerate(sites):
        compile = 80 if function == 1 else 81
        recording.append(ev.SiteSeen(104.0, 20 + number, function, line, thread, compile))  # type: ignore[arg-type]
    for hit in range(0, N, 500):
        rows = [(20 + number, int((104 + hit / N) * S), 1000) for _ in range(500) for number in range(len(sites))]
        recording.append(ev.HitsNoted(105.0, array("q", [part for row in rows for part in row]).tobytes()))
        if hit == N // 2 - 500:
            recording.shrink(0)
    recording.append(ev.RecordingFinished(106.0))
    return recording


@pytest.fixture(scope="module", params=["one process", "loaded", "merged"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    if request.param == "merged":
        return merge(process(0), process(1))
    one = process(0)
    return one if request.param == "one process" else load(one.save(tmp_path_factory.mktemp("one") / "run.jsonl"))


def n_processes(recording: Recording) -> int:
    return max(1, len([name for name in recording.facts.processes if name]))


def test_half_of_the_hits_have_no_rows(recording: Recording) -> None:
    assert recording.facts.n_summed == 3 * N * n_processes(recording)
    assert len(recording.calls) == (3 * N + 2) * n_processes(recording)


def test_both_ways_to_add_up_calls_have_all_of_them(recording: Recording) -> None:
    calls = recording.facts.calls
    every = (6 * N + 2) * n_processes(recording)
    assert [sum(n for _, n in rows) for rows in (calls.summed(), calls.alike())] == [every, every]
    assert calls.n_at.total() == every


def test_the_panel_counts_them_by_function_line_and_version(recording: Recording) -> None:
    n = n_processes(recording)
    totals = add_up(recording, group_rows(recording))
    assert (totals["call"], totals["hit"]) == ((6 * N + 2) * n, 6 * N * n)
    panel = shape_panel(recording, TERMINAL)
    told = "20,000 calls, 20,000 hits"
    assert sorted(
        (function.name, function.versions[0].hits, [site.told for site in function.call_sites])
        for function in panel.functions
    ) == sorted([("step", 4 * N, [told] * 2), ("other", 2 * N, [told])] * n)
    assert [score.columns[-1].last for score in panel.scores if score.place >= 0].count(4 * N + 1) == n
    assert sum(panel.timeline.call_count) == totals["call"]


def test_json_counts_them(recording: Recording) -> None:
    n = n_processes(recording)
    rows = json.loads(recording.to_json())["calls"]
    assert sorted((row["function"], row["calls"], row["outcomes"]["hit"]) for row in rows) == sorted(
        [("step", 4 * N + 1, 4 * N), ("other", 2 * N + 1, 2 * N)] * n
    )


def test_the_account_has_the_time_of_the_main_threads_hits_once(recording: Recording) -> None:
    run_s = {part.what: part.seconds for part in recording.account.parts}["run"]
    beside_s = {part.what: part.seconds for part in recording.account.beside}["run"]
    assert run_s + beside_s == pytest.approx(6 * N * 1e-6 * n_processes(recording))


def test_the_processes_do_not_part(recording: Recording) -> None:
    assert [found for found in recording.findings if found.kind == "diverged"] == []


def test_a_process_with_one_hit_more_before_a_compile_parts() -> None:
    def with_another(index: int, n_more: int) -> Recording:
        *events, end = process(index).events
        more = [(20, 105 * S, 1000)] * n_more
        last = [
            ev.HitsNoted(105.5, array("q", [part for row in more for part in row]).tobytes()),
            ev.CallStarted(105.6, 90, 1),  # type: ignore[arg-type]
            ev.CompileStarted(105.6, 91, 90, 1, type(X)()),  # type: ignore[arg-type]
            ev.PhaseFinished(105.7, 91, "compile", 105.6),  # type: ignore[arg-type]
            ev.CallFinished(105.8, 90, 1, 105.6, "compile", compile=91),  # type: ignore[arg-type]
        ]
        return Recording([*events, *last, end])

    def parted(*numbers: int) -> list[int]:
        merged = merge(*(with_another(index, n) for index, n in enumerate(numbers)))
        return [found.count for found in merged.findings if found.kind == "diverged"]

    assert parted(1, 1) == []
    assert parted(1, 2) != []


def test_a_function_is_of_its_process(recording: Recording) -> None:
    infos: set[Function] = {call.function_info for call, _ in recording.facts.calls.alike()}
    assert {info.process for info in infos} == {name for name in recording.facts.processes if name} or {""}
