"""A file may hold anything: whatever line or number is wrong in it, every view says what can be said.

What was read is checked once, where it is read (`jitviz.recording.jsonlines`), and for what depends on several events,
where they are folded.
"""

from __future__ import annotations

import base64
import contextlib
import json
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from jitviz.model import (
    Cost,
    Description,
    Function,
    Glance,
    Leaf,
    Memory,
    Node,
    OpByOp,
    Raised,
    Read,
    Sample,
    Signature,
)
from jitviz.recording import Recording, RefusedError, load, merge
from jitviz.recording import events as ev
from tests.counted import lines_of

S = 10**9
OF_VERSIONS = (ev.RecordingStarted, ev.FunctionSeen, ev.CompileStarted, ev.PhaseStarted, ev.PhaseFinished, ev.TextSeen)
OF_VERSIONS += (ev.ProgramLoaded, ev.ProgramMissed, ev.ProgramSeen, ev.CompileFinished)
RATE = Description("float", "0.1")
X = Leaf("x", "traced", "jax.Array", (3,), "float32", itemsize=4)
Y = Leaf("x", "traced", "jax.Array", (4,), "float32", itemsize=4)


def miss(number: int, at_s: float, function: int, leaf: Leaf, **about: Any) -> list[ev.Event]:
    """A call that traces, lowers and compiles for three seconds."""
    events: list[Any] = [
        ev.CallStarted(at_s, number, function, source="a.py:3", **about),  # type: ignore[arg-type]
        ev.CompileStarted(at_s, number, number, function, Signature((leaf,), (Node("m", "M", (".x",)),)), "a.py:3"),  # type: ignore[arg-type]
    ]
    for place, phase in enumerate(("trace", "lower", "compile")):
        begin_s = at_s + place
        events += [ev.PhaseStarted(begin_s, number, phase), ev.PhaseFinished(begin_s + 0.9, number, phase, begin_s)]
    return [
        *events,
        ev.ProgramSeen(
            at_s + 3,
            number,
            (Leaf("", "traced", "jax.Array", (3,), "float32"),),
            cost=Cost(1e6, 1e6, True),
            memory=Memory(12, 12),
        ),  # type: ignore[arg-type]
        ev.CompileFinished(at_s + 3, number),
        ev.CallFinished(at_s + 3, number, function, at_s, "compile", source="a.py:3", compile=number, **about),
    ]


def log() -> list[Any]:
    """A recording with every kind of event."""
    functions = [Function(name, name, "train", "jax.jit", f"train.{name}", token=n) for n, name in enumerate("fgh", 1)]
    hits = [number for place in range(4) for number in (50 + place % 2, (120 + place) * S, S)]
    return [
        ev.RecordingStarted(100.0, "run", (("jax", "0.9"),), (), "1-a", "some", pid=1, process_index=0, host="node"),
        ev.ProcessJoined(100.0, 0, "1-a"),
        ev.CellStarted(100.0, "In [1]", "f(x)", "In [1]", 2, 1.5),
        *(ev.FunctionSeen(100.0, number, info) for number, info in enumerate(functions, 1)),
        ev.CompileStarted(90.0, 70, None, 2, Signature((Y,)), is_before=True),
        *miss(10, 101.0, 1, X),
        ev.TextSeen(104.0, 10, "hlo", zlib.compress(b"HloModule")),
        ev.ProgramLoaded(104.0, 10, 2.0),
        ev.StageNoted(104.0, 1, "eval_shape", "a.py:9"),
        ev.StaleRan(104.5, 10, 1, "a.py:9", Read("global", "a", "rate", RATE), replace(RATE, text="0.2")),
        ev.TracedOnce(104.6, 10, "random", "np.random.normal", "a.py:4"),  # type: ignore[arg-type]
        ev.CachesCleared(105.0, "all"),
        *miss(11, 105.0, 1, Y),
        ev.SourceSeen(105.0, "a.py", zlib.compress(b"f(x)")),
        ev.ProgramMissed(108.0, 11, 1.0),
        *miss(12, 109.0, 2, X)[:-1],
        ev.CallFinished(111.0, 13, 1, 110.0, "inlined", parent=12),
        ev.CallFinished(112.0, 12, 2, 109.0, "compile", compile=12),
        ev.OpCompiled(114.0, OpByOp("add", "jit_add", ("f32[3]",), "a.py:5", start_s=113.0, span_s=0.7, compile_s=0.5)),
        ev.SiteSeen(115.0, 50, 1, "a.py:4", compile=10),
        ev.SiteSeen(115.0, 51, 2, "a.py:5", "worker"),
        ev.HitsSummed(119.0, array("q", (50, 116 * S, 2 * S, 30)).tobytes()),
        ev.HitsNoted(124.0, array("q", hits).tobytes()),
        ev.TextsDropped(124.0, 2, 4000),
        ev.CaptureFailed(124.0, "hit", "KeyError: 1"),
        ev.Heartbeat(124.0, 121.0, "device", look := Glance("a.py:6"), "f", "a.py:7"),
        ev.LinesSampled(125.0, (Sample(100.0, 101.0, look), Sample(120.0, 121.0, look, True))),
        ev.FunctionsGone(125.0, (3,)),
        ev.ErrorExplained(125.5, Raised("branch", "TypeError")),
        ev.ErrorRaised(125.5, Raised("branch", "TypeError")),
        ev.CellFinished(126.0, "In [1]", None),
        ev.RecordingFinished(127.0),
    ]  # type: ignore[list-item]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return Recording(log()).save(tmp_path_factory.mktemp("doctored") / "run.jsonl").read_text().splitlines()


