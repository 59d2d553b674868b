"""Two traced leaves: the properties in which they differ.

In: two traced leaves at the same path.  Out: changes of shape, dtype, weak type, key type and placement.
Must never: report a difference that JAX's cache ignores (a NumPy array against an uncommitted JAX array).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..model import Leaf
from ..model.cachekey import place_of
from .change import Change, Facts

_FIRST_DEVICE = re.compile(r"\w+:0")


def aval_text(leaf: Leaf) -> str:
    """ "f32[3,4]", with "weak" before it if the type is weak."""
    text = leaf.repr or f"{leaf.dtype}[{','.join(map(str, leaf.shape or ()))}]"
    return f"weak {text}" if leaf.weak_type else text


def compare_avals(before: Leaf, after: Leaf) -> Iterator[Change]:
    """Every property in which two traced leaves differ."""
    path, was, now = after.path, aval_text(before), aval_text(after)
    facts = Facts(
        dtype_before=before.dtype or "",
        dtype=after.dtype or "",
        shape_before=before.shape or (),
        shape=after.shape or (),
        is_weak=after.weak_type,
    )
    if _is_other_key_type(before, after):
        yield Change("prng_key_type", path, was, now, facts)
        if _key_shape(before) != _key_shape(after):
            shapes = replace(facts, shape_before=_key_shape(before), shape=_key_shape(after))
            yield Change("shape", path, was, now, shapes)
    else:
        if before.shape != after.shape:
            yield Change("shape", path, was, now, facts)
        if before.dtype != after.dtype:
            yield Change("dtype", path, was, now, facts)
        if before.weak_type != after.weak_type:
            yield Change("weak_type", path, was, now, facts)
    if _is_moved(before, after):
        yield Change("sharding", path, before.sharding or "not placed", after.sharding or "not placed", facts)
    if bool(before.committed) != bool(after.committed):
        words = {True: "committed", False: "uncommitted"}
        where = Facts(where=(after if after.committed else before).sharding or "")
        yield Change("committed", path, words[bool(before.committed)], words[bool(after.committed)], where)


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
        # an array that is not placed yet goes to the first device, so one committed to that device has not moved
        return not _FIRST_DEVICE.fullmatch(was or now or "")
    return before.sharding != after.sharding
