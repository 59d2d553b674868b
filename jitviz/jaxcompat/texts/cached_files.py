"""The files of JAX's cache on disk, by their names: "jit_step-<64 hexadecimal digits>-cache".

In: a folder.  Out: a row for each program.
"""

import os
import re
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_FILE = re.compile(r"(?P<key>.+-[0-9a-f]{64})(-cache)?")


class CachedFile(NamedTuple):
    """A program on disk, and when it was written, in seconds since the epoch."""

    key: str
    name: str
    written_s: float


def name_of(key: str) -> str:
    """The function in a key ("step"), as far as JAX knows it."""
    return key.rpartition("-")[0].removeprefix("jit_")


def cached_files(folder: Path, most: int = 1_000_000) -> list[CachedFile] | None:
    """The programs in a folder; None if it has more than `most` files."""
    with os.scandir(folder) as entries:
        found = list(islice(entries, most + 1))
    if len(found) > most:
        return None
    programs = []
    for entry in found:
        parts = _FILE.fullmatch(entry.name)
        if parts is not None and entry.is_file():
            programs.append(CachedFile(parts["key"], name_of(parts["key"]), entry.stat().st_mtime))
    return programs
