"""A recording as a file of JSON lines.

In: events, one after another, or the path of a file.  Out: a file that is readable after every line, or equal events.
Must never: raise into the program that is being recorded, misread a file silently, or take more memory than allowed.

The first line is a header; every other line is one event: {"event": kind, field: value, ..., "check": [number, sum]}.
For the fields see `codec`. The check is the number of the line, and the CRC-32 of the text before and of the number.
"""

import contextlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .codec import Reader, UnreadableError, Writer
from .events import CaptureFailed, Event, RecordingFinished

FORMAT = 3  # of others, files are refused
MAX_BYTES = 2**30  # of memory to read a file
_HEADER = {"jitviz": FORMAT, "holds": "the events of a recording, one a line"}
_HEADER_BYTES = 1000
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in Event.__subclasses__()}
_UPDATE = "update jitviz (pip install . in a newer checkout)"
_CHECK = re.compile(rb',"check":\[(\d{1,12}),(\d{1,10})\]\}\n?\Z')
_PER_VALUE = 128  # bytes of memory that a JSON value takes at most, without the characters of a string
_AT_ONCE = 6  # times as much memory is in use while a line is read
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
        self._name = name or path.name
        self._writer = Writer()
        self._n_lines = 0
        self._file = path.open("w", encoding="ascii", newline="\n")
        self._write_line(self._writer.dumps(_HEADER), at_s=0.0)

    @property
    def n_events(self) -> int:
        return self._n_lines - 1

    def write(self, event: Event) -> None:
        if not self._file.closed:
            self._write_line(self._writer.dumps({"event": type(event).__name__}, event), event.at_s)

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
    before its `RecordingFinished`. What is no recording is refused: the message names path, line and next step.
    """
    reader, losses = Reader(), _Losses()
    events: list[Event] = []
    with path.open("rb") as file:
        _check_header(path, file.readline(_HEADER_BYTES))
        for line, data in _read_lines(file, max_bytes, losses):
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


class _Losses:
    """What is lost of a file: how often, and the first line where it was missed."""

    def __init__(self) -> None:
        self._times: dict[str, tuple[int, int]] = {}

    def add(self, what: str, line: int, times: int = 1) -> None:
        """Count a loss; `what` is a sentence without its full stop."""
        if times > 0:
            known, first = self._times.get(what, (0, line))
            self._times[what] = known + times, first

    def sentences(self) -> list[str]:
        """A sentence for each kind of loss, up to a limit, without full stops."""
        sentences = [
            f"{what} (line {first})" if times == 1 else f"{what} ({times} times, first in line {first})"
            for what, (times, first) in self._times.items()
        ]
        n_more = len(sentences) - _MOST_LOSSES
        return sentences if n_more <= 0 else [*sentences[:_MOST_LOSSES], f"{n_more} more things were left out"]


def checked(text: str, number: int) -> str:
    body = text[:-1]
    return f'{body},"check":[{number},{zlib.crc32(f"{body}{number}".encode())}]}}\n'


def _read_lines(file: BinaryIO, max_bytes: int, losses: _Losses) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file from its second line on, in the order of their numbers, each with the line where it is.
    `max_bytes` bounds the memory that the objects take together."""
    left, place, due, n_damaged = max_bytes, 1, 2, 0
    while line := file.readline(left // _AT_ONCE + 1):
        place += 1
        nbytes = _nbytes(line)
        if nbytes * _AT_ONCE > left:
            bound = f"reading the rest takes more than {max_bytes} bytes of memory"
            losses.add(f"{bound}; to see it, give jitviz.load a larger max_bytes", place)
            return
        left -= nbytes
        number, data = _unchecked(line)
        if data is None and line[-1:] != b"\n":
            losses.add("the last line was cut off, as when a process is killed while it writes", place)
        elif data is None:
            n_damaged += bool(line.strip())
            losses.add("a line is damaged and left out", place, bool(line.strip()))
        elif number < due:
            losses.add("a line is out of order and left out", place)
        else:
            losses.add("a line is missing", due, number - due - n_damaged)
            due, n_damaged = number + 1, 0
            yield place, data


def _nbytes(line: bytes) -> int:
    """The most memory an object takes: a single wide character makes every character of a string take four bytes."""
    is_wide = b"\\u" in line or not line.isascii()
    return len(line) * (4 if is_wide else 1) + _PER_VALUE * sum(map(line.count, (b",", b"[", b"{")))


def _unchecked(line: bytes) -> tuple[int, dict[str, Any] | None]:
    """The number and the object of a line; None if the line is damaged."""
    check = _CHECK.search(line)
    body = line[: check.start()] if check is not None else b""
    if check is None or zlib.crc32(body + check[1]) != int(check[2]):
        return 0, None
    try:
        data = json.loads(body + b"}")
    except (ValueError, RecursionError):
        return 0, None
    return int(check[1]), data if type(data) is dict else None


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
