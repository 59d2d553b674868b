import dataclasses
import json
import math
import os
import sys
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitviz.__main__ import main
from jitviz.model import Cost, Description, Leaf, Node, Signature
from jitviz.model.printable import one_line
from jitviz.recording import Recording, RefusedError, codec, jsonlines
from jitviz.recording import events as ev

st.register_type_strategy(float, st.floats(0, 1e11))
st.register_type_strategy(int, st.integers(0, 2**53))

WEIGHT = Leaf("model.weight", "traced", "jax.Array", shape=(3, 4), dtype="float32", itemsize=4)
RATE = Leaf("rate", "static", "float", repr="0.1", static=Description("float", "0.1"))


# Their numbers belong together.
TABLES = (ev.HitsNoted, ev.HitsSummed)


def written(path: Path, *events: ev.Event) -> Path:
    appender = jsonlines.Appender(path)
    for event in events:
        appender.write(event)
    appender.close()
    return path


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


st.register_type_strategy(str, st.text().map(one_line))  # as texts are in a log


@settings(max_examples=40)
@given(st.lists(st.one_of(map(st.from_type, ev.Event.__subclasses__())), max_size=8))
def test_events_come_back_equal(tmp_path_factory: pytest.TempPathFactory, events: list[ev.Event]) -> None:
    path = tmp_path_factory.mktemp("recordings") / "run.jsonl"
    events = [event for event in events if type(event) not in TABLES]
    assert jsonlines.read(written(path, *events)) == events


