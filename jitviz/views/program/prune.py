"""Links without the places that nothing in the program comes from: where the function was called, what runs a notebook.

In: `Links`.  Out: the same, with fewer frames, files and functions, and other numbers for those that are left.
Must never: drop a file whose source is shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..schema import Frames, Links


def prune(links: Links) -> Links:
    """Keep the frames that stacks stand on, and the texts that those and the sources name."""
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
    """New numbers for what is used, in the order of the old."""
    return {old: new for new, old in enumerate(sorted(set(used)))}
