"""JSON objects, one per line, each with its line number and a checksum.

In: the text of an object, or an open file of lines.  Out: the line to write, or the objects again; what was lost.
Must never: return an object that was changed, miss a lost line silently, or take more memory than allowed.

A line ends in `"check":[number, sum]`: its number in the file, and the CRC-32 of the text before and of the number.
"""

import json
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..model.patterns import pattern

_CHECK = pattern(rb',"check":\[(\d{1,12}),(\d{1,10})\]\}\n?\Z')
_PER_VALUE = 128  # bytes of memory that a JSON value takes at most, without the characters of a string
_AT_ONCE = 6  # times as much memory is in use while a line is read
_MOST = 10  # sentences about what was lost


class Losses:
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
        n_more = len(sentences) - _MOST
        return sentences if n_more <= 0 else [*sentences[:_MOST], f"{n_more} more things were left out"]


def checked(text: str, number: int) -> str:
    """Return the line for the JSON text of an object."""
    body = text[:-1]
    return f'{body},"check":[{number},{zlib.crc32(f"{body}{number}".encode())}]}}\n'


def read_lines(file: BinaryIO, max_bytes: int, losses: Losses) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file from its second line on, in the order of their numbers, each with the line where it is.

    `max_bytes` bounds the memory that the objects take together.
    """
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
