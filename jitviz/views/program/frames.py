"""The frames of links as a screen needs them: columns in characters, and only the frames in use.

In: `Links`, or frames and their source.  Out: the same, renumbered.
Must never: drop a file whose source is shown, or convert a column of a line that is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..schema import Frames, Links, SourceBlock


def count_in_characters(frames: Frames, sources: Iterable[SourceBlock]) -> Frames:
    """Convert columns from bytes of UTF-8, as in Python, to characters, if their line is known."""
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


def prune(links: Links) -> Links:
    """Keep only the frames that stacks use, and the names that these frames and the sources use.

    This leaves out the callers of the function and the machinery of a notebook.
    """
    frames = _renumber(links.stacks.frame)
    kept = links.frames
    files = _renumber([*(block.file for block in links.sources), *(kept.file[frame] for frame in frames)])
    functions = _renumber(kept.function[frame] for frame in frames)
    return replace(
        links,
        files=tuple(links.files[file] for file in files),
        functions=tuple(links.functions[function] for function in functions),
        sources=tuple(replace(block, file=files[block.file]) for block in links.sources),
        frames=replace(
            Frames(**{name: tuple(column[frame] for frame in frames) for name, column in vars(kept).items()}),
            file=tuple(files[kept.file[frame]] for frame in frames),
            function=tuple(functions[kept.function[frame]] for frame in frames),
        ),
        stacks=replace(links.stacks, frame=tuple(frames[frame] for frame in links.stacks.frame)),
        lines=replace(links.lines, file=tuple(files[file] for file in links.lines.file)),
        advice=tuple(replace(one, file=files[one.file]) for one in links.advice),
    )


def _renumber(used: Iterable[int]) -> dict[int, int]:
    """New numbers for the used ones, in the old order."""
    return {old: new for new, old in enumerate(sorted(set(used)))}
