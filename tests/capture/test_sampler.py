"""The thread that looks which line is running: there while something is recorded, and never in the way."""

import os
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture import sampler
from jitviz.model import Glance
from jitviz.recording import events as ev


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("jitviz")]


def sampled(rec: Any) -> list[ev.LinesSampled]:
    return [event for event in rec.events if isinstance(event, ev.LinesSampled)]


def busy(spent_s: float) -> None:
    until = time.monotonic() + spent_s
    while time.monotonic() < until:
        np.sort(np.arange(1000))


def test_one_thread_serves_all_recordings_and_ends_with_the_last() -> None:
    with jitviz.record():
        assert names() == ["jitviz sampler"]
        with jitviz.record():
            assert names() == ["jitviz sampler"]
        assert names() == ["jitviz sampler"]
    assert names() == []


def test_it_ends_when_capture_is_switched_off() -> None:
    capture.begin()
    capture.unwatch()
    assert names() == []


def test_it_can_be_left_out() -> None:
    with jitviz.record(sample=False) as rec:
        assert names() == []
        busy(0.05)
    assert sampled(rec) == []


def test_where_no_thread_can_be_started_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(sampler.Sampler, "start", refuse)
    with jitviz.record() as rec:
        busy(0.05)
    assert sampled(rec) == []
    assert rec.facts.failures == []


def test_most_of_the_time_is_seen_at_the_line_that_takes_it() -> None:
    with jitviz.record() as rec:
        busy(0.5)
    lines = rec.account.part("python").lines
    mine = sum(line.seconds for line in lines if line.source.startswith("tests/capture/test_sampler.py:"))
    assert mine >= 0.6 * rec.account.part("python").seconds


def test_only_the_thread_that_began_the_recording_is_looked_at() -> None:
    def work() -> None:
        busy(0.3)

    with jitviz.record() as rec:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()  # the line of this thread
    line = thread.run.__code__.co_filename  # of Python's library: never told
    assert all(line not in seen.source for event in sampled(rec) for seen in event.seen)
    joined = {sample.source for sample in rec.facts.samples}
    assert not any(source.endswith(f":{busy.__code__.co_firstlineno + 3}") for source in joined)


def test_what_is_kept_is_bounded_and_covers_the_whole_time() -> None:
    samples = sampler.Samples(0, [], looked_s=0.0)
    for number in range(1, 30_001):
        samples.add(Glance(f"a.py:{number % 7}"), float(number), is_in_phase=False)
    event = samples.event()
    assert event is not None
    assert len(event.number) <= 8192
    assert (event.start_s[0], event.end_s[-1]) == (0.0, 30_000.0)
    assert sum(event.end_s) - sum(event.start_s) == pytest.approx(30_000.0)
    assert samples.stretch > 1


def test_looking_takes_little_of_the_time() -> None:
    with jitviz.record():
        busy(0.1)
        wait_s = sampler._look_round()
        began_s = time.thread_time()
        for _ in range(100):
            sampler._look_round()
        taken_s = (time.thread_time() - began_s) / 100
    assert wait_s >= sampler._PERIOD_S
    assert taken_s <= 0.1 * sampler._PERIOD_S


def test_an_error_of_its_own_is_told_and_reaches_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> float:
        raise KeyError("x")

    monkeypatch.setattr(sampler, "_look_round", fail)
    with jitviz.record() as rec:
        busy(0.2)
    assert rec.facts.failures == ["sampler: KeyError: x"]
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs a safe fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning", "ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_has_no_such_thread_and_the_parent_goes_on() -> None:
    with jitviz.record():
        child = os.fork()
        if child == 0:
            os._exit(0 if names() == [] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert names() == ["jitviz sampler"]
