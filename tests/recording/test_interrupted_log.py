"""Ctrl-C anywhere in what appends and writes: no event is lost without a word, and no lock stays held."""

import dis
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture.log.history import History
from jitviz.capture.log.watcher import watcher
from jitviz.recording import Recording, jsonlines
from jitviz.recording import events as ev
from tests.capture.samples import fresh
from tests.display import samples

OF_FILES = (
    "recording/log.py",
    "recording/jsonlines.py",
    "recording/codec.py",
    "recording/whole_file.py",
    "/contextlib.py",
)
OF_CAPTURE = (*OF_FILES, "log/watcher.py")


# Python looks for signals only after one of these: https://github.com/python/cpython/blob/3.13/Python/bytecodes.c
LOOKS_FOR_SIGNALS = {"RESUME", "JUMP_BACKWARD", "CALL", "CALL_KW", "CALL_FUNCTION_EX"}


def handler_of(frame: FrameType) -> int | None:
    """Where an exception goes that is raised at the current instruction of a frame."""
    entries = dis._parse_exception_table(frame.f_code)  # type: ignore[attr-defined]
    return next((one.target for one in reversed(entries) if one.start <= frame.f_lasti < one.end), None)


def struck_at(number: int, files: tuple[str, ...], run: Callable[[], Any]) -> bool:
    """Run with a KeyboardInterrupt where Python looks for signals in `files` that often; whether it does."""
    left = number
    before: dict[FrameType, tuple[str, int | None]] = {}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(files):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            # A signal is raised at the instruction that looks for it; here it is raised at the next one. Where the two
            # have different handlers, as at the end of a `with` block, the lock would stay held as it never does.
            name, handler = before.get(frame, ("", None))
            left -= name in LOOKS_FOR_SIGNALS and handler == handler_of(frame)
            before[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]], handler_of(frame)
            if left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(former)
    return left < 0


def at_every_moment(
    files: tuple[str, ...], each: int, run: Callable[[int, Callable[[Callable[[], Any]], bool]], None]
) -> None:
    """Call `run` with a function that strikes at one moment of some work: first at each, later at every seventh."""
    for number in range(10_000):
        was_struck: list[bool] = []
        place = number if number < each else each + (number - each) * 7
        run(place, lambda work, place=place, seen=was_struck: seen.append(struck_at(place, files, work)) or seen[-1])
        if not was_struck[-1]:
            assert number > 5
            return
    raise AssertionError


def is_free(lock: Any) -> bool:
    """Whether another thread can take a lock."""
    taken: list[bool] = []

    def take() -> None:
        taken.append(lock.acquire(blocking=False))
        if taken[-1]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return taken[-1]


@pytest.fixture
def events() -> list[ev.Event]:
    return list(samples.recompile_by_treedef().events)


def test_an_interrupt_anywhere_in_an_append_loses_nothing_from_the_file(events: list[ev.Event], tmp_path: Path) -> None:
    seen = next(event for event in events if isinstance(event, ev.CompileStarted))

    def strike(number: int, struck: Callable[[Callable[[], Any]], bool]) -> None:
        rec, path = Recording(events[:-1]), tmp_path / f"{number}.jsonl"
        place = rec.events.index(seen)
        rec = Recording(rec.events[:place])
        rec.save(path)
        struck(lambda: rec.append(seen))
        for event in events[place + 1 :]:
            rec.append(event)
        rec.close()
        assert jsonlines.read(path) == rec.events
        assert is_free(rec._lock)

    at_every_moment(OF_FILES, 60, strike)


def test_an_interrupt_anywhere_in_a_save_leaves_the_file_and_the_log_whole(
    events: list[ev.Event], tmp_path: Path
) -> None:
    def strike(number: int, struck: Callable[[Callable[[], Any]], bool]) -> None:
        rec, path = Recording(events[:1]), tmp_path / f"{number}.jsonl"
        rec.save(path)
        rec.append(events[1])
        struck(lambda: rec.save(path))
        assert is_free(rec._lock)
        for event in events[2:]:
            rec.append(event)
        rec.close()
        assert jsonlines.read(path) == rec.events == events

    at_every_moment(OF_FILES, 10_000, strike)


def consistent(events: list[ev.Event]) -> Iterator[str]:
    """What the events refer to and was not introduced before."""
    functions, sites, compiles = set[int](), set[int](), set[int]()
    for event in events:
        if isinstance(event, ev.FunctionSeen):
            functions.add(event.function)
        elif (function := getattr(event, "function", None)) is not None and function not in functions:
            yield f"{type(event).__name__} names a function that was not introduced"
        if isinstance(event, ev.SiteSeen):
            sites.add(event.site)
        if isinstance(event, ev.HitsNoted):
            unknown = set(memoryview(event.numbers).cast("q")[::3].tolist()) - sites
            yield from ["a hit of a line that was not introduced"] * bool(unknown)
        if isinstance(event, ev.CompileStarted):
            compiles.add(event.compile)


def test_an_interrupt_anywhere_in_the_watcher_leaves_a_log_that_introduces_what_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def strike(number: int, struck: Callable[[Callable[[], Any]], bool]) -> None:
        capture.watch()
        monkeypatch.setattr(watcher, "history", History(watcher.functions))
        step, path = fresh(jitviz.filter_jit), tmp_path / f"{number}.jsonl"
        x = np.ones(3, np.float32)
        step(x)

        def work() -> None:
            for _ in range(3):
                step(x)

        with jitviz.record(sample=False) as rec:
            rec.save(path)
            struck(work)
            step(x)
            work()
        assert list(consistent(list(rec.events))) == []
        assert [call.version for call in rec.calls][-4:] == [1] * 4
        assert rec.calls[-1].function == "step"
        assert len(rec.earlier) == 1
        assert jsonlines.read(path) == list(rec.events)
        assert is_free(rec._lock)
        assert rec.facts.failures == []
        assert is_free(watcher.lock)

    at_every_moment(OF_CAPTURE, 0, strike)
