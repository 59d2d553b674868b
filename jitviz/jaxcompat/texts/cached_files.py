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
    """A program on disk. Times are in seconds since the epoch; `used_s` is the time that JAX notes where it limits the
    size of the cache, else that of the file system, which may be up to a day old."""

    key: str
    name: str
    nbytes: int
    written_s: float
    used_s: float


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
            told, note = entry.stat(), folder / f"{parts['key']}-atime"
            noted_s = int.from_bytes(note.read_bytes()[:8], "little") / 1e9 if note.is_file() else 0.0
            used_s = noted_s or max(told.st_atime, told.st_mtime)
            programs.append(CachedFile(parts["key"], name_of(parts["key"]), told.st_size, told.st_mtime, used_s))
    return programs
