"""A damaged file is read in part, and says how many lines could not be read."""

import json
import sys
import zlib
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jitviz
from jitviz import capture
from jitviz.model import Function, Leaf, Node, Signature
from jitviz.recording import Recording, RefusedError, codec, load
from jitviz.recording import events as ev

WEIGHT = Leaf("model.weight", "traced", "jax.Array", shape=(3, 4), dtype="float32", itemsize=4)
SIGNATURE = Signature(leaves=(WEIGHT,), nodes=(Node("model", "MLP", (".weight",)),))
EVENTS: list[ev.Event] = [
    ev.RecordingStarted(1.0, "In [1]", (("jax", "0.12"),)),
    ev.FunctionSeen(1.0, 1, Function("step", "step", "m", "jax.jit", "m.step", 1)),
    *(
        event
        for n in range(3)
        for event in (
            ev.CallStarted(2.0 + n, call=n, function=1, source="train.py:12"),
            ev.CompileStarted(2.0 + n, compile=n, call=n, function=1, signature=SIGNATURE),
            ev.TextSeen(2.1 + n, compile=n, name="hlo", packed=codec.pack(f"HloModule {n}\n" * 9)),
            ev.CallFinished(2.2 + n, call=n, function=1, started_s=2.0 + n, outcome="compile"),
        )
    ),
    ev.RecordingFinished(9.0),
]
HEADER = '{"jitviz":4}\n'


def saved(path: Path) -> Path:
    Recording(EVENTS).save(path)
    return path


def gaps(path: Path) -> list[str]:
    return load(path).facts.gaps


Lines = list[bytes]
CUT = "the last line was cut off, as when a process is killed while it writes"


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda lines: [*lines[:5], lines[5][:9] + b"\n", *lines[6:]], ["line 6 could not be read and was left out"]),
        (
            lambda lines: [*lines[:5], lines[5][:9] + b"\n" + lines[5][9:], *lines[6:]],
            ["2 lines could not be read and were left out, the first of them line 6"],
        ),
        (lambda lines: [*lines[:5], b"[1]\n", *lines[6:]], ["line 6 could not be read and was left out"]),
        (lambda lines: [*lines[:-1], b"\n", lines[-1]], []),
        (lambda lines: [*lines[:-1], lines[-1][:-1]], []),
        (lambda lines: [*lines[:9], lines[9][:-9]], [CUT]),
        (  # later lines refer to what it introduced
            lambda lines: lines[:4] + lines[5:],
            ["2 lines could not be read and were left out, the first of them line 8"],
        ),
    ],
)
def test_what_a_file_lost_is_reported(tmp_path: Path, damage: Callable[[Lines], Lines], told: list[str]) -> None:
    path = saved(tmp_path / "run.jsonl")
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    assert gaps(path) == [f"In the file, {what}." for what in told]


# Each takes the bytes of a file, a place in them, how many bytes it is about, and other bytes.
Accident = Callable[[bytes, int, int, bytes], bytes]


def in_lines(change: Callable[[Lines, int, int], Lines]) -> Accident:
    """An accident to the line at the place, and to the one so many below it."""

    def happen(whole: bytes, place: int, count: int, _: bytes) -> bytes:
        lines = whole.splitlines(keepends=True)
        line = max(1, whole.count(b"\n", 0, place))
        return b"".join(change(lines, line, 1 + (line + count) % (len(lines) - 1)))

    return happen


def swapped(lines: Lines, line: int, other: int) -> Lines:
    found = dict(enumerate(lines)) | {line: lines[other], other: lines[line]}
    return list(found.values())


