"""A recording as a file of JSON lines.

In: events, one after another, or the path of a file.  Out: a file that is readable after every line, or the same
events again, equal.
Must never: raise into the program that is being recorded, or read a file wrongly without saying so.

The first line is a header; every other line is one event: {"event": kind, field: value, ...}, with
the fields as `jitviz.recording.codec` writes them.
"""

from __future__ import annotations

import contextlib
import json
import typing
from collections import Counter
from pathlib import Path
from typing import Any

from .codec import Reader, Writer
from .events import CaptureFailed, Event, OpCompiled, RecordingFinished

FORMAT = 1
_HEADER = {"jitviz": FORMAT, "holds": "the events of a recording, one a line"}
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in typing.get_args(Event)}
_KINDS["InternalsCompiled"] = OpCompiled  # as it was called when it held a name and seconds only
_UPDATE = "update jitviz (pip install --upgrade jitviz)"


class Appender:
    """A recording's file while it is being written: a header, then one event a line, each flushed at once.

    A write that fails (a full disk) ends the file: `failure` says so, and later events are ignored, because the
    program that is being recorded must go on.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.failure: CaptureFailed | None = None
        self._writer = Writer()
        self._file = path.open("w", encoding="ascii", newline="\n")
        self._write_line(_HEADER, at_s=0.0)

    def write(self, event: Event) -> None:
        """Add one event."""
        if not self._file.closed:
            self._write_line({"event": type(event).__name__, **self._writer.encode(event)}, event.at_s)

    def close(self) -> None:
        """End the file. It is readable whether or not this is called."""
        self._file.close()

    def _write_line(self, line: dict[str, Any], at_s: float) -> None:
        try:
            self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
            self._file.flush()
        except OSError as error:
            name = Path(self._file.name).name
            self.failure = CaptureFailed(at_s, "save", f"{name} ends early: {error.strerror or error}")
            with contextlib.suppress(OSError):  # closing flushes once more what could not be written a moment ago
                self._file.close()


def read(path: Path) -> list[Event]:
    """Every event of a file that an `Appender` wrote, oldest first.

    What this version does not know of a newer one's file is left out, and so is a last line that a killed process
    cut off. `CaptureFailed` events say so, at the end of the list or just before its `RecordingFinished`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no recording, or a line of it is damaged; the message names path, line and next step.
    """
    header, *lines = path.read_bytes().split(b"\n")
    _check_header(path, header)
    reader = Reader()
    events: list[Event] = []
    left_out: Counter[str] = Counter()
    for number, line in enumerate(lines, start=2):
        if not line:
            continue
        try:
            data = json.loads(line)
            kind = data.pop("event")
        except (ValueError, KeyError, AttributeError):
            if number > len(lines):  # no newline ends it
                left_out["the last line was cut off, as when a process is killed while it writes"] += 1
                break
            raise ValueError(_complaint(path, number, "is damaged", "restore the file, or record again")) from None
        try:
            events.append(reader.decode(_KINDS[kind], data))
        except (LookupError, TypeError, ValueError, AttributeError):
            left_out[f"{kind} events are not understood and were left out; to see them, {_UPDATE}"] += 1
    for field, times in reader.unknown.items():
        left_out[f"{field} is not known and was left out; to see it, {_UPDATE}"] = times
    at_s = events[-1].at_s if events else 0.0
    end = len(events) - bool(events and isinstance(events[-1], RecordingFinished))
    events[end:end] = [CaptureFailed(at_s, "load", _counted(what, times)) for what, times in left_out.items()]
    return events


def _check_header(path: Path, line: bytes) -> None:
    try:
        version = json.loads(line)["jitviz"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        problem = "begins a page" if line[:15].lower() == b"<!doctype html>" else "is not the header of a recording"
        step = "give a file that Recording.save(), jitviz run --save or %jitviz save wrote"
        raise ValueError(_complaint(path, 1, problem, step)) from None
    if version != FORMAT:
        raise ValueError(_complaint(path, 1, f"says format {version!r}, and this jitviz reads {FORMAT}", _UPDATE))


def _complaint(path: Path, line: int, problem: str, step: str) -> str:
    return f"{path}: line {line} {problem}. {step[0].upper()}{step[1:]}."


def _counted(what: str, times: int) -> str:
    return what if times == 1 else f"{what} ({times} times)"
