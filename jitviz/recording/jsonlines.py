"""A recording as a file of JSON lines.

In: events, one after another, or the path of a file.  Out: a file that is readable after every line, or equal events.
Must never: raise into the program that is being recorded, or misread a file silently.

The first line is a header; every other line is one event: {"event": kind, field: value, ..., "check": ...}. For the
fields see `codec`, for the check see `checked_lines`.
"""

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .checked_lines import Losses, checked, read_lines
from .codec import Reader, UnreadableError, Writer
from .events import CaptureFailed, Event, RecordingFinished
from .refused_input import RefusedError

FORMAT = 3  # of others, files are refused
MAX_BYTES = 2**30  # of memory to read a file
_HEADER = {"jitviz": FORMAT, "holds": "the events of a recording, one a line"}
_HEADER_BYTES = 1000
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in Event.__subclasses__()}
_UPDATE = "update jitviz (pip install . in a newer checkout)"


class Appender:
    """Writes events to a new file: a header, then one event a line, each flushed at once. `name` is used in errors.

    A write that fails (a full disk) ends the file: `failure` says so, and later events are ignored, because the
    program that is being recorded must go on.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, name: str = "") -> None:
        self.path = path
        self.failure: CaptureFailed | None = None
        self._name = name or path.name
        self._writer = Writer()
        self._n_lines = 0
        self._file = path.open("w", encoding="ascii", newline="\n")
        self._write_line(self._writer.dumps(_HEADER), at_s=0.0)

    @property
    def n_events(self) -> int:
        """How many events were written."""
        return self._n_lines - 1

    def write(self, event: Event) -> None:
        """Add one event."""
        if not self._file.closed:
            self._write_line(self._writer.dumps({"event": type(event).__name__}, event), event.at_s)

    def write_whole(self, events: Iterable[Event]) -> None:
        """Add these events, and close the file.

        Raises:
            OSError: some of them could not be written.
        """
        try:
            for event in events:
                self.write(event)
        finally:
            self._file.close()
        if self.failure is not None:
            raise OSError(self.failure.message)

    def continue_at(self, path: Path) -> None:
        """Open the closed file again at `path`, where it was moved.

        Raises:
            OSError: it cannot be opened.
        """
        self.path, self._file = path, path.open("a", encoding="ascii", newline="\n")

    def close(self) -> None:
        """Close the file. It is readable whether or not this is called."""
        self._file.close()

    def _write_line(self, text: str, at_s: float) -> None:
        self._n_lines += 1
        try:
            self._file.write(checked(text, self._n_lines) if self._n_lines > 1 else text + "\n")
            self._file.flush()
        except OSError as error:
            self.failure = CaptureFailed(at_s, "save", f"{self._name} ends early: {error.strerror or error}")
            with contextlib.suppress(OSError):  # closing flushes again what could not be written
                self._file.close()


def read(path: Path, max_bytes: int = MAX_BYTES) -> list[Event]:
    """Read every event of a file that an `Appender` wrote, oldest first.

    Left out are changed and lost lines, a last line that a killed process cut off, events and fields of a newer
    version, and what takes more memory than `max_bytes`. `CaptureFailed` events say so, at the end of the list or just
    before its `RecordingFinished`.

    Raises:
        FileNotFoundError: there is no such file.
        RefusedError: it is no recording; the message names path, line and next step.
    """
    reader, losses = Reader(), Losses()
    events: list[Event] = []
    with path.open("rb") as file:
        _check_header(path, file.readline(_HEADER_BYTES))
        for line, data in read_lines(file, max_bytes, losses):
            kind = data.pop("event", None)
            try:
                event: Event = reader.decode(_KINDS[kind], data)
                if not event.is_possible():
                    raise UnreadableError("hold numbers that cannot be")
                events.append(event)
            except UnreadableError as error:
                losses.add(f"{kind} events {error} and were left out", line)
            except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
                losses.add(f"{_named(kind)} events are not understood and were left out; to see them, {_UPDATE}", line)
            for field in sorted(reader.unknown):
                losses.add(f"{_named(field)} is not known and was left out; to see it, {_UPDATE}", line)
            reader.unknown.clear()
    at_s = events[-1].at_s if events else 0.0
    end = len(events) - bool(events and isinstance(events[-1], RecordingFinished))
    events[end:end] = [CaptureFailed(at_s, "load", what) for what in losses.sentences()]
    return events


def _check_header(path: Path, line: bytes) -> None:
    try:
        version = json.loads(line)["jitviz"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        problem = "begins a page" if line[:15].lower() == b"<!doctype html>" else "is not the header of a recording"
        step = "give a file that Recording.save(), jitviz run --save or %jitviz save wrote"
        raise RefusedError(_complaint(path, problem, step)) from None
    if type(version) is int and version < FORMAT:
        problem = f"says format {version}, which an earlier jitviz wrote, and this one reads {FORMAT}"
        raise RefusedError(_complaint(path, problem, "record the run again"))
    if version != FORMAT:
        raise RefusedError(_complaint(path, f"says format {version!r}, and this jitviz reads {FORMAT}", _UPDATE))


def _complaint(path: Path, problem: str, step: str) -> str:
    return f"{path}: line 1 {problem}. {step[0].upper()}{step[1:]}."


def _named(name: object) -> str:
    """Return a name from a file if it could be one of jitviz; a damaged file may hold any text in its place."""
    return name if isinstance(name, str) and len(name) < 50 and name.replace(".", "").isidentifier() else "Nameless"
