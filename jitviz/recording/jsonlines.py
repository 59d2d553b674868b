"""A recording as a file of JSON lines.

In: events, one after another, or the path of a file.  Out: a file that is readable after every line, or equal events.
Must never: raise into the program that is being recorded.

The first line is a header; every other line is an event: {"event": kind, field: value, ...}. `codec` writes the fields.
"""

import contextlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from .codec import Reader, UnreadableError, Writer
from .events import CaptureFailed, Event, RecordingFinished
from .whole_file import lock

FORMAT = 4
_HEADER = {"jitviz": FORMAT, "holds": "the events of a recording, one a line"}
_HEADER_BYTES = 1000
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in Event.__subclasses__()}
_UPDATE = "update jitviz (pip install . in a newer checkout)"
_MOST_LOSSES = 10  # sentences about what was lost


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
    reader, losses = Reader(), defaultdict[str, list[int]](list)
    events: list[Event] = []
    with path.open("rb") as file:
        _check_header(path, file.readline(_HEADER_BYTES))
        for number, line in enumerate(file, 2):
            try:
                events += _read_line(reader, line)
            except UnreadableError as error:
                losses[str(error)].append(number)
            for field in sorted(reader.unknown):
                losses[f"{_named(field)} is not known and was left out; to see it, {_UPDATE}"].append(number)
            reader.unknown.clear()
    at_s = events[-1].at_s if events else 0.0
    end = len(events) - bool(events and isinstance(events[-1], RecordingFinished))
    events[end:end] = [CaptureFailed(at_s, "load", what) for what in _sentences(losses)]
    return events


def _read_line(reader: Reader, line: bytes) -> list[Event]:
    """The event in a line, if there is one. An UnreadableError says in a sentence what is wrong with the line."""
    if not line.strip():
        return []
    try:
        data = dict(json.loads(line).items())
    except (ValueError, AttributeError, RecursionError):
        is_whole = line[-1:] == b"\n"
        cut = "the last line was cut off, as when a process is killed while it writes"
        raise UnreadableError("a line is damaged and was left out" if is_whole else cut) from None
    kind = data.pop("event", None)
    try:
        event: Event = reader.decode(_KINDS[kind], data)
        if not event.is_possible():
            raise UnreadableError("hold numbers that cannot be")
    except UnreadableError as error:
        raise UnreadableError(f"{kind} events {error} and were left out") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        told = f"{_named(kind)} events are not understood and were left out; to see them, {_UPDATE}"
        raise UnreadableError(told) from None
    return [event]


def _sentences(losses: dict[str, list[int]]) -> Iterator[str]:
    """A sentence for each kind of loss, up to a limit, without full stops."""
    for what, lines in islice(losses.items(), _MOST_LOSSES):
        many = f"{len(lines)} times, first in line {lines[0]}"
        yield f"{what} ({many if len(lines) > 1 else f'line {lines[0]}'})"
    if len(losses) > _MOST_LOSSES:
        yield f"{len(losses) - _MOST_LOSSES} more things were left out"


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


def _named(name: object) -> str:
    """Return a name from a file if it could be one of jitviz; a damaged file may hold any text in its place."""
    return name if isinstance(name, str) and len(name) < 50 and name.replace(".", "").isidentifier() else "Nameless"
