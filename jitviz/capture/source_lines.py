"""The lines of a source, from a file that can be read without waiting.

In: the name that code goes by.  Out: its lines, [] where there are none.
Must never: raise, or open what is no plain file: a pipe waits for somebody to write, a device has no end.
"""

from __future__ import annotations

import linecache
import stat
from pathlib import Path
from typing import Any

MOST_BYTES = 10_000_000


def lines_of(filename: str, names: dict[str, Any] | None = None) -> list[str]:
    """The lines that code of a file, or of a cell, was made from; `names` are the globals of its module."""
    if filename not in linecache.cache and not _is_plain(filename):
        return []
    try:
        return linecache.getlines(filename, names)
    except Exception:  # of a loader of the user's, or a name that is none
        return []


def modified_s(filename: str) -> float | None:
    """When a plain file was last written; None of all else."""
    try:
        found = Path(filename).stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime if stat.S_ISREG(found.st_mode) else None


def _is_plain(filename: str) -> bool:
    """Whether a name is that of a plain file of some size, or of nothing on disk: a loader may know it."""
    try:
        found = Path(filename).stat()
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(found.st_mode) and found.st_size <= MOST_BYTES
