"""A difference between two program texts in words: "+ 3 convert_element_type", "shapes 32 → 17".

In: hunks, and the lines of both texts.  Out: short phrases, the most important first.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...jaxcompat.texts.program_lines import Lines, operation_of, types_of, unnamed
from ...model import ListingName, count, pattern
from ..words import plain
from .patience_diff import Hunk, align

SAME = "the same program"
SAME_BUT = f"{SAME} except for sizes"
_MOST_KINDS = 8
_MOST_CHANGES = 3
_WORD_CHARS = 60
_NUMBER = pattern(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def summarise(
    hunks: Sequence[Hunk], before: Sequence[str], after: Sequence[str], old: Lines, new: Lines, name: ListingName
) -> Iterator[str]:
    """Operations that were added or removed, then changes in those that stayed.

    Within a hunk, lines with the same operation are paired in order. If operations were added or removed, such pairs
    are often accidental; then a change of types counts only if a quarter of the pairs have it.
    """
    change: Counter[str] = Counter()
    types = _Types(name)
    n_rewired = n_stayed = n_alone = 0
    others_changed: list[tuple[str, str]] = []
    typed: list[tuple[str, str]] = []
    for lines, others in hunks:
        removed = [operation_of(before[place], name) for place in lines]
        added = [operation_of(after[place], name) for place in others]
        change.update(filter(None, added))
        change.subtract(filter(None, removed))
        pairs = align([(list(map(hash, removed)), list(map(hash, added)))])
        n_alone += len(removed) + len(added) - 2 * len(pairs)
        for at, to in pairs:
            n_stayed += bool(removed[at])
            if old.shape[lines[at]] == new.shape[others[to]]:
                n_rewired += bool(removed[at])
            else:
                both = before[lines[at]], after[others[to]]
                (typed if types.compare(*both) else others_changed).append(both)
    kinds = [(kind, n) for kind, n in change.items() if n]
    kinds.sort(key=lambda item: (-abs(item[1]), item[1] < 0, item[0]))
    for kind, n in kinds[:_MOST_KINDS]:
        yield f"{'+' if n > 0 else '-'} {abs(n):,} {plain(kind, _WORD_CHARS)}"
    if len(kinds) > _MOST_KINDS:
        yield f"{count(len(kinds) - _MOST_KINDS, 'more kind')} of operations"
    n_other = sum(not types.are_sizes(*both) for both in others_changed)
    if (
        types.are_only_sizes
        and not (kinds or n_rewired or n_other or n_alone)
        and all(types.are_sizes(*both) for both in typed)
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

    def compare(self, before: str, after: str) -> bool:
        """Note the changed types of two lines of the same operation; return whether there are any."""
        is_any = False
        pairs = zip(types_of(before, self._name), types_of(after, self._name), strict=False)
        for (dtype, shape), (other_dtype, other_shape) in pairs:
            if dtype != other_dtype:
                self._dtypes[f"{dtype} → {other_dtype}"] += 1
            if shape != other_shape and len(shape) == len(other_shape):
                changed = [(x, y) for x, y in zip(shape, other_shape, strict=True) if x != y]
                self._shapes.update(f"{x} → {y}" for x, y in changed)
                self._sizes.update((float(x), float(y)) for x, y in changed if x.isdigit() and y.isdigit())
            elif shape != other_shape:
                self._ranks = True
                self._shapes[f"[{','.join(shape)}] → [{','.join(other_shape)}]"] += 1
            is_any = is_any or dtype != other_dtype or shape != other_shape
        return is_any

    @property
    def are_only_sizes(self) -> bool:
        """Whether sizes differ, but no dtype or number of axes."""
        return bool(self._sizes) and not self._dtypes and not self._ranks

    def are_sizes(self, before: str, after: str) -> bool:
        """Whether two lines differ only in numbers proportional to a changed size: 4 → 3, and with it 128.0 → 96.0."""
        before, after = unnamed(before), unnamed(after)
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
