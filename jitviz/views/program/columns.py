"""Columns of frames in characters: Python counts them in bytes of UTF-8.

In: frames, and the source that they stand in.  Out: the same frames.
Must never: move a column of a line that is not there to be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..schema import Frames, SourceBlock


def count_in_characters(frames: Frames, sources: Iterable[SourceBlock]) -> Frames:
    """Frames whose columns count characters where their line is known, and bytes elsewhere."""
    longer = {
        (block.file, block.first + number): line.encode()
        for block in sources
        if not block.text.isascii()
        for number, line in enumerate(block.text.split("\n"))
        if not line.isascii()
    }

    def count(file: int, line: int, column: int) -> int:
        written = longer.get((file, line))
        return column if written is None or column < 0 else len(written[:column].decode(errors="ignore"))

    return replace(
        frames,
        column=tuple(map(count, frames.file, frames.line, frames.column)),
        end_column=tuple(map(count, frames.file, frames.end_line, frames.end_column)),
    )
