"""Shape plans: the sizes to which to pad an axis that had many sizes.

In: a cause by shape, and the versions of its function.  Out: a `Plan`, or None if padding one axis does not help.
Must never: promise a number of compiles that the code does not keep.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from ..model import Choice, Compile, Plan, is_ahead, last_name, root_of
from ..reasons.call_text import template, written_call
from .cause import Cause, Lineage
from .version_keys import key_without

_MOST_SIZES = 128  # among which the best ones are looked for
_ENTRY = re.compile(r"[A-Za-z_]\w*(\[[^\[\]:()]+\])*")  # a variable, or an entry of one


@dataclass(frozen=True)
class _Case:
    """One version: its size, how often it was called, its key without the sizes, what it cost, the seconds of the hits
    that ran it, whether JAX's caches were cleared before it, and whether it was there before the recording: then it
    costs nothing, and what is padded to its size is a hit."""

    size: int
    calls: int
    rest: int
    seconds: float
    run_s: float
    is_cleared: bool
    is_before: bool


class _Unknown(NamedTuple):
    """The hits of unknown size, and their seconds."""

    n_hits: int
    run_s: float


def plan_of(cause: Cause, lineage: Lineage) -> Plan | None:
    """The plan for a cause, if its shapes differ in one axis and padding saves a compile."""
    if cause.reason.kind != "shape" or cause.is_warmed or not _is_sound(cause):
        return None
    rows = [row for row in lineage.rows if not is_ahead(row)]
    shapes = {row.version: of_row for row in rows if (of_row := _shapes(row, cause.paths)) is not None}
    axes = _axes(list(shapes.values()), len(cause.paths))
    if axes is None:
        return None
    cases = [
        _Case(
            size=shapes[row.version][0][axes[0]],
            calls=max(not row.is_before, lineage.calls[row.version]),
            rest=key_without(row, lineage.keys[row.version], cause.fix),
            seconds=row.duration_s,
            run_s=lineage.run_s[row.version],
            is_cleared=bool(row.cleared),
            is_before=row.is_before,
        )
        for row in rows
        if row.version in shapes
    ]
    calls: Counter[int] = Counter()
    for case in cases:
        calls[case.size] += case.calls
    seen = tuple(sorted(calls.items()))
    places = tuple(zip(cause.paths, axes, strict=True))
    n_compiles = sum(not row.is_before for row in lineage.rows)
    n_others = n_compiles - sum(
        not case.is_before for case in cases
    )  # a gradient's backward program takes no such leaf
    unknown = _Unknown(lineage.n_unknown, lineage.unknown_s)
    tried = [
        _choice(name, sizes, cases, n_others, unknown, _code(cause.rows[0], sizes, places))
        for name, sizes in _sizes_to_choose(seen)
    ]
    choices = [choice for choice in tried if choice.compiles < n_compiles]
    if not choices:
        return None
    best = max(
        choices, key=lambda choice: choice.saved_s - choice.run_s
    )  # the first of equals, which has the fewest sizes
    versions = tuple(
        (case.size, case.calls, group, -1.0 if case.is_before else case.seconds)
        for case, group in zip(cases, _groups(cases), strict=True)
    )
    place, are_seen = choices.index(best), lineage.are_hits_seen
    return Plan(places, seen, n_compiles, tuple(choices), place, are_seen, unknown.n_hits, versions)


def _groups(cases: Sequence[_Case]) -> list[int]:
    """Numbers, equal for cases that share a program once they have one size; after cleared caches they begin anew."""
    numbers: dict[tuple[int, int], int] = {}
    cleared = accumulate(case.is_cleared for case in cases)
    return [numbers.setdefault((times, case.rest), len(numbers)) for times, case in zip(cleared, cases, strict=True)]


def _is_sound(cause: Cause) -> bool:
    """Whether the programs show that a mask can undo the padding, and the function is the user's, who can put one."""
    return not (cause.is_maybe or cause.has_obstacle or cause.rows[0].function_info.is_of_library)


def _shapes(row: Compile, paths: Sequence[str]) -> list[tuple[int, ...]] | None:
    """The shapes of the leaves at these paths; None if one is missing or is not an array that can be padded."""
    leaves = {leaf.path: leaf for leaf in row.signature.traced if not (leaf.dtype or "key<").startswith("key<")}
    return [leaves[path].shape or () for path in paths] if leaves.keys() >= set(paths) else None


