"""Two program texts compared: of two versions of a function, or of two functions; in hunks, and in words.

In: a `Recording`, the numbers of two compiles, the name of a text.  Out: `Difference`; its words are short phrases, the
most important first ("+ 3 convert_element_type", "shapes 32 → 17").
Must never: call texts different because of variable names, or the same if an operand differs.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeAlias

from ...jaxcompat.texts.program_lines import operation_of, read_lines, types_of, without_names
from ...model import ListingName, count
from ...recording import Recording
from ..schema import Difference, Hunks
from ..words import plain
from .corresponding_lines import Hunk, Pair, align, hunks_of, pair_lines
from .texts import shape_listing

Shapes: TypeAlias = tuple[list[str], list[str]]

SAME = "the same program"
SAME_BUT = f"{SAME} except for sizes"
_MOST_KINDS = 8
_MOST_CHANGES = 3
_WORD_CHARS = 60
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


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
    pairs, shapes = _pair_in_place(old, new, name) or _pair(old, new, name)
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


def _pair(before: Sequence[str], after: Sequence[str], name: ListingName) -> tuple[list[Pair], Shapes]:
    old, new = (read_lines(lines, name) for lines in (before, after))
    return pair_lines(old, new), (old.shape, new.shape)


def summarise(hunks: Sequence[Hunk], old: Sequence[str], new: Sequence[str], name: ListingName) -> Iterator[str]:
    """Operations that were added or removed, then changes in those that stayed.

    Within a hunk, lines with the same operation are paired in order. If operations were added or removed, such pairs
    are often accidental; then a change of types counts only if a quarter of the pairs have it.
    """
    change: Counter[str] = Counter()
    pairs_changed: Counter[tuple[str, str]] = Counter()  # most occur several times
    n_rewired = n_stayed = n_alone = 0
    operation = cache(lambda shape: operation_of(shape, name))
    for lines, others in hunks:
        removed = [*map(operation, old[lines.start : lines.stop])]
        added = [*map(operation, new[others.start : others.stop])]
        change.update(filter(None, added))
        change.subtract(filter(None, removed))
        are_same = removed == added
        pairs = [(n, n) for n in range(len(added))] if are_same else align([(removed, added)])
        n_alone += len(removed) + len(added) - 2 * len(pairs)
        for at, to in pairs:
            n_stayed += bool(removed[at])
            if old[lines[at]] == new[others[to]]:
                n_rewired += bool(removed[at])
            else:
                pairs_changed[old[lines[at]], new[others[to]]] += 1
    types = _Types(name)
    typed = {both: types.compare(*both, n) for both, n in pairs_changed.items()}
    kinds = [(kind, n) for kind, n in change.items() if n]
    kinds.sort(key=lambda item: (-abs(item[1]), item[1] < 0, item[0]))
    for kind, n in kinds[:_MOST_KINDS]:
        yield f"{'+' if n > 0 else '-'} {abs(n):,} {plain(kind, _WORD_CHARS)}"
    if len(kinds) > _MOST_KINDS:
        yield f"{count(len(kinds) - _MOST_KINDS, 'more kind')} of operations"
    n_other = sum(n for both, n in pairs_changed.items() if not (typed[both] or types.are_sizes(*both)))
    if (
        types.are_only_sizes
        and not (kinds or n_rewired or n_other or n_alone)
        and all(types.are_sizes(*both) for both in typed if typed[both])
    ):
        yield SAME_BUT
    changes = list(types.tell(n_stayed / 4 if kinds else 0))
    yield from changes
    if n_rewired:
        yield f"other operands in {count(n_rewired, 'line')}"
    if n_other:
        yield f"other parameters in {count(n_other, 'line')}"
    if not (kinds or changes or n_rewired or n_other):
        yield "the same operations in another form"


class _Types:
    """The changes of sizes and dtypes."""

    def __init__(self, name: ListingName) -> None:
        self._name = name
        self._shapes: Counter[str] = Counter()
        self._dtypes: Counter[str] = Counter()
        self._sizes: set[tuple[float, float]] = set()
        self._ranks = False

    def compare(self, before: str, after: str, n: int) -> bool:
        """Note the changed types of `n` equal pairs of lines of one operation; return whether there are any."""
        is_any = False
        pairs = zip(types_of(before, self._name), types_of(after, self._name), strict=False)
        for (dtype, shape), (other_dtype, other_shape) in pairs:
            if dtype != other_dtype:
                self._dtypes[f"{dtype} → {other_dtype}"] += n
            if shape != other_shape and len(shape) == len(other_shape):
                changed = [(x, y) for x, y in zip(shape, other_shape, strict=True) if x != y]
                for x, y in changed:
                    self._shapes[f"{x} → {y}"] += n
                self._sizes.update((float(x), float(y)) for x, y in changed if x.isdigit() and y.isdigit())
            elif shape != other_shape:
                self._ranks = True
                self._shapes[f"[{','.join(shape)}] → [{','.join(other_shape)}]"] += n
            is_any = is_any or dtype != other_dtype or shape != other_shape
        return is_any

    @property
    def are_only_sizes(self) -> bool:
        """Whether sizes differ, but no dtype or number of axes."""
        return bool(self._sizes) and not self._dtypes and not self._ranks

    def are_sizes(self, before: str, after: str) -> bool:
        """Whether two lines differ only in numbers proportional to a changed size: 4 → 3, and with it 128.0 → 96.0."""
        if _NUMBER.sub("#", before) != _NUMBER.sub("#", after):
            return False
        numbers = zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
        changed = {(float(x), float(y)) for x, y in numbers if x != y}
        return all(any(x * new == y * old for old, new in self._sizes) for x, y in changed)

    def tell(self, least: float) -> Iterator[str]:
        """The changes that were seen at least `least` times, the most frequent first."""
        for what, seen in (("shapes", self._shapes), ("dtypes", self._dtypes)):
            changes = [change for change, number in seen.most_common() if number >= least]
            if changes:
                n_more = max(0, len(changes) - _MOST_CHANGES)
                yield f"{what} {', '.join(changes[:_MOST_CHANGES])}" + (f" and {n_more:,} more" if n_more else "")