def read_everywhere(path: Path) -> Recording:
    """Read a file in every way that there is; none raises."""
    recording = load(path)
    out = path.with_suffix(".out")
    recording.account, recording.findings, str(recording), recording._repr_html_(), repr(recording)
    recording.to_json()
    recording.to_html(out)
    recording.to_perfetto(out)
    assert all(row.call is None or row.hlo or row.reasons for row in recording.compiles)
    merge(recording)
    str(merge(recording, other_process()))
    return recording


def other_process() -> Recording:
    return Recording([ev.RecordingStarted(100.0, process="2-b", pid=2, process_index=1), *log()[1:]])


def written(path: Path, lines: list[str], changed: dict[int, Any] | None = None) -> Path:
    """A file of these lines, some of them with other objects."""
    others = {number: json.dumps(data) for number, data in (changed or {}).items()}
    path.write_text("".join(f"{others.get(number, line)}\n" for number, line in enumerate(lines)))
    return path


def test_the_recording_has_every_kind_of_event_and_is_whole(lines: list[str], tmp_path: Path) -> None:
    assert {type(event) for event in log()} == set(ev.Event.__subclasses__())
    recording = read_everywhere(written(tmp_path / "run.jsonl", lines))
    assert recording.events == log()
    assert recording.facts.gaps == []


def test_merging_drops_no_kind_of_event() -> None:
    """Of one process, the later recording repeats the versions of the earlier one; of two, all are renumbered."""
    first = Recording([event for event in log() if isinstance(event, OF_VERSIONS) or event.at_s < 104.0])
    starts = (replace(event, is_before=True, call=None) for event in log() if isinstance(event, ev.CompileStarted))
    repeated = {event.compile: event for event in starts}
    again = [repeated.get(event.compile, event) if isinstance(event, ev.CompileStarted) else event for event in log()]
    kinds = set(ev.Event.__subclasses__())
    assert {type(event) for event in merge(first, Recording(again)).events} == kinds - {ev.RecordingFinished}
    assert {type(event) for event in merge(Recording(log()), other_process()).events} == kinds


def test_whichever_line_is_lost_every_view_can_be_read(lines: list[str], tmp_path: Path) -> None:
    for number in range(1, len(lines)):
        recording = read_everywhere(written(tmp_path / "run.jsonl", lines[:number] + lines[number + 1 :]))
        assert recording.is_cut == (number == len(lines) - 1)


def test_hits_of_a_line_that_is_not_in_the_file_are_said_to_be_left_out(lines: list[str], tmp_path: Path) -> None:
    kept = [json.loads(line) for line in lines if '"site":50' not in line]
    path = written(tmp_path / "run.jsonl", lines[: len(kept)], dict(enumerate(kept[1:], 1)))
    left_out = "32 hits are left out: they began before the recording, or the file has lost their line."
    assert load(path).facts.gaps == [left_out]


def places(data: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in a JSON value."""
    if place and place[0] != "event":
        yield place
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from places(value, (*place, key))


def replaced(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    data = json.loads(json.dumps(data))
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return data


VALUES = ["nan", "inf", 1e308, -1e308, 1e11, -1, 2**53, 10**400, None, [], {}]


def of_hits(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Hits with numbers that cannot be."""
    known = array("q", base64.b64decode(data["numbers"]))
    for place, value in product(range(len(known)), (-1, 0, -(2**63), 2**63 - 1)):
        numbers = array("q", [*known[:place], value, *known[place + 1 :]])
        yield {**data, "numbers": base64.b64encode(numbers.tobytes()).decode()}
    yield from ({**data, "numbers": base64.b64encode(known.tobytes()[:-size]).decode()} for size in (1, 8, 16))


def doctored(lines: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number of a line and another object for it: each field once, with one of the values, and each number of a
    hit."""
    seen: set[object] = set()
    for number, line in enumerate(lines[1:], 1):
        data = json.loads(line)
        for place in places(data):
            field = data["event"], *(step for step in place if isinstance(step, str))
            if field not in seen:
                yield number, replaced(data, place, VALUES[len(seen) % len(VALUES)])
            seen.add(field)
        if "numbers" in data:
            yield from ((number, other) for other in of_hits(data))


def test_whatever_a_field_holds_every_view_can_be_read(lines: list[str], tmp_path: Path) -> None:
    for place, (number, data) in enumerate(doctored(lines)):
        recording = load(written(tmp_path / "run.jsonl", lines, {number: data}))
        if place % 2:
            with contextlib.suppress(RefusedError):  # of another day
                recording = merge(recording, other_process())
        str(recording), recording.to_json()


def test_a_clock_that_steps_a_day_draws_no_more_marks_than_there_is_room_for() -> None:
    """The clock is set forward inside a compile, and back after it."""

    def work(step_s: float) -> int:
        events = log()
        place = next(number for number, event in enumerate(events) if isinstance(event, ev.PhaseFinished))
        events[place] = replace(events[place], at_s=events[place].at_s + step_s)
        return lines_of(Recording(events).__str__)

    work(0.0)  # what is made once
    assert work(86_400.0) < 1.2 * work(60.0)
