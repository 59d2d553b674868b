"""A recording as a file of JSON lines.

In: events, one after another, or the path of a file.  Out: a file that is readable after every line, or equal events.
Must never: raise into the program that is being recorded.

The first line is a header; every other line is an event: {"event": kind, field: value, ...}. `codec` writes the fields.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .codec import Reader, Writer
from .events import CaptureFailed, Event, RecordingFinished
from .whole_file import lock

FORMAT = 4
_HEADER = {"jitviz": FORMAT, "holds": "the events of a recording, one a line"}
_HEADER_BYTES = 1000
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in Event.__subclasses__()}
_UPDATE = "update jitviz (pip install . in a newer checkout)"


class RefusedError(ValueError):
    """Something the user can correct; the message says how."""


class Appender:
    """Writes events to a new file: a header, then one event a line, each flushed at once. `name` is used in errors.

    A write that fails (a full disk) ends the file: `failure` says so, and later events are ignored, because the
    program that is being recorded must go on.
    """

    def __init__(self, path: Path, name: str = "") -> None:
        self.path = path
        self.failure: CaptureFailed | None = None
        self.n_events = 0
        self._name = name or path.name
        self._writer = Writer()
        self._file = path.open("w", encoding="ascii", newline="\n")
        self._write_line(_HEADER, None, at_s=0.0)

    def write(self, event: Event) -> None:
        if not self._file.closed:
            self.n_events += 1
            self._write_line({"event": type(event).__name__}, event, event.at_s)

    def write_whole(self, events: Iterable[Event]) -> None:
        """Add these events, and close the file; an OSError says that some of them could not be written."""
        try:
            for event in events:
                self.write(event)
        finally:
            self._file.close()
        if self.failure is not None:
            raise OSError(self.failure.message)

    def continue_at(self, path: Path) -> None:
        """Open the closed file again at `path`, where it was moved."""
        self.path, self._file = path, path.open("a", encoding="ascii", newline="\n")
        lock(self._file.fileno())  # so that no other recording replaces it

    @contextlib.contextmanager
    def let_go(self) -> Iterator[None]:
        """Close the file, since Windows replaces no open one; go on if what is done in the block fails."""
        was_open = not self._file.closed
        self.close()
        try:
            yield
        except BaseException:
            if was_open:
                self.continue_at(self.path)
            raise

    def close(self) -> None:
        """Close the file. It is readable whether or not this is called."""
        self._file.close()

    def _write_line(self, head: dict[str, Any], event: Event | None, at_s: float) -> None:
        try:
            self._file.write(self._writer.dumps(head, event) + "\n")
            self._file.flush()
        except OSError as error:
            self.failure = CaptureFailed(at_s, "save", f"{self._name} ends early: {error.strerror or error}")
            with contextlib.suppress(OSError):  # closing flushes again what could not be written
                self._file.close()


def read(path: Path) -> list[Event]:
    """Read every event of a file that an `Appender` wrote, oldest first.

    Left out are lines that cannot be read, such as a last line that a killed process cut off, and events and fields of
    a newer version. `CaptureFailed` events count them, at the end of the list or just before its `RecordingFinished`.
    What is no recording is refused: the message names path, line and next step.
    """
    reader, events = Reader(), list[Event]()
    lost, is_cut = list[int](), False
    with path.open("rb") as file:
        _check_header(path, file.readline(_HEADER_BYTES))
        for number, line in enumerate(file, 2):
            try:
                if line.strip():
                    events.append(_read_line(reader, line))
            except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
                is_cut = line[-1:] != b"\n"
                lost += [number] * (not is_cut)
    at_s = events[-1].at_s if events else 0.0
    end = len(events) - bool(events and isinstance(events[-1], RecordingFinished))
    told = _tell_losses(lost, is_cut=is_cut, is_newer=reader.has_left_out)
    events[end:end] = [CaptureFailed(at_s, "load", what) for what in told]
    return events


def _read_line(reader: Reader, line: bytes) -> Event:
    """The event in a line; some error says that there is none."""
    data = json.loads(line)
    kind = data.pop("event")
    reader.has_left_out |= kind not in _KINDS
    event: Event = reader.decode(_KINDS[kind], data)
    if not event.is_possible():
        raise ValueError("it holds numbers that cannot be")
    return event


def _tell_losses(lost: Sequence[int], *, is_cut: bool, is_newer: bool) -> Iterator[str]:
    """What was left out, in sentences without full stops. `lost` are the numbers of lines."""
    if len(lost) == 1:
        yield f"line {lost[0]} could not be read and was left out"
    elif lost:
        yield f"{len(lost):,} lines could not be read and were left out, the first of them line {lost[0]}"
    if is_cut:
        yield "the last line was cut off, as when a process is killed while it writes"
    if is_newer:
        yield f"some of it is of a newer version and was left out; to see it, {_UPDATE}"


def _check_header(path: Path, line: bytes) -> None:
    try:
        version = json.loads(line)["jitviz"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        problem = "begins a page" if line[:15].lower() == b"<!doctype html>" else "is not the header of a recording"
        step = "give a file that Recording.save(), jitviz run --save or %jitviz save wrote"
        raise RefusedError(_complaint(path, problem, step)) from None
    if version != FORMAT:
        step = "record the run again" if type(version) is int and version < FORMAT else _UPDATE
        raise RefusedError(_complaint(path, f"says format {version!r}, and this jitviz reads {FORMAT}", step))


def _complaint(path: Path, problem: str, step: str) -> str:
    return f"{path}: line 1 {problem}. {step[0].upper()}{step[1:]}."
