"""JSON objects, one per line, each with its line number and a checksum.

In: the text of an object, or an open file of lines.  Out: the line to write, or the objects again.
Must never: return an object that was changed, miss a lost line silently, or take more memory than allowed.

A line ends in `"check":[number, sum]`: its number in the file, and the CRC-32 of the text before and of the number.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

_CHECK = re.compile(rb',"check":\[(\d{1,12}),(\d{1,10})\]\}\n?\Z')
_PER_VALUE = 128  # bytes of memory that a JSON value takes at most, without the characters of a string
_AT_ONCE = 6  # times as much memory is in use while a line is read


def checked(text: str, number: int) -> str:
    """Return the line for the JSON text of an object."""
    body = text[:-1]
    return f'{body},"check":[{number},{zlib.crc32(f"{body}{number}".encode())}]}}\n'


class Lines:
    """The objects of a file from its second line on, in the order of their numbers.

    `max_bytes` bounds the memory that the objects take together.
    """

    def __init__(self, file: BinaryIO, max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._lost: dict[str, tuple[int, int]] = {}  # how lines were lost -> how many, and the first
        self._is_cut_off = False
        self._too_long_at: int | None = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        left, number, due, n_damaged = self._max_bytes, 1, 2, 0
        while line := self._file.readline(left // _AT_ONCE + 1):
            number += 1
            nbytes = _nbytes(line)
            if nbytes * _AT_ONCE > left:
                self._too_long_at = number
                return
            left -= nbytes
            check = _CHECK.search(line)
            data = None if check is None else _object(line, check)
            if check is None or data is None:
                self._is_cut_off = check is None and line[-1:] != b"\n"
                if line.strip() and not self._is_cut_off:
                    n_damaged += 1
                    self._lose("damaged", number)
                continue
            given = int(check[1])
            if given < due:
                self._lose("out of order", number)
                continue
            self._lose("missing", due, given - due - n_damaged)
            due, n_damaged = given + 1, 0
            yield data

    def _lose(self, how: str, number: int, times: int = 1) -> None:
        if times > 0:
            n_lost, first = self._lost.get(how, (0, number))
            self._lost[how] = n_lost + times, first

    def complaints(self) -> Iterator[str]:
        """Yield a sentence for each kind of loss so far."""
        for how, (n_lost, first) in self._lost.items():
            which = f"line {first} is" if n_lost == 1 else f"{n_lost} lines, the first of them line {first}, are"
            yield f"{which} {how}" + (" and left out" if how != "missing" else "")
        if self._is_cut_off:
            yield "the last line was cut off, as when a process is killed while it writes"
        if self._too_long_at is not None:
            yield (
                f"line {self._too_long_at} and all after it were left out, since reading them takes more than "
                f"{self._max_bytes} bytes of memory; to see them, give jitviz.load a larger max_bytes"
            )


def _nbytes(line: bytes) -> int:
    """The most memory an object takes: a single wide character makes every character of a string take four bytes."""
    is_wide = b"\\u" in line or not line.isascii()
    return len(line) * (4 if is_wide else 1) + _PER_VALUE * sum(map(line.count, (b",", b"[", b"{")))


def _object(line: bytes, check: re.Match[bytes]) -> dict[str, Any] | None:
    """Return the object of a line, or None if the line is damaged."""
    body = line[: check.start()]
    if zlib.crc32(body + check[1]) != int(check[2]):
        return None
    try:
        data = json.loads(body + b"}")
    except (ValueError, RecursionError):
        return None
    return data if type(data) is dict else None
