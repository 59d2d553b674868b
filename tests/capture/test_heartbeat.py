"""The heartbeat: what it says, how long that has lasted, and how little of it is kept."""

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import jitviz
from jitviz.capture import heartbeat
from jitviz.capture.heartbeat import Pulse
from jitviz.capture.thread_activity import may_read, wait_of
from jitviz.model import Glance, Sample
from jitviz.recording import events as ev

WAITING, WORKING = Glance("a.py:1", is_waiting=True), Glance("a.py:2")


def pulse_of(beats: list[ev.Heartbeat]) -> Pulse:
    """The heartbeat of a thread without work in progress."""
    return Pulse(0, "worker", beats.append, lambda _: None, began_s=0.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the heartbeat reads."""
    now = [0.0]
    monkeypatch.setattr(heartbeat, "system", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def beats_of(clock: list[float], moments: list[tuple[float, Glance]], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a thread says that was seen so, until each of these moments."""
    beats: list[ev.Heartbeat] = []
    pulse, rows, start_s = pulse_of(beats), [], 0.0
    for now_s, seen in moments:
        monkeypatch.setattr(heartbeat, "glance", lambda *_, seen=seen, **__: seen)
        if rows and rows[-1].seen == seen:
            start_s = rows.pop().start_s
        rows.append(Sample(start_s, now_s, seen))
        start_s = clock[0] = now_s
        pulse.beat(now_s, {}, rows)
    return [f"{beat.at_s:g} {beat.doing} {beat.seen.source} since {beat.since_s:g}" for beat in beats]


def test_what_goes_on_has_one_beginning_and_what_was_interrupted_has_a_new_one(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = [(1.0, WAITING), (2.0, WAITING), (2.5, WORKING), (3.0, WAITING), (4.0, WORKING), (5.0, WORKING)]
    assert beats_of(clock, moments, monkeypatch) == [
        "1 device a.py:1 since 0",
        "2 device a.py:1 since 0",
        "3 device a.py:1 since 2.5",
        "4 python a.py:2 since 3",
        "5 python a.py:2 since 3",
    ]


def test_what_lasts_long_is_written_less_often(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    said = beats_of(clock, [(float(second), WAITING) for second in range(1, 101)], monkeypatch)
    moments = [float(text.partition(" ")[0]) for text in said]
    assert moments[:10] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert moments[-3:] == [87.0, 92.0, 97.0]


def test_a_log_keeps_the_newest_beat_and_the_file_has_all(tmp_path: Path) -> None:
    with jitviz.record(sample=False) as rec:
        rec.save(tmp_path / "run.jsonl")
        before, at_s = len(rec.events), rec.events[0].at_s
        for second in range(100):
            rec.beat(ev.Heartbeat(at_s + second, at_s, "lock", WORKING))
        assert (len(rec.events), rec.facts.wall_s, len(rec.facts.beats["MainThread"])) == (
            before,
            pytest.approx(99.0),
            1,
        )
    assert (tmp_path / "run.jsonl").read_text().count("Heartbeat") == 100
    assert len(jitviz.load(tmp_path / "run.jsonl").facts.beats["MainThread"]) == 1


def test_a_beat_does_not_wait_for_a_thread_that_appends() -> None:
    with jitviz.record(sample=False) as rec:
        beat = ev.Heartbeat(rec.events[0].at_s, 0.0, "lock", WORKING)
        with rec._lock:
            thread = threading.Thread(target=rec.beat, args=(beat,))
            thread.start()
            thread.join()
        assert rec.newest_beat is None


def test_without_samples_there_is_no_heartbeat() -> None:
    with jitviz.record(sample=False) as rec:
        assert not [thread for thread in threading.enumerate() if thread.name == "jitviz sampler"]
    assert rec.newest_beat is None


def test_the_iterator_of_a_loop_is_a_loader_and_its_body_is_not() -> None:
    def items() -> object:
        yield wait_of(sys._getframe())

    def loop() -> None:
        for found in items():
            seen.append(found)
            seen.append(wait_of(sys._getframe()))

    seen: list[object] = []
    loop()
    line = f"tests/capture/test_heartbeat.py:{loop.__code__.co_firstlineno + 1}"
    name = "test_the_iterator_of_a_loop_is_a_loader_and_its_body_is_not.loop"
    assert seen == [("loader", line, name), ("python", "", name)]
    seen.append(next(items()))
    assert seen[-1][0] == "loader"  # type: ignore[index]


def test_a_line_that_reads_an_array_in_c_may_wait_for_the_device() -> None:
    class Reads:
        def __array__(self, *_: object, **__: object) -> np.ndarray:
            seen.append(may_read(sys._getframe(1)))
            return np.zeros(1)

    seen: list[bool] = []
    np.asarray(Reads())
    np.add(Reads(), 1)
    assert seen == [True, False]
