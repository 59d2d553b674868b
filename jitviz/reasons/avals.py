"""Traced leaves: in which properties two of them differ.

In: two traced leaves at the same path.  Out: changes of shape, dtype, weak type, key type, place.
Must never: treat as different what JAX's cache takes as the same (NumPy against an uncommitted array).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Change, Leaf

_SINGLE_DEVICE = re.compile(r"\w+:\d+")
_FIRST_DEVICE = re.compile(r"\w+:0")


def aval_text(leaf: Leaf) -> str:
    """ "f32[3,4]", with "weak" before it where the type is weak."""
    text = leaf.repr or f"{leaf.dtype}[{sizes_text(leaf)}]"
    return f"weak {text}" if leaf.weak_type else text


def place_of(leaf: Leaf) -> str | None:
    """The sharding as far as the cache looks at it: None where JAX is free to put the array."""
    if leaf.sharding is None or (not leaf.committed and _SINGLE_DEVICE.fullmatch(leaf.sharding)):
        return None
    return leaf.sharding


def compare_avals(before: Leaf, after: Leaf) -> Iterator[Change]:
    """Every property in which two traced leaves differ."""
    path, was, now = after.path, aval_text(before), aval_text(after)
    facts = (
        ("dtype_before", before.dtype or ""),
        ("dtype", after.dtype or ""),
        ("type_before", before.type),
        ("type", after.type),
    )
    if _is_other_key_type(before, after):
        yield Change("prng_key_type", path, was, now, facts)
        if _key_shape(before) != _key_shape(after):
            sizes = (("shape_before", _sizes(_key_shape(before))), ("shape", _sizes(_key_shape(after))))
            yield Change("shape", path, was, now, (*facts, *sizes))
    else:
        if before.shape != after.shape:
            yield Change("shape", path, was, now, (*facts, *_shapes(before, after)))
        if before.dtype != after.dtype:
            yield Change("dtype", path, was, now, facts)
        if before.weak_type != after.weak_type:
            yield Change("weak_type", path, was, now, facts)
    if _is_moved(before, after):
        yield Change("sharding", path, before.sharding or "not placed", after.sharding or "not placed", facts)
    if bool(before.committed) != bool(after.committed):
        words = {True: "committed", False: "uncommitted"}
        where = (("where", (after if after.committed else before).sharding or ""),)
        yield Change("committed", path, words[bool(before.committed)], words[bool(after.committed)], where)


def _shapes(before: Leaf, after: Leaf) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("shape_before", sizes_text(before)), ("shape", sizes_text(after))


def sizes_text(leaf: Leaf) -> str:
    """ "3,4": the sizes of the axes."""
    return _sizes(leaf.shape or ())


def _sizes(shape: tuple[int, ...]) -> str:
    return ",".join(map(str, shape))


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
    was, now = place_of(before), place_of(after)
    if was == now:
        return False
    if before.sharding is None or after.sharding is None:
        # what is not placed yet goes to the first device: committed to that one, it has not moved
        return not _FIRST_DEVICE.fullmatch(was or now or "")
    return before.sharding != after.sharding
