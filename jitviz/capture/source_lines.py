"""The user's source: the lines of a file, and the text of a call.

In: the file name of some code, or a frame.  Out: lines, [] if there are none; "step(params, batch['x'])".
Must never: raise, evaluate anything, or open a special file: a pipe waits for a writer, a device has no end.
"""

from __future__ import annotations

import linecache
import os
import stat
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from ..recording.redaction import redacted
from .failures import note
from .sources import frame_owner

MOST_BYTES = 10_000_000  # of a file
_MOST_LINES = 20  # of a call
_MOST_CHARS = 600


def lines_of(filename: str, names: dict[str, Any] | None = None) -> list[str]:
    """The source lines of a file or a cell; `names` are the globals of its module."""
    if filename not in linecache.cache and not _is_readable(filename):
        return []
    try:
        return linecache.getlines(filename, names)
    except Exception:  # from a loader of the user's, or for an invalid name
        return []


def modified_s(filename: str) -> float | None:
    """When a regular file was last written; None for anything else."""
    found = _status(filename)
    return found.st_mtime if found is not None and stat.S_ISREG(found.st_mode) else None


def _is_readable(filename: str) -> bool:
    """Whether a name is that of a regular file of limited size, or of nothing on disk: a loader may know it."""
    found = _status(filename)
    return found is None or (stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES)


def _status(filename: str) -> os.stat_result | None:
    try:
        return Path(filename).stat()
    except (OSError, ValueError):
        return None


def written_call(frame: FrameType | None) -> str:
    """The expression that the user's innermost frame at or above `frame` is running; "" if it cannot be read whole."""
    while frame is not None and frame_owner(frame.f_code.co_filename) != "user":
        frame = frame.f_back
    try:
        return _read(frame) if frame is not None else ""
    except Exception as error:  # for example from a loader that fails
        note("written_call", error)
        return ""


def _read(frame: FrameType) -> str:
    code = frame.f_code
    first, last, start, end = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    if first is None or last is None or start is None or end is None or last - first >= _MOST_LINES:
        return ""
    lines = [line.encode() for line in lines_of(code.co_filename, frame.f_globals)[first - 1 : last]]
    if len(lines) != last - first + 1:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode()
    return redacted(text, is_code=True) if len(text) <= _MOST_CHARS else ""
