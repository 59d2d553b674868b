"""The comparison of two versions of one function.

In: two misses.  Out: every property in which they differ, as changes, the one to look at first. A difference that JAX's
cache ignores (a NumPy array against an uncommitted JAX array) is none.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ..model import KINDS, Miss, Signature, holder_of, root_of, steps_to
from ..model.cachekey import traced_place
from .change import Change, resized
from .kinds import KIND_OF, changes_of_leaves, changes_of_misses
from .reads import compare_reads
from .statics import compare_statics, differs_from_itself
from .structure import match

_PRIVATE = re.compile(r"\._(?!_)")
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


def compare_misses(before: Miss, after: Miss) -> tuple[Change, ...]:
    """Every change from `before` to `after`, sorted by what to look at first, then in argument order."""
    return _in_order((*changes_of_misses(before, after), *_arguments(before, after)))


def with_reads(changes: tuple[Change, ...], before: Miss, after: Miss) -> tuple[Change, ...]:
    """The changes with what else the code reads and has changed since.

    A function that is made anew can take such a value as an argument. In any other case, a hit would have run the old
    program. What a function closes over is part of that function, and an attribute of a static object part of that.
    """
    changed = list(compare_reads(before.signature, after.signature))
    is_anew = any(KIND_OF[change.kind].is_anew for change in changes)
    if is_anew:
        changed = [(read, is_code) for read, is_code in changed if read.kind in ("global", "attribute")]
    else:
        statics = {root_of(change.path) for change in changes if KIND_OF[change.kind].is_static}
        changed = [(read, True) for read, _ in changed if read.kind != "static" or root_of(read.of) not in statics]
    hides, reads = (tuple(read.path for read, is_needed in changed if is_needed == wanted) for wanted in (True, False))
    return tuple(replace(change, hides=hides, reads=reads) for change in changes) if changed else changes


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
    """The changes that can be the cause if JAX did not trace again. JAX then found the static values equal, whatever
    they look like, unless nothing else differs: the trace may come from elsewhere, from inside another function."""
    return tuple(change for change in changes if not KIND_OF[change.kind].is_static) or changes


def without_places(
    changes: tuple[Change, ...], before: Miss, after: Miss, dropped: Collection[str]
) -> tuple[Change, ...]:
    """The changes without the placement of `dropped` inputs, which the program of `before` does not use."""
    moved = {change.path for change in changes if KIND_OF[change.kind].form == "place"}.intersection(dropped)
    if not moved:
        return changes
    was, now = (
        {leaf.path: traced_place(leaf) for leaf in miss.signature.traced if leaf.path in moved}
        for miss in (before, after)
    )
    unused = {path for path in moved if was.get(path) == now.get(path)}
    return tuple(change for change in changes if KIND_OF[change.kind].form != "place" or change.path not in unused)


def _in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes by what to look at first; those of one kind stay in argument order. What is certain comes first.

    Of the objects that were created again, those with a known difference inside come first: an optimiser's `update`
    closes over the rate that changed, its `init` over nothing. A wrapper that JAX itself creates around the same
    function follows the changes of the arguments that it is created from, and private metadata (the `_batch_shape` of
    a distribution) those of the leaves, as does the size of an array that is static as well. The width of a model comes
    before the sizes of the layers inside it.
    """
    changes = tuple(changes)
    holders = {holder_of(change.path) for change in changes if change.is_metadata}
    sizes = resized(changes)

    def rank(change: Change) -> tuple[bool, float, bool, bool]:
        inside = change.inside
        is_private = change.is_metadata and _PRIVATE.search(change.path)
        is_size = change.kind == "static_value" and (change.before, change.after) in sizes
        is_derived = change.event == "remade" or is_private or is_size
        kind = _RANK["weak_type"] + 0.5 if is_derived else _RANK[change.kind]
        is_inner = change.is_metadata and not holders.isdisjoint(steps_to(holder_of(change.path))[:-1])
        return change.is_doubtful, kind, inside is None or not inside.path, is_inner

    return tuple(sorted(changes, key=rank))


def _arguments(before: Miss, after: Miss) -> Iterator[Change]:
    is_typed = after.function_info.wrapper.compares_types
    changes, pairs = match(before.signature, after.signature)
    yield from changes
    for old, new in pairs:
        if old.role == new.role == "static":
            if old is not new or differs_from_itself(new):
                yield from compare_statics(old, new, is_typed=is_typed)
        elif old != new:
            yield from changes_of_leaves(old, new)
