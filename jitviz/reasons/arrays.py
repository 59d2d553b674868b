"""Two traced leaves at one path: their types in a few words, and what the kinds of change of an array share.

In: leaves.  Out: texts and changes.
"""

from ..model import Kind, Leaf
from .change import Change


def aval_text(leaf: Leaf) -> str:
    """ "f32[3,4]", with "weak" before it if the type is weak."""
    text = leaf.repr or f"{leaf.dtype}[{','.join(map(str, leaf.shape or ()))}]"
    return f"weak {text}" if leaf.weak_type else text


def array_change(kind: Kind, before: Leaf, after: Leaf) -> Change:
    """The change of an array in its shape or dtype."""
    return Change(
        kind,
        after.path,
        aval_text(before),
        aval_text(after),
        dtype_before=before.dtype or "",
        dtype=after.dtype or "",
        shape_before=before.shape or (),
        shape=after.shape or (),
        is_weak=after.weak_type,
    )


def are_arrays(before: Leaf, after: Leaf) -> bool:
    return before.role == after.role == "traced"


def is_other_key_type(before: Leaf, after: Leaf) -> bool:
    """Typed keys of two implementations, or a typed key against raw uint32 key data."""
    dtypes = {before.dtype or "", after.dtype or ""}
    typed = {dtype for dtype in dtypes if dtype.startswith("key<")}
    return len(dtypes) == 2 and bool(typed) and dtypes - typed <= {"uint32"}


def key_shape(leaf: Leaf) -> tuple[int, ...]:
    """The shape of the keys: raw key data has one more axis."""
    shape = leaf.shape or ()
    return shape if (leaf.dtype or "").startswith("key<") else shape[:-1]