ACCIDENTS: dict[str, Accident] = {
    "a bit flips": lambda whole, at, n, _: whole[:at] + bytes([whole[at] ^ 1 << n % 8]) + whole[at + 1 :],
    "bytes are lost": lambda whole, at, n, _: whole[:at] + whole[at + n :],
    "other bytes come between": lambda whole, at, _, other: whole[:at] + other + whole[at:],
    "other bytes stand there": lambda whole, at, _, other: whole[:at] + other + whole[at + len(other) :],
    "the end is cut off": lambda whole, at, *_: whole[:at],
    "the process was killed while it wrote": lambda whole, at, n, _: whole[: whole.rfind(b"\n", 0, at) + 1 + n],
    "a stretch comes again": lambda whole, at, n, _: whole[:at] + whole[max(0, at - n) :],
    "a line is lost": in_lines(lambda lines, line, _: lines[:line] + lines[line + 1 :]),
    "a line comes again elsewhere": in_lines(lambda lines, line, other: [*lines[:line], lines[other], *lines[line:]]),
    "two lines change places": in_lines(swapped),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run wrote."""
    path = tmp_path_factory.mktemp("written") / "run.jsonl"

    @jax.jit
    def step(params: dict[str, Any], x: Any) -> Any:
        return params["weight"] * x

    with jitviz.record() as rec:
        rec.save(path)
        for size in (2, 3, 3):
            step({"weight": np.ones(size), "bias": None}, np.ones(size))
    capture.unwatch()
    return path


@settings(
    max_examples=150, derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(st.lists(st.sampled_from(sorted(ACCIDENTS)), min_size=1, max_size=2), st.data())
def test_after_any_accident_a_file_is_read_in_part_or_refused_in_a_line(
    written: Path, kinds: list[str], data: st.DataObject
) -> None:
    damaged = written.read_bytes()
    for kind in kinds:
        if damaged.count(b"\n") < 3:
            break  # the first accident left next to nothing
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged = ACCIDENTS[kind](damaged, place, data.draw(st.integers(1, 300)), data.draw(st.binary(min_size=1)))
    path = written.with_name("damaged.jsonl")
    path.write_bytes(damaged)
    try:
        recording = load(path)
    except RefusedError as error:
        told = str(error)
        assert told.startswith(f"{path}: line 1 ")
        assert "\n" not in told
        return
    str(recording), recording.to_json()


def test_a_line_that_is_nested_too_deeply_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(HEADER + '{"event":"CellStarted","at_s":1,"label":' + "[" * 500_000 + "}\n")
    assert gaps(path) == ["In the file, line 2 could not be read and was left out."]


def test_a_device_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^/dev/zero: line 1 is not the header of a recording\."):
        load("/dev/zero")


def test_a_text_that_unpacks_to_more_than_allowed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MOST_TEXT", 100_000)
    texts = {0: zlib.compress(b"a" * 100_001), 1: zlib.compress(b"a" * 100)[:-9], 2: zlib.compress(b"\xff"), 3: b"none"}
    events = [ev.CompileStarted(1.0, compile=n, call=None, function=1, signature=SIGNATURE) for n in texts]
    Recording([*events, *(ev.TextSeen(1.0, n, "hlo", text) for n, text in texts.items())]).save(tmp_path / "run.jsonl")
    recording = load(tmp_path / "run.jsonl")
    assert [row.hlo for row in recording.compiles] == [None] * 4
    assert [gap.partition(": ")[2] for gap in recording.facts.gaps] == [
        "a text is cut off, or longer than 100000 bytes.",
        "a text is cut off, or longer than 100000 bytes.",
        "a text is damaged: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte.",
        "a text is damaged: Error -3 while decompressing data: incorrect header check.",
    ]


def test_events_that_contradict_others_are_left_out_and_reported(tmp_path: Path) -> None:
    Recording(
        [
            ev.CallStarted(1.0, call=1, function=1, parent=1),
            ev.CallStarted(1.0, call=2, function=1, parent=3),
            ev.CallStarted(1.0, call=3, function=1, parent=2),
            ev.CallFinished(1.5, 1, 1, started_s=1.0, outcome="hit", parent=1),
            ev.HitsSummed(2.0, array("q", (1, 2_000_000, 2_000_000, 0)).tobytes()),
            ev.RecordingFinished(3.0),
        ]
    ).save(tmp_path / "run.jsonl")
    recording = load(tmp_path / "run.jsonl")
    assert [call.parent for call in recording.calls] == [None, None, 1]
    assert recording.facts.gaps == ["In the file, line 6 could not be read and was left out."]


def test_the_number_of_a_leaf_is_not_taken_for_a_node(tmp_path: Path) -> None:
    signature = {"leaves": [{"#": 0, "path": "x", "role": "traced", "type": "jax.Array"}], "nodes": [0]}
    row = {"event": "CompileStarted", "at_s": 1, "compile": 1, "call": None, "function": 1, "signature": signature}
    path = tmp_path / "run.jsonl"
    path.write_text(HEADER + json.dumps(row) + "\n")
    assert gaps(path) == ["In the file, line 2 could not be read and was left out."]
    assert jitviz.load(path).compiles == []


HEARD: list[str] | None = None  # what is heard while it is a list; a hook stays for good


def _hear(event: str, _: tuple[Any, ...]) -> None:
    if HEARD is not None and event in ("compile", "exec", "import", "pickle.find_class", "os.system", "open"):
        HEARD.append(event)


def test_reading_evaluates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, path = "__import__('os').system('true')", tmp_path / "run.jsonl"
    function = Function(code, code, code, "jax.jit", f"{code}.{code}", 1)
    Recording([ev.RecordingStarted(1.0, code, ((code, code),)), ev.FunctionSeen(1.0, 1, function), *EVENTS[2:]]).save(
        path
    )
    sys.addaudithook(_hear)
    for _ in range(2):  # the first time imports what it needs
        monkeypatch.setattr(sys.modules[__name__], "HEARD", [])
        told = str(jitviz.explain(load(path)))
    heard = HEARD
    monkeypatch.undo()
    assert code in told
    assert heard == ["open"]
