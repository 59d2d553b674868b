"""A recording besides its rows."""

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.recording.unread_programs import Unread, reading

from .test_folding import FIRST_CALL, START, asked, hit


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


def noting(read: list[str], what: str) -> Callable[[], tuple[ev.Event, ...]]:
    """What reads nothing, and notes that it was asked to."""
    return lambda: read.append(what) or ()  # type: ignore[func-returns-value]


def test_for_causes_all_is_read_of_a_compile_that_took_long_and_of_others_what_findings_depend_on() -> None:
    quick = asked(81), ev.PhaseFinished(105.25, 81, "compile", 105.0)
    recording, read = Recording([*START, *FIRST_CALL, *quick]), list[str]()
    for number in (ev.CompileNumber(80), ev.CompileNumber(81)):
        less = noting(read, f"{number} for findings")
        recording.read_later(Unread(10, noting(read, f"{number}"), number, for_findings=less))
    with reading("causes"):
        assert len(recording.compiles) == 2
    assert read == ["80 for findings", "81 for findings", "80"]
    assert len(recording.compiles) == 2
    assert read[3:] == ["81"]


def test_findings_read_the_largest_program_of_a_function_where_they_depend_on_no_other() -> None:
    recording, read = Recording([*START, *FIRST_CALL, asked(81), asked(82, function=2)]), list[str]()

    def read_later(number: int, nbytes: int) -> None:
        less = noting(read, f"{nbytes} bytes of {number}")
        recording.read_later(Unread(nbytes, tuple, ev.CompileNumber(number), is_of_largest=True, for_findings=less))

    for given in ((80, 10), (81, 20), (82, 5)):
        read_later(*given)
    with reading("findings"):
        assert recording.findings == ()
        assert read == ["20 bytes of 81", "5 bytes of 82"]
        read_later(80, 15)
        read_later(81, 25)
        assert recording.findings == ()
        assert read[2:] == ["25 bytes of 81"]