def _axes(shapes: Sequence[list[tuple[int, ...]]], n_leaves: int) -> tuple[int, ...] | None:
    """The axis of each leaf that changes; None unless there is exactly one, with the same size in all leaves."""
    axes: list[int] = []
    for place in range(n_leaves):
        of_leaf = [of_version[place] for of_version in shapes]
        if len(set(map(len, of_leaf))) != 1:
            return None
        changed = [axis for axis, sizes in enumerate(zip(*of_leaf, strict=True)) if len(set(sizes)) > 1]
        if len(changed) != 1:
            return None
        axes += changed
    sizes_of_versions = ({shape[axis] for shape, axis in zip(one, axes, strict=True)} for one in shapes)
    return tuple(axes) if all(len(sizes) == 1 for sizes in sizes_of_versions) else None


def _sizes_to_choose(seen: Sequence[tuple[int, int]]) -> list[tuple[str, tuple[int, ...]]]:
    """The sizes to choose from, by name; a choice with the same sizes as an earlier one is left out."""
    largest = seen[-1][0]
    powers = tuple(sorted({1 << max(0, size - 1).bit_length() for size, _ in seen}))
    k = min(max(2, len(powers)), len(seen) - 1)
    named: dict[tuple[int, ...], str] = {(largest,): "one size"}
    named.setdefault(powers, "powers of two")
    named.setdefault(best_sizes(seen, k), f"best {k} sizes")
    return [(name, sizes) for sizes, name in named.items()]


def _choice(
    name: str, sizes: tuple[int, ...], cases: Sequence[_Case], n_others: int, unknown: _Unknown, code: str
) -> Choice:
    padded = {case.size: next(size for size in sizes if size >= case.size) for case in cases}
    kept: set[tuple[int, int]] = set()
    compiles, saved_s = n_others, 0.0
    for case in cases:  # the first call with a padded size compiles, the following ones are hits
        if case.is_cleared:
            kept.clear()
        program = case.rest, padded[case.size]
        if not case.is_before:
            is_hit = program in kept
            compiles, saved_s = (compiles, saved_s + case.seconds) if is_hit else (compiles + 1, saved_s)
        kept.add(program)
    whole = sum(case.calls * case.size for case in cases)
    extra = sum(case.calls * (padded[case.size] - case.size) for case in cases)
    run_s = sum(case.run_s * (padded[case.size] / case.size - 1) for case in cases if case.size)
    more = [to / size - 1 for size, to in padded.items() if size]
    run_s += unknown.run_s * sum(more) / max(1, len(more))  # as if these hits had each of the sizes equally often
    shares = [
        (extra + unknown.n_hits * (to - size)) / total
        for size, to in padded.items()
        if (total := whole + unknown.n_hits * size)
    ]
    return Choice(name, sizes, compiles, min(shares, default=0.0), saved_s, code, run_s, max(shares, default=0.0))


def _code(row: Compile, sizes: tuple[int, ...], places: tuple[tuple[str, int], ...]) -> str:
    written, uses = written_call(row), []
    for path, axis in places:
        root = root_of(path)
        argument = (written.argument(root) if written is not None else "") or root
        argument += path.removeprefix(root)
        # The parameter's name may be that of other data where the function is called.
        name = argument if _ENTRY.fullmatch(argument) and argument != "mask" else f"padded_{last_name(path)}"
        uses.append(f"# {name}, mask = pad({argument}, axis={axis})")
    where = f" at {row.source}" if row.source else ""
    return template("pad").format(sizes=sizes, function=row.function, where=where, uses="\n".join(uses))


def best_sizes(seen: Sequence[tuple[int, int]], k: int) -> tuple[int, ...]:
    """The `k` sizes for which padding all calls gives the fewest elements; `seen` are (size, calls), sizes ascending.

    The best `k` sizes are the best `k` - 1 for the smaller part of `seen`, and the largest. Of very many sizes, some
    that are next to each other count as one.
    """
    step = -(-len(seen) // _MOST_SIZES)
    groups = [seen[max(0, end - step) : end] for end in range(len(seen), 0, -step)][::-1]
    sizes, calls = [group[-1][0] for group in groups], [sum(n for _, n in group) for group in groups]
    before = [0, *accumulate(calls)]
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}  # by how many sizes are covered: elements, the chosen
    for _ in range(min(k, len(sizes))):
        starts = [(start, elements, before[start]) for start, (elements, _) in best.items()]
        found = {}
        for end in range(min(best) + 1, len(sizes) + 1):
            size, n = sizes[end - 1], before[end]
            sums = [elements + size * (n - n_start) for start, elements, n_start in starts if start < end]
            least = min(sums)
            chosen = min(best[start][1] for (start, *_), one in zip(starts, sums, strict=False) if one == least)
            found[end] = least, (*chosen, size)
        best = found
    return best[len(sizes)][1]
