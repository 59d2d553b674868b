"""Two program texts compared: of two versions of a function, or of two functions.

In: a `Recording`, the numbers of two compiles, the name of a text.  Out: `Difference`.
Must never: call texts different because of variable names, or the same if an operand differs.
"""

from collections.abc import Sequence
from typing import TypeAlias

from ...jaxcompat.texts.program_lines import Lines, Names, read_lines, without_names
from ...model import ListingName
from ...recording import Recording
from ..schema import Difference, Hunks
from .difference_in_words import SAME, summarise
from .patience_diff import Pair, align, hunks_of
from .texts import shape_listing

Shapes: TypeAlias = tuple[list[str], list[str]]


def shape_difference(recording: Recording, before: int, after: int, name: ListingName) -> Difference:
    """Compare a text of compile number `before` with that of number `after`.

    Raises:
        LookupError: there is no such compile, or no such text of it; the message is a sentence for people.
    """
    return compare(shape_listing(recording, before, name), shape_listing(recording, after, name), name)


def compare(before: str, after: str, name: ListingName) -> Difference:
    """Compare two shown texts of kind `name`."""
    same = Difference(Hunks(), (SAME,))
    if before == after:
        return same
    old, new = before.split("\n"), after.split("\n")
    pairs, shapes = _pair_in_place(old, new, name) or _pair(*(read_lines(lines, name) for lines in (old, new)))
    hunks = list(hunks_of(pairs, len(old), len(new)))
    if not hunks:
        return same
    columns = zip(*((lines.start, lines.stop, others.start, others.stop) for lines, others in hunks), strict=True)
    return Difference(Hunks(*columns), tuple(summarise(hunks, *shapes, name)))


def _pair_in_place(before: Sequence[str], after: Sequence[str], name: ListingName) -> tuple[list[Pair], Shapes] | None:
    """Equal lines, and the shapes of the others, of programs that have the same names in each line, as most versions of
    a function do. None for other programs. Since a name is set before it is used, it stands for the same in both."""
    if len(before) != len(after):
        return None
    pairs, shapes = list[Pair](), ([""] * len(before), [""] * len(after))
    for place, (line, other) in enumerate(zip(before, after, strict=True)):
        if line == other:
            pairs.append((place, place))
            continue
        (shapes[0][place], names), (shapes[1][place], others) = (without_names(one, name) for one in (line, other))
        if names != others:
            return None
    return pairs, shapes


def _pair(before: Lines, after: Lines) -> tuple[list[Pair], Shapes]:
    """Corresponding lines whose operands correspond too, and the shapes of all lines."""
    # The last keys are equal for lines of the same shape. Variables are numbers there; their names do not count.
    levels = [(keys(before), keys(after)) for keys in (keys_from_above, keys_from_below)]
    renaming = Renaming()
    pairs = [
        (line, other)
        for line, other in align([*levels, (before.shape, after.shape)])
        if before.shape[line] == after.shape[other]
        and renaming.allows(before.reads[line], after.reads[other])
        and renaming.allows(before.sets[line], after.sets[other])
    ]
    return pairs, (before.shape, after.shape)


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
        self._after: dict[int, int] = {}
        self._before: dict[int, int] = {}

    def allows(self, before: Names, after: Names) -> bool:
        """Whether the variables of two lines can correspond one by one; if so, they do from now on."""
        if tuple(map(self._after.get, before)) == after:  # as most do
            return True
        pairs = set(zip(before, after, strict=False))
        is_one_to_one = len(before) == len(after) and len(pairs) == len(set(before)) == len(set(after))
        if not is_one_to_one or any(
            self._after.get(old, new) != new or self._before.get(new, old) != old for old, new in pairs
        ):
            return False
        self._after.update(pairs)
        self._before.update((new, old) for old, new in pairs)
        return True
