"""The thread that samples the running line: it exists while something is recorded, and never gets in the way."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture import sampler
from jitviz.model import Glance
from jitviz.recording import events as ev

HERE = "tests/capture/test_sampler.py"


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("jitviz")]


def sampled(rec: Any) -> list[ev.LinesSampled]:
    return [event for event in rec.events if isinstance(event, ev.LinesSampled)]


def busy_until(is_over: Callable[[], Any]) -> None:
    while not is_over():
        np.sort(np.arange(1000))


def was_sampled() -> bool:
    return any(samples.rows for samples in sampler._samples_of.values())


def test_one_thread_serves_all_recordings_and_ends_with_the_last() -> None:
    with jitviz.record():
        assert names() == ["jitviz sampler"]
        with jitviz.record():
            assert names() == ["jitviz sampler"]
        assert names() == ["jitviz sampler"]
    assert names() == []


def test_the_sampler_does_not_keep_a_process_alive() -> None:
    with jitviz.record():
        assert [thread.daemon for thread in threading.enumerate() if thread.name == "jitviz sampler"] == [True]


def test_the_sampler_ends_when_capture_is_switched_off() -> None:
    capture.begin()
    capture.unwatch()
    assert names() == []


def test_the_sampler_can_be_left_out() -> None:
    with jitviz.record(sample=False) as rec:
        assert names() == []
    assert sampled(rec) == []


def test_without_a_new_thread_there_are_no_samples_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(sampler.Sampler, "start", refuse)
    with jitviz.record() as rec:
        np.sort(np.arange(1000))
    assert sampled(rec) == []
    assert rec.facts.failures == []


def test_the_thread_samples_by_itself() -> None:
    with jitviz.record() as rec:
        busy_until(was_sampled)
    assert {seen.source.partition(":")[0] for event in sampled(rec) for seen in event.samples} == {HERE}


def test_the_time_between_two_samples_is_attributed_to_the_running_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler.Sampler, "run", lambda self: self.is_over.wait())  # another thread samples on demand
    with ThreadPoolExecutor(1) as other, jitviz.record() as rec:
        first = sys._getframe().f_lineno
        other.submit(sampler._look_round).result()
        other.submit(sampler._look_round).result(), other.submit(sampler._look_round).result()
    (event,) = sampled(rec)
    before, after = event.samples
    assert (before.source, after.source, before.end_s) == (f"{HERE}:{first + 1}", f"{HERE}:{first + 2}", after.start_s)
    assert {line.source for line in rec.account.part("python").lines} == {before.source, after.source}


def test_only_the_thread_that_began_the_recording_is_sampled() -> None:
    def work() -> None:
        busy_until(was_sampled)

    with jitviz.record() as rec:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()  # the line of this thread
    line = thread.run.__code__.co_filename  # in Python's library: never shown
    assert all(line not in seen.source for event in sampled(rec) for seen in event.samples)
    joined = {sample.source for sample in rec.facts.samples}
    assert not any(source.endswith(f":{busy_until.__code__.co_firstlineno + 2}") for source in joined)


def test_the_samples_are_bounded_and_cover_the_whole_time() -> None:
    samples = sampler.Samples(0, looked_s=0.0)
    for number in range(1, 30_001):
        samples.add(Glance(f"a.py:{number % 7}"), float(number), is_in_phase=False)
    event = samples.event()
    assert event is not None
    rows = event.samples
    assert len(rows) <= 8192
    assert (rows[0].start_s, rows[-1].end_s) == (0.0, 30_000.0)
    assert sum(row.end_s - row.start_s for row in rows) == pytest.approx(30_000.0)
    assert samples.stretch > 1


@pytest.mark.parametrize(("round_s", "wait_s"), [(0.00001, 0.01), (0.0001, 0.02), (1.0, 0.05)])
def test_a_slow_round_delays_the_next_one(monkeypatch: pytest.MonkeyPatch, round_s: float, wait_s: float) -> None:
    clock, waited = iter([0.0, round_s]), list[float]()
    monkeypatch.setattr(sampler, "system", SimpleNamespace(thread_time=lambda: next(clock)))
    monkeypatch.setattr(sampler, "_look_round", lambda: 0.01)
    thread = sampler.Sampler()
    monkeypatch.setattr(thread.is_over, "wait", lambda seconds: waited.append(seconds) or len(waited) == 2)
    thread.run()
    assert waited == [0.01, pytest.approx(wait_s)]


def test_an_error_in_the_sampler_is_noted_and_not_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> float:
        raise KeyError("x")

    monkeypatch.setattr(sampler, "_look_round", fail)
    with jitviz.record() as rec:
        busy_until(lambda: names() == [])
    assert rec.facts.failures == ["sampler: KeyError: x"]
    assert capsys.readouterr().err == ""


def test_the_sampler_ends_while_jax_checks_for_leaks() -> None:
    with jitviz.record(), jax.checking_leaks():
        assert names() == ["jitviz sampler"]
        assert jax.jit(lambda x: x + 1)(1.0) == 2.0
        assert names() == []


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs a safe fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning", "ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_has_no_sampler_and_the_parent_keeps_its_own() -> None:
    with jitviz.record():
        child = os.fork()
        if child == 0:
            os._exit(0 if names() == [] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert names() == ["jitviz sampler"]
