"""The comparison of two versions of one function.

In: two signatures, or two misses.  Out: every property in which they differ, as changes, the one to look at first.
Must never: report a difference that JAX's cache ignores (a NumPy array against an uncommitted JAX array).
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from ..model import KINDS, Kind, Leaf, Miss, Signature, holder_of, root_of, steps_to
from ..model.cachekey import place_of, traced_place
from .change import Change, resized
from .placements import NOWHERE
from .statics import compare_statics, differs_from_itself
from .structure import match
from .surroundings import compare_context, compare_form, compare_functions, compare_options, compare_reads

STATIC: tuple[Kind, ...] = ("static_value", "static_identity", "static_eq")
_FIRST_DEVICE = re.compile(r"\w+:0")
_PRIVATE = re.compile(r"\._(?!_)")
_MADE_ANEW: tuple[Kind, ...] = ("new_function", "static_identity", "static_eq")
_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


def compare(before: Signature, after: Signature, *, is_typed: bool = False) -> tuple[Change, ...]:
    """Every change from `before` to `after`, sorted by what to look at first, then in argument order; `is_typed` is
    `Wrapper.compares_types`."""
    return _in_order((*compare_options(before, after), *_arguments(before, after, is_typed)))


def compare_misses(before: Miss, after: Miss) -> tuple[Change, ...]:
    """The same for two misses, whose functions are compared as well."""
    is_typed = after.function_info.wrapper.compares_types
    return _in_order((*compare_functions(before, after), *_arguments(before.signature, after.signature, is_typed)))


def with_reads(changes: tuple[Change, ...], before: Miss, after: Miss) -> tuple[Change, ...]:
    """The changes with what else the code reads and has changed since.

    A function that is made anew can take such a value as an argument. In any other case, a hit would have run the old
    program. What a function closes over is part of that function, and an attribute of a static object part of that.
    """
    changed = list(compare_reads(before.signature, after.signature))
    is_anew = any(change.kind in _MADE_ANEW for change in changes)
    if is_anew:
        changed = [(read, is_code) for read, is_code in changed if read.kind in ("global", "attribute")]
    else:
        statics = {root_of(change.path) for change in changes if change.kind in STATIC}
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
    return tuple(one for one in changes if one.kind not in ("sharding", "committed") or one.path not in unused)


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


def _arguments(before: Signature, after: Signature, is_typed: bool) -> Iterator[Change]:
    yield from compare_context(before, after)
    yield from compare_form(before, after)
    changes, pairs = match(before, after)
    yield from changes
    for old, new in pairs:
        if old is not new or differs_from_itself(new):
            yield from _compare_leaves(old, new, is_typed)


def _compare_leaves(before: Leaf, after: Leaf, is_typed: bool) -> Iterator[Change]:
    if before.role == after.role == "traced":
        if before != after:
            yield from _compare_avals(before, after)
    elif before.role == after.role:
        yield from compare_statics(before, after, is_typed=is_typed)
    else:
        static, traced = (before, after) if before.role == "static" else (after, before)
        dtype = "" if traced.weak_type else traced.dtype or ""
        yield Change(
            "leaf_kind",
            after.path,
            _leaf_text(before),
            _leaf_text(after),
            is_traced=after.role == "traced",
            type=static.type,
            dtype=dtype,
        )


def _leaf_text(leaf: Leaf) -> str:
    return f"traced {_aval_text(leaf)}" if leaf.role == "traced" else f"static {leaf.repr or leaf.type}"


def _aval_text(leaf: Leaf) -> str:
    """ "f32[3,4]", with "weak" before it if the type is weak."""
    text = leaf.repr or f"{leaf.dtype}[{','.join(map(str, leaf.shape or ()))}]"
    return f"weak {text}" if leaf.weak_type else text


def _compare_avals(before: Leaf, after: Leaf) -> Iterator[Change]:
    """Every property in which two traced leaves differ."""
    path, was, now = after.path, _aval_text(before), _aval_text(after)
    change = Change(
        "shape",
        path,
        was,
        now,
        dtype_before=before.dtype or "",
        dtype=after.dtype or "",
        shape_before=before.shape or (),
        shape=after.shape or (),
        is_weak=after.weak_type,
    )
    if _is_other_key_type(before, after):
        yield replace(change, kind="prng_key_type")
        if _key_shape(before) != _key_shape(after):
            yield replace(change, shape_before=_key_shape(before), shape=_key_shape(after))
    else:
        if before.shape != after.shape:
            yield change
        if before.dtype != after.dtype:
            yield replace(change, kind="dtype")
        if before.weak_type != after.weak_type:
            yield replace(change, kind="weak_type")
    if _is_moved(before, after):
        sides = [leaf.sharding or NOWHERE for leaf in (before, after)]
        yield Change("sharding", path, *sides)
    if bool(before.committed) != bool(after.committed):
        sides = ["committed" if leaf.committed else "uncommitted" for leaf in (before, after)]
        yield Change("committed", path, *sides, where=(after if after.committed else before).sharding or "")


def _is_other_key_type(before: Leaf, after: Leaf) -> bool:
    """Typed keys of two implementations, or a typed key against raw uint32 key data."""
    dtypes = {before.dtype or "", after.dtype or ""}
    typed = {dtype for dtype in dtypes if dtype.startswith("key<")}
    return len(dtypes) == 2 and bool(typed) and dtypes - typed <= {"uint32"}


def _key_shape(leaf: Leaf) -> tuple[int, ...]:
    """The shape of the keys: raw key data has one more axis."""
    shape = leaf.shape or ()
    return shape if (leaf.dtype or "").startswith("key<") else shape[:-1]


def _is_moved(before: Leaf, after: Leaf) -> bool:
    if (before.sharding, before.committed) == (after.sharding, after.committed):
        return False
    was, now = place_of(before), place_of(after)
    if was == now:
        return False
    if before.sharding is None or after.sharding is None:
        # an array that is not placed yet goes to the first device, so one committed to that device has not moved
        return not _FIRST_DEVICE.fullmatch(was or now or "")
    return before.sharding != after.sharding
