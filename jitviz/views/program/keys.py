"""Lines of two texts compared by more than what they say: by what goes into them, and by what comes of them.

In: the `Lines` of two texts.  Out: keys that are equal for lines that may stand for each other, and a `Renaming`.
Must never: take lines for the same over names alone; variables have numbers here.
"""

from __future__ import annotations

from ...jaxcompat.texts.lines import Lines, Names


def keys_by_shape(lines: Lines) -> list[int]:
    return list(map(hash, lines.shape))


def keys_from_above(lines: Lines) -> list[int]:
    """Keys that are equal where lines, and all that goes into them, are."""
    made: dict[int, int] = {}
    keys = []
    for shape, sets, reads in zip(lines.shape, lines.sets, lines.reads, strict=True):
        key = hash((shape, *[made.get(name, 0) for name in reads]))
        for place, name in enumerate(sets):
            made[name] = key + place
        keys.append(key)
    return keys


def keys_from_below(lines: Lines) -> list[int]:
    """Keys that are equal where lines, and all that comes of them, are."""
    users: dict[int, int] = {}
    keys = []
    for shape, sets, reads in zip(reversed(lines.shape), reversed(lines.sets), reversed(lines.reads), strict=True):
        key = hash((shape, *[users.get(name, 0) for name in sets]))
        for place, name in enumerate(reads):
            users[name] = hash((users.get(name, 0), key, place))
        keys.append(key)
    return keys[::-1]


class Renaming:
    """Which variables of one text stand for which of the other, as far as two lines at a time have told."""

    def __init__(self) -> None:
        self._there: dict[int, int] = {}
        self._back: dict[int, int] = {}

    def allows(self, before: Names, after: Names) -> bool:
        """Whether variables can stand for each other, one by one; if so, they do from now on."""
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
