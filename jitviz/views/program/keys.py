"""Keys to compare the lines of two texts: by their shape, their inputs, and the uses of their results.

In: the `Lines` of two texts.  Out: keys that are equal for lines that may correspond, and a `Renaming`.
Must never: depend on the names of variables; they are numbers here.
"""

from __future__ import annotations

from ...jaxcompat.texts.program_lines import Lines, Names


def keys_by_shape(lines: Lines) -> list[int]:
    """Keys that are equal for lines of the same shape."""
    return list(map(hash, lines.shape))


def keys_from_above(lines: Lines) -> list[int]:
    """Keys that are equal for lines that are equal in themselves and in everything they are computed from."""
    made: dict[int, int] = {}
    keys = []
    for shape, sets, reads in zip(lines.shape, lines.sets, lines.reads, strict=True):
        key = hash((shape, *[made.get(name, 0) for name in reads]))
        for place, name in enumerate(sets):
            made[name] = key + place
        keys.append(key)
    return keys


def keys_from_below(lines: Lines) -> list[int]:
    """Keys that are equal for lines that are equal in themselves and in everything that is computed from them."""
    users: dict[int, int] = {}
    keys = []
    for shape, sets, reads in zip(reversed(lines.shape), reversed(lines.sets), reversed(lines.reads), strict=True):
        key = hash((shape, *[users.get(name, 0) for name in sets]))
        for place, name in enumerate(reads):
            users[name] = hash((users.get(name, 0), key, place))
        keys.append(key)
    return keys[::-1]


class Renaming:
    """Which variables of two texts correspond, learnt from pairs of lines."""

    def __init__(self) -> None:
        self._there: dict[int, int] = {}
        self._back: dict[int, int] = {}

    def allows(self, before: Names, after: Names) -> bool:
        """Whether the variables of two lines can correspond one by one; if so, they do from now on."""
        if len(before) != len(after):
            return False
        there, back = self._there, self._back
        fresh: list[tuple[int, int]] = []
        for mine, theirs in zip(before, after, strict=True):
            if mine in there or theirs in back:
                if there.get(mine) != theirs:
                    for one, other in fresh:
                        del there[one], back[other]
                    return False
            else:
                there[mine], back[theirs] = theirs, mine
                fresh.append((mine, theirs))
        return True
