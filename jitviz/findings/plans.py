"""Shape plans: the sizes to which to pad an axis that had many sizes.

In: a cause by shape, and the versions of its function.  Out: a `Plan`, or None if padding one axis does not help.
Must never: promise a number of compiles that the code does not keep, or take more than n log n for n sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..model import Compile, Leaf
from ..model.counting import is_ahead
from ..model.finding import Choice, Plan
from ..model.paths import last_name
from .call_text import written_call
from .causes import Cause, Lineage
from .version_keys import key_without

# One size is the simplest choice, and recommended if it makes the arrays at most this much bigger.
_LITTLE_PADDING = 0.25

_CODE = '''\
import numpy as np

SIZES = {sizes}


def pad(array, axis):
    """`array`, padded with its last entry to the next of SIZES, and a mask that is False on the padding."""
    array = np.asarray(array)  # on the host: in JAX, padding itself would compile once for each size
    n = array.shape[axis]
    size = next(size for size in SIZES if size >= n)
    widths = [(0, size - n if place == axis else 0) for place in range(array.ndim)]
    return np.pad(array, widths, mode="edge" if n else "constant"), np.arange(size) < n


# before the call of {function}{where}; pass the padded array and `mask`, and ignore the entries where it is False:
{uses}
'''


@dataclass(frozen=True)
class _Case:
    """One version: its size, how often it was called, and its key without the sizes."""

    size: int
    calls: int
    rest: int
    seconds: float


def plan_of(cause: Cause, lineage: Lineage) -> Plan | None:
    """The plan for a cause, if its shapes differ in one axis and padding saves a compile."""
    if cause.reason.kind != "shape" or cause.is_warmed:
        return None
    rows = [row for row in lineage.rows if not is_ahead(row) and (row.start_s >= 0 or lineage.calls[row.version])]
    shapes = [_leaves(row, cause.paths) for row in rows]
    axes = _axes([found for found in shapes if found is not None], cause.paths)
    if axes is None:
        return None
    cases = [
        _Case(
            size=_size(found[0], axes[0]),
            calls=max(1, lineage.calls[row.version]),
            rest=key_without(row, lineage.keys[row.version], cause.fix),
            seconds=row.duration_s,
        )
        for row, found in zip(rows, shapes, strict=True)
        if found is not None
    ]
    weights: Counter[int] = Counter()
    for case in cases:
        weights[case.size] += case.calls
    seen = tuple(sorted(weights.items()))
    places = tuple(zip(cause.paths, axes, strict=True))
    tried = [_choice(name, sizes, cases, _code(cause.rows[0], sizes, places)) for name, sizes in _sizes_to_choose(seen)]
    choices = [one for one in tried if one.compiles < len(cases)]
    if not choices:
        return None
    few = choices[0].padding <= _LITTLE_PADDING
    best = 0 if few else min(range(len(choices)), key=lambda place: (choices[place].padding, choices[place].compiles))
    return Plan(places, seen, len(cases), tuple(choices), best)


def _leaves(row: Compile, paths: Sequence[str]) -> tuple[Leaf, ...] | None:
    """The leaves at these paths; None if one is missing or is not an array that can be padded."""
    wanted = set(paths)
    found = {leaf.path: leaf for leaf in row.signature.traced if leaf.path in wanted}
    if len(found) < len(wanted) or any((leaf.dtype or "key<").startswith("key<") for leaf in found.values()):
        return None
    return tuple(found[path] for path in paths)


def _axes(shapes: Sequence[tuple[Leaf, ...]], paths: Sequence[str]) -> tuple[int, ...] | None:
    """The axis of each leaf that changes; None unless there is exactly one, with the same size in all leaves."""
    axes: list[int] = []
    for place in range(len(paths)):
        mine = [found[place].shape or () for found in shapes]
        if len(set(map(len, mine))) != 1:
            return None
        changed = [axis for axis, sizes in enumerate(zip(*mine, strict=True)) if len(set(sizes)) > 1]
        if len(changed) != 1:
            return None
        axes += changed
    if any(len({_size(leaf, axis) for leaf, axis in zip(found, axes, strict=True)}) > 1 for found in shapes):
        return None
    return tuple(axes)


def _size(leaf: Leaf, axis: int) -> int:
    return (leaf.shape or ())[axis]


def _sizes_to_choose(seen: Sequence[tuple[int, int]]) -> list[tuple[str, tuple[int, ...]]]:
    """The sizes to choose from, by name; a choice with the same sizes as an earlier one is left out."""
    largest = seen[-1][0]
    powers = tuple(sorted({1 << max(0, size - 1).bit_length() for size, _ in seen}))
    k = min(max(2, len(powers)), len(seen) - 1)
    named = [("one size", (largest,)), ("powers of two", powers), (f"best {k} sizes", best_sizes(seen, k))]
    return [
        (name, sizes) for place, (name, sizes) in enumerate(named) if sizes not in [one for _, one in named[:place]]
    ]


def _choice(name: str, sizes: tuple[int, ...], cases: Sequence[_Case], code: str) -> Choice:
    padded = {case.size: next(size for size in sizes if size >= case.size) for case in cases}
    made, saved_s = set(), 0.0
    for case in cases:  # the first call with a padded size compiles, the following ones are hits
        program = case.rest, padded[case.size]
        saved_s += case.seconds if program in made else 0.0
        made.add(program)
    whole = sum(case.calls * case.size for case in cases)
    extra = sum(case.calls * (padded[case.size] - case.size) for case in cases)
    return Choice(name, sizes, len(made), extra / whole if whole else 0.0, saved_s, code)


def _code(row: Compile, sizes: tuple[int, ...], places: tuple[tuple[str, int], ...]) -> str:
    written = written_call(row)
    names = [
        (last_name(path), (written.argument(path) if written is not None else "") or last_name(path), axis)
        for path, axis in places
    ]
    uses = "\n".join(f"# {name}, mask = pad({given}, axis={axis})" for name, given, axis in names)
    where = f" at {row.source}" if row.source else ""
    return _CODE.format(sizes=sizes, function=row.function, where=where, uses=uses)


def best_sizes(seen: Sequence[tuple[int, int]], k: int) -> tuple[int, ...]:
    """The `k` sizes for which padding all calls gives the fewest elements; `seen` are (size, calls), sizes ascending.

    The best next smaller size grows with the size above it, so that each of the `k` levels takes n log n.
    """
    sizes = [size for size, _ in seen]
    calls = [0, *accumulate(number for _, number in seen)]
    n = len(sizes)
    # cost[i]: the elements of the calls with the first i sizes, padded to as many sizes as there were levels so far
    cost = [0.0] + [float(sizes[end - 1] * calls[end]) for end in range(1, n + 1)]
    cuts: list[list[int]] = []
    for level in range(2, k + 1):
        cost, cut = _next_level(cost, sizes, calls, level)
        cuts.append(cut)
    chosen, end = [], n
    for cut in reversed(cuts):
        chosen.append(sizes[end - 1])
        end = cut[end]
    return tuple(sorted({*chosen, sizes[end - 1]}))


def _next_level(
    cost: Sequence[float], sizes: Sequence[int], calls: Sequence[int], level: int
) -> tuple[list[float], list[int]]:
    n = len(sizes)
    best, cut = [float("inf")] * (n + 1), [0] * (n + 1)
    stack = [(level, n, level - 1, n - 1)]
    while stack:
        low, high, first, last = stack.pop()
        if low > high:
            continue
        end = (low + high) // 2
        for start in range(first, min(last, end - 1) + 1):
            tried = cost[start] + sizes[end - 1] * (calls[end] - calls[start])
            if tried < best[end]:
                best[end], cut[end] = tried, start
        stack += [(low, end - 1, first, cut[end]), (end + 1, high, cut[end], last)]
    return best, cut
