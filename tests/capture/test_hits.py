"""Plain hits are stored as three numbers each, and read as rows like any other call."""

import dis
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture import in_progress
from jitviz.capture.hooks import hits
from jitviz.capture.log import call_log
from jitviz.filters.jit import FilterJit
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
    monkeypatch.setattr(call_log, "HITS", 30)
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        for _ in range(101):
            step(X)
            assert len(in_progress.here.mine.hits) < 30
    assert len(rec.calls) == 101


@pytest.mark.parametrize("api", FILTER_JITS)
def test_hits_are_taken_once_even_if_a_destructor_calls_meanwhile(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Collecting(list[int]):
        """Hits during whose copying the garbage collector runs a destructor of the user's."""

        def __getitem__(self, key: Any) -> Any:
            copied = super().__getitem__(key)
            for _ in range(collected.pop() if collected and not in_progress.here.mine.is_inside else 0):
                step(X)
            return copied

    step, collected = fresh(JITS[api]), [20]
    monkeypatch.setattr(call_log, "HITS", 30)
    with jitviz.record() as rec:
        step(X)
        step(X)  # makes the row of the line
        mine = in_progress.here.mine
        monkeypatch.setattr(mine, "hits", Collecting(mine.hits))
        monkeypatch.setattr(in_progress, "_all", [(weakref.ref(mine), mine.hits)])
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
        assert sys.monitoring.get_events(hits._tool) == hits._always()
    assert outcomes(later) == [("step", "error")]


@needs_hits
@pytest.mark.parametrize("is_taken", [False, True])
def test_a_tool_that_frees_the_number_of_jitviz_costs_hits_and_nothing_else(is_taken: bool) -> None:
    """Each new function of the user's raised, and so did the end of the recording."""
    step, heard = fresh(), []
    other = sys.monitoring.events.PY_START
    with jitviz.record() as rec:
        step(X)
        step(X)
        number = hits._tool
        assert number is not None
        sys.monitoring.free_tool_id(number)
        if is_taken:
            sys.monitoring.use_tool_id(number, "another tool")
            sys.monitoring.register_callback(number, other, lambda code, offset: heard.append(code.co_name))
            sys.monitoring.set_events(number, other)

        def new() -> Any:
            return step(X)

        assert new().shape == (3,)
        step(Y)
        hits.look_again()
    assert rec.facts.failures == [f"hits: RuntimeError: {hits.LOST}"]
    assert outcomes(rec) == [("step", "compile"), ("step", "hit"), ("step", "compile")]
    if is_taken:
        assert sys.monitoring.get_tool(number) == "another tool"
        assert "new" in heard
        sys.monitoring.set_events(number, 0)
        sys.monitoring.register_callback(number, other, None)
        sys.monitoring.free_tool_id(number)
    with jitviz.record() as later:
        step(X)
    assert outcomes(later) == [("step", "hit")]


@needs_hits
def test_no_callback_raises_whatever_it_is_given() -> None:
    with jitviz.record() as rec:
        for callback in dict.fromkeys(hits._callbacks().values()):
            assert callback(*[None] * (3 if callback is hits._on_raise else callback.__code__.co_argcount)) is None
    assert len(rec.facts.failures) == 2


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
    again = [*rec.compiles[:2], *rec.compiles[:2], rec.compiles[0]]  # told by an argument, which JAX does not say
    assert [call.compile for call in rec.calls[6:]] == again


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


def called_of(step: Any) -> Any:
    """What the hook of a jitted function is told of."""
    step(X)  # which makes the program of a FilterJit
    return next(iter(step.set_up().programs.values())) if isinstance(step, FilterJit) else step


def sums_alike(steps: Iterable[Any], offsets: list[int]) -> tuple[Any, Any, int, int]:
    """Two functions and two calls of one piece of code for which the sums of both addresses are equal."""
    seen: dict[int, tuple[Any, int]] = {}
    for step in steps:
        called = called_of(step)
        for place, offset in enumerate(offsets):
            other, at = seen.setdefault(id(called) + offset, (step, place))
            if other is not step:
                return other, step, at, place
    raise AssertionError


@each_jit_with_hits
def test_two_calls_whose_addresses_have_the_same_sum_are_two_lines(api: str) -> None:
    lines = 2000
    text = "\n".join(f"f{place}(x)" for place in range(lines))
    code = compile(text, str(Path(__file__).with_name("made.py")), "exec")
    offsets = [at.offset for at in dis.get_instructions(code) if at.opname == "CALL"]
    many = (fresh(JITS[api]) for _ in range(1000))  # how many it takes depends on where there is memory
    first, second, at, place = sums_alike(many, offsets)
    names = {f"f{number}": lambda _: None for number in range(lines)}
    with jitviz.record() as rec:
        for _ in range(4):
            exec(code, {**names, f"f{at}": first, f"f{place}": second, "x": X})
    assert Counter((call.source.rpartition(":")[2], call.outcome, call.parent) for call in rec.calls) == {
        (str(at + 1), "hit", None): 4,
        (str(place + 1), "hit", None): 4,
    }
    assert kinds(rec)["CallFinished"] <= 4
    assert in_progress.here.mine.calls == []


@each_jit_with_hits
def test_functions_that_share_a_line_keep_their_own_hits(api: str) -> None:
    steps = [fresh(JITS[api]) for _ in range(5)]
    with jitviz.record() as rec:
        for _ in range(20):
            for step in steps:
                step(X)
    tokens = Counter(call.function_info.token for call in rec.calls if call.function_info is not None)
    assert list(tokens.values()) == [20] * 5
    assert kinds(rec)["CallFinished"] <= 2 * 5


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
    assert in_progress.take_hits().tolist() == []
    assert len(list(in_progress.running_threads())) <= threading.active_count() + 1


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
        while len(jitviz.load(path).calls) < 5:
            threading.Event().wait(0.01)
        assert len(jitviz.load(path).calls) == 5
