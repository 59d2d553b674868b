"""The comparison of two versions of one function.

In: two signatures, or two misses.  Out: every property in which they differ, as changes, the one to look at first.
Must never: make sentences, or look at anything but the two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ..model import KINDS, Kind, Leaf, Miss, Signature
from ..model.cachekey import traced_place
from ..model.paths import holder_of, steps_to
from .change import Change, Facts
from .statics import compare_statics
from .structure import match
from .surroundings import compare_context, compare_form, compare_functions, compare_options
from .traced import aval_text, compare_avals

STATIC: tuple[Kind, ...] = ("static_value", "static_identity", "static_eq")
_PRIVATE = re.compile(r"\._(?!_)")
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


def compare(before: Signature, after: Signature, *, is_typed: bool = False) -> tuple[Change, ...]:
    """Every change from `before` to `after`, sorted by what to look at first, then in argument order; `is_typed` is
    `Wrapper.compares_types`."""
    return _in_order((*compare_options(before, after), *_arguments(before, after, is_typed)))


def compare_misses(before: Miss, after: Miss) -> tuple[Change, ...]:
    """The same for two misses, whose functions are compared as well."""
    is_typed = after.function.wrapper.compares_types
    return _in_order((*compare_functions(before, after), *_arguments(before.signature, after.signature, is_typed)))


def compare_doubtful(before: Signature, after: Signature) -> tuple[Change, ...]:
    """What a user's own `__eq__` may have seen, for two signatures that `compare` finds equal."""
    pairs = match(before, after)[1]
    return _in_order(
        change
        for old, new in pairs
        if old.role == new.role == "static"
        for change in compare_statics(old, new, is_sure=False)
    )


def without_trace(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes that can be the cause if JAX did not trace again.

    JAX then found the static values equal, whatever they look like, unless nothing else differs: the trace may come
    from elsewhere, from inside another function.
    """
    return tuple(change for change in changes if change.kind not in STATIC) or changes


def without_places(
    changes: tuple[Change, ...], before: Miss, after: Miss, dropped: Collection[str]
) -> tuple[Change, ...]:
    """The changes without the placement of `dropped` inputs, which the program of `before` does not use."""
    moved = {change.path for change in changes if change.kind in ("sharding", "committed")}.intersection(dropped)
    if not moved:
        return changes
    was, now = (
        {leaf.path: traced_place(leaf) for leaf in miss.signature.traced if leaf.path in moved}
        for miss in (before, after)
    )
    unused = {path for path in moved if was.get(path) == now.get(path)}
    return tuple(
        change for change in changes if change.kind not in ("sharding", "committed") or change.path not in unused
    )


def _in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes by what to look at first; those of one kind stay in argument order. What is certain comes first.

    Of the objects that were created again, those with a known difference inside come first: an optimiser's `update`
    closes over the rate that changed, its `init` over nothing. A wrapper that JAX itself creates around the same
    function follows the changes of the arguments that it is created from, and private metadata (the `_batch_shape` of
    a distribution) those of the leaves. The width of a model comes before the sizes of the layers inside it.
    """
    changes = tuple(changes)
    holders = {holder_of(change.path) for change in changes if change.facts.is_metadata}

    def rank(change: Change) -> tuple[bool, float, bool, bool]:
        inside = change.facts.inside
        is_derived = change.facts.event == "remade" or (change.facts.is_metadata and _PRIVATE.search(change.path))
        kind = _RANK["weak_type"] + 0.5 if is_derived else _RANK[change.kind]
        is_inner = change.facts.is_metadata and not holders.isdisjoint(steps_to(holder_of(change.path))[:-1])
        return change.facts.is_doubtful, kind, inside is None or not inside.path, is_inner

    return tuple(sorted(changes, key=rank))


def _arguments(before: Signature, after: Signature, is_typed: bool) -> Iterator[Change]:
    yield from compare_context(before, after)
    yield from compare_form(before, after)
    changes, pairs = match(before, after)
    yield from changes
    for old, new in pairs:
        yield from _compare_leaves(old, new, is_typed)


def _compare_leaves(before: Leaf, after: Leaf, is_typed: bool) -> Iterator[Change]:
    if before.role == after.role == "traced":
        if before != after:
            yield from compare_avals(before, after)
    elif before.role == after.role:
        yield from compare_statics(before, after, is_typed=is_typed)
    else:
        static, traced = (before, after) if before.role == "static" else (after, before)
        dtype = "" if traced.weak_type else traced.dtype or ""
        facts = Facts(is_traced=after.role == "traced", type=static.type, dtype=dtype)
        yield Change("leaf_kind", after.path, _leaf_text(before), _leaf_text(after), facts)


def _leaf_text(leaf: Leaf) -> str:
    return f"traced {aval_text(leaf)}" if leaf.role == "traced" else f"static {leaf.repr or leaf.type}"
