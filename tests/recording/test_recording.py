"""A recording besides its rows."""

import json
import sys
import threading
from pathlib import Path

import pytest

from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.recording.unread_programs import Unread

from .test_folding import FIRST_CALL, START, hit


def test_its_repr_counts_calls_and_compiles() -> None:
    assert repr(Recording([*START, *FIRST_CALL])) == "<jitviz.Recording: 1 calls, 1 compiles>"


def test_its_json_is_returned_and_written(tmp_path: Path) -> None:
    recording = Recording([*START, *FIRST_CALL])
    text = recording.to_json(tmp_path / "run.json")
    assert json.loads(text)["compiles"]
    assert (tmp_path / "run.json").read_text() == text + "\n"
    assert recording.to_json() == text


def test_findings_are_cached_until_the_next_event(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    room = sys.modules["jitviz.findings.find"]
    causes = room.find_causes
    monkeypatch.setattr(room, "find_causes", lambda *given: looked.append(given[0]) or causes(*given))
    recording = Recording([*START, *FIRST_CALL])
    assert recording.findings is recording.findings
    assert len(looked) == 1
    recording.append(hit(71, 105.0))
    assert recording.findings == ()
    assert len(looked) == 2


def test_a_live_recording_can_be_saved_again_after_its_file_was_closed(tmp_path: Path) -> None:
    recording = Recording(START, catch_up=lambda: None)
    writers = []
    for name in ("a", "b"):
        recording.save(tmp_path / name)
        writers.append([thread.name for thread in threading.enumerate()].count("jitviz writer"))
        recording.close()
    assert writers == [1, 1]


def test_what_was_put_off_is_read_once() -> None:
    unread = Unread(10, lambda: iter([ev.CompileFinished(103.25, 80)]))
    assert not unread.is_read
    assert [unread.events(), unread.events()] == [(ev.CompileFinished(103.25, 80),)] * 2
    assert unread.is_read
