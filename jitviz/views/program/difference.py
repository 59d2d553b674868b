"""Two program texts compared: of two versions of a function, or of two functions.

In: a `Recording`, the numbers of two compiles, the name of a text.  Out: `Difference`.
Must never: call texts different because of variable names, or the same if an operand differs.
"""

from ...jaxcompat.texts.program_lines import Lines, Names, read_lines
from ...model import ListingName
from ...recording import Recording
from ..schema import Difference, Hunks
from .difference_in_words import SAME, summarise
from .patience_diff import Pair, align, hunks_of
from .texts import shape_listing


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
    old_lines, new_lines = read_lines(old, name), read_lines(new, name)
    hunks = list(hunks_of(_pair(old_lines, new_lines), len(old), len(new)))
    if not hunks:
        return same
    columns = zip(*((lines.start, lines.stop, others.start, others.stop) for lines, others in hunks), strict=True)
    return Difference(Hunks(*columns), tuple(summarise(hunks, old, new, old_lines, new_lines, name)))


def _pair(before: Lines, after: Lines) -> list[Pair]:
    """Corresponding lines whose operands correspond too."""
    # The last keys are equal for lines of the same shape. Variables are numbers there; their names do not count.
    kinds = keys_from_above, keys_from_below, lambda lines: list(map(hash, lines.shape))
    renaming = Renaming()
    return [
        (line, other)
        for line, other in align([(keys(before), keys(after)) for keys in kinds])
        if before.shape[line] == after.shape[other]
        and renaming.allows(before.reads[line], after.reads[other])
        and renaming.allows(before.sets[line], after.sets[other])
    ]


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
        if before == after == ():
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
