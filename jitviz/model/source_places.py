"""Places in the user's source, as text: "train.py:12", and "In [3]:4" for line 4 of a cell.

In: a place.  Out: its file or cell, its line.
Must never: look at a file.
"""

from .patterns import pattern

_CELL = pattern(r"In \[\d+\]")


def split_source(source: str) -> tuple[str, int]:
    """The file or cell and the line; 0 where the line is unknown."""
    file, _, line = source.rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def cell_of(source: str) -> str:
    """The cell that a place is in: "In [3]" for "In [3]:4"; "" for files."""
    match = _CELL.match(source)
    return match.group() if match else ""
