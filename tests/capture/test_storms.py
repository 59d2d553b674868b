"""With many threads, capture switched on and off, and other tools at work, each call is seen exactly once."""

import asyncio
import multiprocessing
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.model import MOST_THREADS, OTHER_THREADS
from tests.leftovers import left_by

from .samples import JITS, JITS_WITH_HITS, SEES_HITS, fresh, needs_hits, on_threads

X = np.ones(3, np.float32)


@pytest.fixture
def switching_often() -> Iterator[None]:
    """Threads switch after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switching_often")
@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_calls_of_threads_that_switch_all_the_time_are_counted_per_thread(api: str) -> None:
    shared = fresh(JITS[api])
    shared(X)

    def work(number: int) -> None:
        own = fresh(JITS[api])
        for _ in range(30):
            shared(X)
            own(X)

    with jitviz.record() as rec:
        on_threads(work, 4)
    assert {call.duration_s is None for call in rec.calls} == {False}
    assert Counter((call.thread, call.outcome) for call in rec.calls) == {
        (f"worker {number}", outcome): times for number in range(4) for outcome, times in (("compile", 1), ("hit", 59))
    }
    assert {(call.parent, call.is_end_known) for call in rec.calls} == {(None, True)}
    assert [row.thread for row in rec.compiles] == [row.call and row.call.thread for row in rec.compiles]
    assert rec.facts.failures == []


@pytest.mark.usefixtures("switching_often")
@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_overlapping_recordings_of_threads_each_hold_all_calls_of_their_thread(api: str) -> None:
    step, recordings = fresh(JITS[api]), {}
    step(X)

    def work(number: int) -> None:
        with jitviz.record() as rec:
            for _ in range(20):
                step(X)
        recordings[f"worker {number}"] = rec

    on_threads(work, 4)
    for thread, rec in recordings.items():
        seen = Counter(call.thread for call in rec.calls)
        assert seen[thread] == 20
        assert max(seen.values()) == 20
        assert rec.facts.failures == []


def test_all_but_the_first_threads_have_one_name_for_whatever_is_called_on_them() -> None:
    step = jitviz.filter_jit(lambda x: x * 2)
    with jitviz.record() as rec:
        for number in range(MOST_THREADS + 9):
            traced = jax.make_jaxpr(lambda x: step(x))
            worker = threading.Thread(target=traced, args=(X,), name=f"request {number}")
            worker.start()
            worker.join()
    counts = Counter(call.thread for call in rec.calls)
    assert counts == {f"request {number}": 1 for number in range(MOST_THREADS)} | {OTHER_THREADS: 9}


@pytest.mark.usefixtures("switching_often")
def test_capture_can_be_switched_on_and_off_while_threads_call() -> None:
    is_over = threading.Event()

    def switch() -> None:
        for turn in range(10):
            rec = capture.begin()
            str(rec)
            if turn % 2:
                capture.unwatch()
            else:
                capture.end(rec)
            assert rec.facts.failures == []

    def work(number: int) -> None:
        steps = [fresh(jit) for jit in JITS.values()]
        while not is_over.is_set():
            assert [float(step(X)[0]) for step in steps] == [2.0] * 3
            if number == 1:
                assert float(fresh()(X)[0]) == 2.0
            if number == 0:
                try:
                    switch()
                finally:
                    is_over.set()

    on_threads(work, 3)


@pytest.mark.parametrize("api", list(JITS))
def test_a_function_may_switch_capture_off_during_its_trace(api: str) -> None:
    @JITS[api]
    def step(x: Any) -> Any:
        capture.unwatch()
        return x * 2.0

    @JITS[api]
    def again(x: Any) -> Any:
        inside.append(capture.begin())
        return x * 3.0

    inside: list[Any] = []
    with jitviz.record() as rec:
        assert float(step(X)[0]) == 2.0
    assert rec.facts.failures == []
    assert not rec.is_live
    assert float(again(X)[0]) == 3.0
    assert float(fresh(JITS[api])(X)[0]) == 2.0
    (later,) = map(capture.end, inside)
    assert later.facts.failures == []
    assert [call.outcome for call in later.calls][-1:] == ["compile"]


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_calls_from_a_callback_on_a_thread_of_the_runtime_are_seen(api: str) -> None:
    inner = fresh(JITS[api])

    @JITS[api]
    def outer(x: Any) -> Any:
        jax.debug.callback(lambda x: inner(np.asarray(x)), x)
        return x * 2.0

    with jitviz.record() as rec:
        for _ in range(3):
            jax.block_until_ready(outer(X))
            jax.effects_barrier()
    assert Counter((call.function, call.outcome) for call in rec.calls) == {
        ("outer", "compile"): 1,
        ("outer", "hit"): 2,
        ("step", "compile"): 1,
        ("step", "hit"): 2,
    }
    assert rec.facts.failures == []


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_calls_of_tasks_and_their_executors_are_seen(api: str) -> None:
    step = fresh(JITS[api])

    async def work() -> None:
        for _ in range(5):
            step(X)
            await asyncio.to_thread(lambda: step(X))
            await asyncio.get_running_loop().run_in_executor(None, step, X)

    async def main() -> None:
        await asyncio.gather(*(work() for _ in range(3)))

    with jitviz.record() as rec:
        asyncio.run(main())
    assert len(rec.calls) == 45
    assert {call.parent for call in rec.calls} == {None}
    assert rec.facts.failures == []


def test_a_process_that_is_spawned_while_recording_is_not_watched() -> None:
    step = fresh(jitviz.filter_jit)
    with jitviz.record() as rec, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        step(X)
        assert pool.submit(eval, "'jitviz' in __import__('sys').modules").result() is False
        step(X)
    assert [call.outcome for call in rec.calls] == ["compile", "hit"]
    assert rec.facts.failures == []


@needs_hits
def test_another_tool_and_jitviz_see_the_same_calls() -> None:
    monitoring, heard, step = sys.monitoring, Counter[str](), fresh()
    step(X)

    def loop() -> None:
        for _ in range(10):
            step(X)

    events = {"lines": monitoring.events.LINE, "calls": monitoring.events.CALL}
    tool = monitoring.COVERAGE_ID
    monitoring.use_tool_id(tool, "coverage")
    try:
        for name, event in events.items():
            monitoring.register_callback(tool, event, lambda *_, name=name: heard.update([name]))
        monitoring.set_local_events(tool, loop.__code__, events["lines"] | events["calls"])
        loop()
        alone = heard.copy()
        heard.clear()
        with jitviz.record() as rec:
            loop()
        assert heard == alone
        monitoring.restart_events()
        heard.clear()
        loop()
        assert heard == alone
    finally:
        monitoring.set_local_events(tool, loop.__code__, 0)
        for event in events.values():
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)
    assert [call.outcome for call in rec.calls] == ["hit"] * 10


@pytest.mark.parametrize("core", ["ctrace", "pytrace", *(["sysmon"] if SEES_HITS else [])])
def test_coverage_finds_the_same_lines_and_jitviz_the_same_calls(core: str) -> None:
    coverage = pytest.importorskip("coverage")

    def loop(step: Any) -> None:
        for size in (3, 3, 2, 3):
            if size == 2:
                step(X[:size])
            else:
                step(X)

    def lines(is_recorded: bool) -> list[int]:
        found = coverage.Coverage(data_file=None, config_file=False, include=[__file__])
        found.set_option("run:core", core)
        step = jax.jit(lambda x: x * 2)
        recording = capture.begin() if is_recorded else None
        found.start()
        try:
            loop(step)
        finally:
            found.stop()
        if recording is not None:
            capture.end(recording)
            assert recording.facts.failures == []
            assert [call.outcome for call in recording.calls if call.outcome != "hit"] == ["compile"] * 2
            assert len(recording.calls) == (4 if SEES_HITS else 2)
        return sorted(found.get_data().lines(__file__))

    alone = lines(is_recorded=False)
    assert len(alone) == 5
    assert lines(is_recorded=True) == alone


@pytest.mark.parametrize("hang", ["settrace", "setprofile"])
def test_a_debugger_sees_the_same_events_of_the_users_code_as_without_jitviz(hang: str) -> None:
    def heard(is_recorded: bool) -> list[tuple[str, str]]:
        seen: list[tuple[str, str]] = []

        def hear(frame: Any, event: str, _: Any) -> Any:
            if frame.f_code.co_filename == __file__ and frame.f_code.co_name in ("heard", "loop", "step"):
                seen.append((frame.f_code.co_name, event))
            return hear

        def loop() -> None:
            for _ in range(2):
                step(X)

        step, before = fresh(), getattr(sys, hang.replace("set", "get"))()
        recording = capture.begin() if is_recorded else None
        getattr(sys, hang)(hear)
        try:
            loop()
        finally:
            getattr(sys, hang)(before)
        if recording is not None:
            capture.end(recording)
            assert recording.facts.failures == []
            assert len(recording.calls) == (2 if SEES_HITS else 1)
        return seen

    alone = heard(is_recorded=False)
    # While any tool listens to calls, Python reports to a profiler the return of the call that installed it.
    returned = [("heard", "c_return")] if SEES_HITS and hang == "setprofile" else []
    assert heard(is_recorded=True) == returned + alone


def test_switching_on_and_off_a_hundred_times_leaves_nothing(tmp_path: Path) -> None:
    def turn() -> None:
        with jitviz.record() as rec:
            rec.save(tmp_path / "run.jsonl")
        capture.unwatch()

    n_threads, n_files, n_objects = left_by(turn, 100)
    assert (n_threads, n_files) == (0, 0)
    assert n_objects < 100  # not one each time
