"""Key paths of leaves, as people write them: `model.layers[0].weight`; and places in the user's source: "train.py:12",
and "In [3]:4" for line 4 of a cell.

In: a path, or a place.  Out: a part of it.
"""

import re
from functools import lru_cache

_LAST_STEP = re.compile(r"(?:\.[^.\[\]]*|\[(?:'[^']*'|\"[^\"]*\"|[^\[\]]*)\])$")
_LAST_NAME = re.compile(r"(?:^|\.|\[')([A-Za-z_]\w*)(?:'\])?$")
_ROOT = re.compile(r".[^.\[]*", re.DOTALL)


def root_of(path: str) -> str:
    """The parameter that a path begins with."""
    match = _ROOT.match(path)
    return match.group() if match else path


def last_name(path: str) -> str:
    """The name at the end of a path ("time" of `data.time`), or the whole path if it ends in an index."""
    match = _LAST_NAME.search(path)
    return match.group(1) if match else path


def holder_of(path: str) -> str:
    """The path without its last attribute, if it has one."""
    return path.rpartition(".")[0] or path


def step_up(path: str) -> str:
    """The path without its last step; "" if no step is left."""
    above = _LAST_STEP.sub("", path)
    return above if above != path else ""


def steps_to(path: str) -> list[str]:
    """The path and all paths above it, the shortest first: "m", "m.layers", "m.layers[0]"."""
    return [*_steps_to(step_up(path)), path]


@lru_cache(maxsize=1024)  # many leaves share the paths above them
def _steps_to(path: str) -> tuple[str, ...]:
    steps: list[str] = []
    while path:
        steps.append(path)
        path = step_up(path)
    return tuple(reversed(steps))


def is_below(path: str, top: str) -> bool:
    """Whether a path is inside the value at `top`."""
    return path.startswith((top + ".", top + "["))


_CELL = re.compile(r"In \[\d+\]")
_RAISED_AT = re.compile(r" At (\S.*?:\d+), `(.*)`\.$")  # at the end of an error's text


def raised_at(error: str) -> tuple[str, str]:
    """The user's line that raised, and its text; "" where an error's text names none."""
    found = _RAISED_AT.search(error)
    return (found[1], found[2]) if found else ("", "")


def split_source(source: str) -> tuple[str, int]:
    """The file or cell and the line; 0 where the line is unknown."""
    file, _, line = source.rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def cell_of(source: str) -> str:
    """The cell that a place is in: "In [3]" for "In [3]:4"; "" for files."""
    match = _CELL.match(source)
    return match.group() if match else ""
