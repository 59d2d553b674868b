"""Texts that differ only in their indices, merged.

In: texts with indices in brackets, such as paths.  Out: one text for each group, and the size of the group.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from ...model.paths import steps_to
from ...model.patterns import pattern
from ..schema import Alike
from ..words import runs

_INDEX = pattern(r"(?<=\[)\d+(?=\])")
_MOST_RUNS = 3
_Row = TypeVar("_Row", bound=Hashable)


def merge_alike(texts: Iterable[str], of: Iterable[str] = ()) -> tuple[Alike, ...]:
    """Merge texts: twelve become "blocks[0..11].weight". Groups come in the order of their first text.

    If `of` are all the paths of a tree, and all leaves of "model" are among the texts, they become "model".
    """
    texts = list(texts)
    if not texts:
        return ()
    chosen, whole = _counted(texts), _counted(of)
    homes = (next((step for step in steps_to(text) if 1 < whole[step] == chosen[step]), text) for text in texts)
    return tuple(Alike(text, n) for _, text, n in group_alike((home, None) for home in homes)[0])


def _counted(paths: Iterable[str]) -> Counter[str]:
    return Counter(step for path in paths for step in steps_to(path))


def group_alike(rows: Iterable[tuple[str, _Row]], most: float = math.inf) -> tuple[list[tuple[_Row, str, int]], int]:
    """The first `most` groups of texts that have an equal second part, and the number of texts in no group."""
    groups: dict[tuple[str, _Row], list[str]] = {}
    n_more = 0
    for text, more in rows:
        key = _INDEX.sub("#", text), more
        if key in groups:
            groups[key].append(text)
        elif len(groups) < most:
            groups[key] = [text]
        else:
            n_more += 1
    return [(more, _joined(texts), len(texts)) for (_, more), texts in groups.items()], n_more


def _joined(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    columns = zip(*(map(int, _INDEX.findall(text)) for text in texts), strict=True)
    ranges = iter([_tell(sorted(set(column))) for column in columns])
    return _INDEX.sub(lambda _: next(ranges), texts[0])


def _tell(numbers: Sequence[int]) -> str:
    """ "0..11", or "0..2, 5"; of scattered numbers, only the first two and the last."""
    if len(known := runs(numbers)) > _MOST_RUNS:
        return f"{numbers[0]}, {numbers[1]}, …, {numbers[-1]}"
    return ", ".join(f"{first}..{last}" if first < last else str(first) for first, last in known)
