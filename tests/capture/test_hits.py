"""Plain hits are stored as three numbers each, and read as rows like any other call."""

import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture import threads
from jitviz.capture.hooks import calls, hits
from jitviz.recording import Recording, log, merge
from jitviz.recording import events as ev

from .samples import FILTER_JITS, JITS, JITS_WITH_HITS, fresh, needs_hits, outcomes

X, Y = np.ones(3, np.float32), np.ones(4, np.float32)
each_jit_with_hits = pytest.mark.parametrize("api", JITS_WITH_HITS)


def kinds(recording: Recording) -> Counter[str]:
    return Counter(type(event).__name__ for event in recording.events)


@each_jit_with_hits
def test_a_thousand_hits_of_a_line_are_a_few_events(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        for _ in range(1001):
            step(X)
    assert rec.facts.failures == []
    assert outcomes(rec) == [("step", "compile")] + [("step", "hit")] * 1000
    n_of = kinds(rec)
    assert n_of["CallFinished"] <= 2  # the compile, and perhaps the first hit, with its signature
    assert n_of["SiteSeen"] == 1
    assert n_of["HitsNoted"] <= 3
    assert sum(len(event.numbers) for event in rec.events if isinstance(event, ev.HitsNoted)) <= 24 * 1000


@each_jit_with_hits
def test_waiting_hits_are_passed_on_before_there_are_too_many(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "HITS", 30)
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        for _ in range(101):
            step(X)
            assert len(threads.here.mine.hits) < 30
    assert len(rec.calls) == 101


@pytest.mark.parametrize("api", FILTER_JITS)
def test_hits_are_taken_once_even_if_a_destructor_calls_meanwhile(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Collecting(list[int]):
        """Hits during whose copying the garbage collector runs a destructor of the user's."""

        def __getitem__(self, key: Any) -> Any:
            copied = super().__getitem__(key)
            for _ in range(collected.pop() if collected and not threads.here.mine.is_inside else 0):
                step(X)
            return copied

    step, collected = fresh(JITS[api]), [20]
    monkeypatch.setattr(calls, "HITS", 30)
    with jitviz.record() as rec:
        step(X)
        step(X)  # makes the row of the line
        mine = threads.here.mine
        monkeypatch.setattr(mine, "hits", Collecting(mine.hits))
        monkeypatch.setattr(threads, "_all", [(weakref.ref(mine), mine.hits)])
        for _ in range(40):
            step(X)
    assert collected == []
    assert outcomes(rec) == [("step", "compile")] + [("step", "hit")] * 61


@needs_hits
@pytest.mark.parametrize("ends_first", [True, False])
def test_exceptions_are_not_watched_after_a_recording_that_ended_while_a_call_raised(
    ends_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(jitted: Any, note: Callable[[Any], None] = hits._raises) -> None:
        steps = [lambda: capture.end(rec), lambda: note(jitted)]
        for work in steps if ends_first else reversed(steps):
            work()

    step, rec = fresh(), capture.begin()
    with monkeypatch.context() as patched:
        patched.setattr(hits, "_raises", end)
        with pytest.raises(TypeError):
            step()
    assert rec.facts.failures == []
    with jitviz.record() as later:
        with pytest.raises(TypeError):
            step()
        assert sys.monitoring.get_events(hits._tool) == sys.monitoring.events.CALL
    assert outcomes(later) == [("step", "error")]


@each_jit_with_hits
def test_hits_are_rows_as_soon_as_they_have_ended(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        for number in range(5):
            step(X)
            assert len(rec.calls) == number + 1
        last = rec.calls[-1]
        step(X)
    assert rec.calls[4] == last
    assert [call.index for call in rec.calls] == list(range(6))
    assert all(call.compile is rec.compiles[0] for call in rec.calls)
    assert [call.start_s for call in rec.calls] == sorted(call.start_s for call in rec.calls)
    assert {call.source for call in rec.calls} == {last.source} | {rec.calls[5].source}


@each_jit_with_hits
def test_lines_functions_and_versions_that_alternate_are_distinguished(api: str) -> None:
    first, second = fresh(JITS[api]), fresh(JITS[api])
    with jitviz.record() as rec:
        for x in (X, X, Y, X, X):
            for step in (first, second):
                step(x)
        first(X)
    found = [(call.outcome, call.source == rec.calls[-1].source) for call in rec.calls]
    per_turn = ["compile", "hit", "compile", "hit", "hit"]
    assert found == [(outcome, False) for outcome in per_turn for _ in range(2)] + [("hit", True)]
    assert len({call.function_info.token for call in rec.calls if call.function_info is not None}) == 2
    assert [call.compile for call in rec.calls[2:4]] == rec.compiles[:2]
    is_told = api == "jax.jit"  # by the first argument; JAX does not say which of the two versions ran
    again = [*rec.compiles[:2], *rec.compiles[:2], rec.compiles[0]]
    assert [call.compile for call in rec.calls[6:]] == (again if is_told else [None] * 5)


def test_a_function_at_the_address_of_a_dead_one_is_another_function() -> None:
    def run(factor: float) -> None:
        step = jitviz.filter_jit(lambda x: x * factor)
        for _ in range(4):
            step(X)

    with jitviz.record() as rec:
        for number in range(20):
            run(float(number))
    assert [call.outcome for call in rec.calls] == (["compile"] + ["hit"] * 3) * 20
    assert [call.version for call in rec.calls] == [1 + number // 4 for number in range(80)]


@each_jit_with_hits
def test_hits_of_threads_that_have_ended_keep_their_thread(api: str) -> None:
    step = fresh(JITS[api])
    step(X)

    def work() -> None:
        for _ in range(10):
            step(X)

    with jitviz.record() as rec:
        for name in ("a", "b"):
            worker = threading.Thread(target=work, name=name)
            worker.start()
            worker.join()
    assert Counter(call.thread for call in rec.calls) == {"a": 10, "b": 10}
    assert threads.take_hits().tolist() == []
    assert len(list(threads.running_threads())) <= threading.active_count() + 1


@each_jit_with_hits
def test_a_recording_inside_a_recording_has_its_own_hits_and_they_merge_to_one(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as outer:
        step(X)
        step(X)
        with jitviz.record() as inner:
            step(X)
            step(X)
        step(X)
    assert [len(outer.calls), len(inner.calls)] == [5, 2]
    assert outcomes(merge(outer, inner)) == outcomes(outer)


@each_jit_with_hits
def test_hits_of_a_file_are_those_of_the_recording(api: str, tmp_path: Path) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        for _ in range(4):
            step(X)
        path = rec.save(tmp_path / "rec.jsonl")
        for _ in range(4):
            step(X)
    loaded = jitviz.load(path)
    assert [(call.start_s, call.outcome, call.source, call.version) for call in loaded.calls] == [
        (call.start_s, call.outcome, call.source, call.version) for call in rec.calls
    ]


def test_waiting_hits_reach_the_file_of_a_live_recording_within_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "WRITE_S", 0.01)
    step: Callable[[Any], Any] = fresh(jitviz.filter_jit)
    with jitviz.record() as rec:
        path = rec.save(tmp_path / "rec.jsonl")
        for _ in range(5):
            step(X)
        for _ in range(1000):
            if len(jitviz.load(path).calls) == 5:
                break
            threading.Event().wait(0.01)
        assert len(jitviz.load(path).calls) == 5
