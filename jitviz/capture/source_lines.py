"""The lines of a source, from a file that can be read without waiting.

In: the file name of some code.  Out: its lines, [] if there are none.
Must never: raise, or open anything but a regular file: a pipe waits for a writer, a device has no end.
"""

from __future__ import annotations

import linecache
import os
import stat
from pathlib import Path
from typing import Any

MOST_BYTES = 10_000_000


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