def test_an_event_is_one_line_with_its_kind_and_all_fields_that_are_not_defaults(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", ev.CallStarted(1.5, call=1, function=2, source="train.py:12"))
    assert path.read_text() == (
        '{"jitviz":4,"holds":"the events of a recording, one a line"}\n'
        '{"event":"CallStarted","at_s":1.5,"call":1,"function":2,"source":"train.py:12"}\n'
    )


def test_a_leaf_is_written_in_full_once_and_then_by_its_number(tmp_path: Path) -> None:
    signature = Signature(leaves=(WEIGHT, RATE), nodes=(Node("model", "MLP", (".weight",)),))
    events = [ev.CompileStarted(1.0 + n, compile=n, call=n, function=1, signature=signature) for n in range(2)]
    path = written(tmp_path / "run.jsonl", *events)
    first, second = (line["signature"] for line in lines(path)[1:])
    assert [leaf["#"] for leaf in first["leaves"]] == [0, 1]
    assert second == {"leaves": [0, 1], "nodes": [2]}
    assert jsonlines.read(path) == events


def test_what_json_lacks_comes_back(tmp_path: Path) -> None:
    text = ev.TextSeen(2.0, compile=1, name="hlo", packed=bytes(range(256)))
    label = ev.CellStarted(3.0, label="In [3] ·", text="\tx = 1\n\ty")
    path = written(tmp_path / "run.jsonl", text, label)
    assert jsonlines.read(path) == [text, label]


def test_names_in_a_file_of_another_machine_become_one_line(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", ev.CellStarted(3.0, label="In [3]\n\x1b[31m \ud800", text="\x00\n"))
    assert jsonlines.read(path) == [ev.CellStarted(3.0, label="In [3]\\n\\x1b[31m \\ud800", text="\\x00\n")]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_unknown_where_it_may_be_and_else_its_event_is_left_out(
    tmp_path: Path, number: float
) -> None:
    cost = ev.ProgramSeen(1.0, compile=1, cost=Cost(flops=number, bytes_accessed=3.0))  # type: ignore[arg-type]
    path = written(tmp_path / "run.jsonl", cost, ev.PhaseFinished(2.0, 1, "trace", number))  # type: ignore[arg-type]
    assert jsonlines.read(path) == [
        ev.ProgramSeen(1.0, compile=1, cost=Cost(bytes_accessed=3.0)),  # type: ignore[arg-type]
        ev.CaptureFailed(1.0, "load", "line 3 could not be read and was left out"),
    ]
    for line in path.read_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)


def test_events_and_fields_of_a_newer_version_are_left_out_and_reported(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", ev.CellStarted(1.0, "In [1]"))
    newer = [
        *['{"event":"CellFolded","at_s":2}'] * 2,
        '{"event":"CellStarted","at_s":3,"label":"In [2]","color":"red"}',
        '{"event":"CallFinished","at_s":4,"call":1,"function":1,"started_s":3,"outcome":"guessed"}',
        '{"event":"RecordingFinished","at_s":5}',
    ]
    with path.open("a") as file:
        file.writelines(f"{text}\n" for text in newer)
    told = [
        "3 lines could not be read and were left out, the first of them line 3",
        "some of it is of a newer version and was left out; to see it, update jitviz (pip install . in a newer "
        "checkout)",
    ]
    assert jsonlines.read(path) == [
        *(ev.CellStarted(1.0, "In [1]"), ev.CellStarted(3.0, "In [2]")),
        *(ev.CaptureFailed(5.0, "load", message) for message in told),
        ev.RecordingFinished(5.0),
    ]


NO_HEADER = (
    "is not the header of a recording. Give a file that Recording.save(), jitviz run --save or %jitviz save wrote."
)
EARLIER = "says format 3, and this jitviz reads 4. Record the run again."
NEWER = "says format 5, and this jitviz reads 4. Update jitviz (pip install . in a newer checkout)."


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        *((content, NO_HEADER) for content in ("", "\n", "import jax\n", "[1]\n", '{"cells": []}\n', "\xff\xfe")),
        *((content, NO_HEADER) for content in ('{"jitv', "[" * 100_000)),
        ('{"jitviz":3}\n{"event":"CellStarted","at_s":1,"label":""}\n', EARLIER),
        ('{"jitviz":5}\n', NEWER),
    ],
)
def test_a_file_that_is_no_recording_is_refused_with_path_line_and_next_step(
    tmp_path: Path, content: str, problem: str
) -> None:
    path = tmp_path / "train.py"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(RefusedError) as refusal:
        jsonlines.read(path)
    assert str(refusal.value) == f"{path}: line 1 {problem}"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a disk that is always full is a Linux device")  # noqa: PTH110  # a device, no path of ours
def test_a_full_disk_ends_the_file_and_later_events_are_ignored() -> None:
    appender = jsonlines.Appender(Path("/dev/full"))
    appender.write(ev.CellStarted(1.0, "In [1]"))
    appender.write(ev.CellStarted(2.0, "In [2]"))
    appender.close()
    assert appender.failure == ev.CaptureFailed(0.0, "save", "full ends early: No space left on device")


class FullDisk:
    """A file that takes so many lines and no more."""

    closed = False
    name = "run.jsonl"

    def __init__(self, path: Path, room: int) -> None:
        path.touch()
        self.room = room

    def write(self, line: str) -> int:
        self.room -= 1
        if self.room < 0:
            raise OSError(28, "No space left on device")
        return len(line)

    def flush(self) -> None:
        pass

    def fileno(self) -> int:
        return 10_000  # which is no open file

    def close(self) -> None:
        self.closed = True


def test_a_live_recording_whose_disk_fills_up_goes_on_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = iter((2, 1))  # for the header and an event, and one more once it stands where it belongs
    monkeypatch.setattr(Path, "open", lambda path, *_, **__: FullDisk(path, next(rooms)))
    recording = Recording([ev.RecordingStarted(1.0)])
    recording.save(tmp_path / "run.jsonl")
    for n in range(3):
        recording.append(ev.CellStarted(2.0 + n, f"In [{n}]"))
    assert recording.facts.gaps == ["The file run.jsonl ends early: No space left on device."]
    assert recording.facts.failures == []
    assert [cell.label for cell in recording.facts.cells] == ["In [0]", "In [1]", "In [2]"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows itself moves nothing over an open file")
def test_a_file_that_another_recording_is_saved_to_is_refused_and_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = tmp_path / "run.jsonl", Recording([ev.RecordingStarted(1.0)])
    first = Recording([ev.RecordingStarted(1.0)])
    first.save(path)
    with pytest.raises(BlockingIOError, match="another recording is being saved to it; save to another file"):
        other.save(path)
    script = tmp_path / "train.py"
    script.write_text("print(1)")
    assert main(["run", "--save", str(path), str(script)]) == 2
    told = f"jitviz run: {path}: another recording is being saved to it; save to another file\n"
    assert capsys.readouterr() == ("", told)
    first.save(path)  # its own
    first.append(ev.CellStarted(2.0, "In [1]"))
    first.close()
    assert jsonlines.read(path) == list(first.events)
    other.save(path)
    assert [one.name for one in tmp_path.glob("run*")] == ["run.jsonl"]


def test_saving_to_a_full_disk_is_an_error_of_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.jsonl").write_text("what was there before")
    monkeypatch.setattr(Path, "open", lambda path, *_, **__: FullDisk(path, room=1))
    with pytest.raises(OSError, match=r"^run\.jsonl ends early: No space left on device$"):
        Recording([ev.RecordingStarted(1.0)]).save(tmp_path / "run.jsonl")
    monkeypatch.undo()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("run.jsonl", "what was there before")]


@pytest.mark.parametrize("write", ["save", "to_html", "to_perfetto", "to_json"])
def test_a_file_that_cannot_be_written_raises_and_the_recording_goes_on(
    tmp_path: Path, write: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    recording = Recording([ev.RecordingStarted(1.0)])
    with monkeypatch.context() as read_only:
        read_only.setattr(Path, "open", refuse)
        with pytest.raises(PermissionError):
            getattr(recording, write)(tmp_path / "out")
    recording.append(ev.CellStarted(2.0, "In [1]"))
    assert [cell.label for cell in recording.facts.cells] == ["In [1]"]
    assert recording.facts.failures == recording.facts.gaps == []
    assert list(tmp_path.iterdir()) == []
    getattr(recording, write)(tmp_path / "out")
    assert (tmp_path / "out").exists()


def test_a_field_of_a_type_that_cannot_be_read_is_refused() -> None:
    @dataclasses.dataclass(frozen=True)
    class Odd:
        seen: dict
        kind: Literal["a"] = "a"

    Odd.__annotations__["seen"] = dict
    with pytest.raises(TypeError, match=r"^cannot read <class 'dict'> from JSON: use plain values, tuples and data"):
        codec.Reader().decode(Odd, {})
