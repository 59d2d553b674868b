"""Casts of leaves: to one dtype, a strong dtype, an array, one rank, a typed key.

In: a cause, and all versions of its function.  Out: code, "" if a result could change.
Must never: cast to a dtype that cannot hold every recorded value.
"""

from collections.abc import Sequence

from ...model.dtypes import widest
from ..causes import Cause, Lineage
from .pasting import JNP, TREE, are_outputs_alike, at_leaves, leaves_at, leaves_of

KEYS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}


def one_dtype(cause: Cause, lineage: Lineage) -> str:
    """One snippet for all causes of the kind, since they may be at one call; or else for this one alone."""
    alike = [one for one in lineage.causes if one.reason.kind == cause.reason.kind]
    return _one_dtype(alike, lineage) or _one_dtype([cause], lineage)


def _one_dtype(causes: Sequence[Cause], lineage: Lineage) -> str:
    paths = dict.fromkeys(path for cause in causes for path in (cause.reason.path, *cause.also))
    wanted = {path: widest([leaf.dtype or "" for leaf in leaves_at(lineage.rows, path)]) for path in paths}
    if None in wanted.values() or not are_outputs_alike([row for cause in causes for row in cause.rows]):
        return ""
    dtypes = {path: f"jnp.{dtype}" for path, dtype in wanted.items()}
    rows = [
        row
        for row in lineage.rows
        if any(leaf.dtype != wanted[leaf.path] or leaf.weak_type for leaf in leaves_of(row, wanted))
    ]
    return at_leaves(rows, dtypes, "jnp.asarray({0}, dtype={1})", JNP, lineage.rows)


def strong(cause: Cause, lineage: Lineage) -> str:
    """The dtype that the leaves always have, made strong."""
    has_one = all(len({leaf.dtype for leaf in leaves_at(lineage.rows, path)}) == 1 for path in cause.paths)
    return one_dtype(cause, lineage) if has_one else ""


def array(cause: Cause, lineage: Lineage) -> str:
    """Convert a number that is an array in other calls."""
    wanted: dict[str, str] = {}
    for path in cause.paths:
        traced = [leaf for leaf in leaves_at(lineage.rows, path) if leaf.role == "traced"]
        types = {(leaf.dtype, leaf.weak_type, leaf.shape) for leaf in traced}
        if len(types) != 1 or traced[0].shape != ():
            return ""
        wanted[path] = "None" if traced[0].weak_type else f"jnp.{traced[0].dtype}"
    static = [leaf for row in lineage.rows for leaf in leaves_of(row, wanted) if leaf.role == "static"]
    if any(leaf.type not in ("int", "float", "complex") or leaf.is_metadata for leaf in static):
        return ""
    rows = [row for row in lineage.rows if any(leaf.role == "static" for leaf in leaves_of(row, wanted))]
    return at_leaves(rows, wanted, "jnp.asarray({0}, dtype={1})", JNP)


def one_rank(cause: Cause, lineage: Lineage) -> str:
    """Add or remove axes of size one."""
    shapes = {path: [leaf.shape or () for leaf in leaves_at(cause.rows[-1:], path)] for path in cause.paths}
    if not all(shapes.values()) or not are_outputs_alike(cause.rows):
        return ""
    wanted = {path: of_leaf[0] for path, of_leaf in shapes.items()}
    rows = [row for row in lineage.rows if any(leaf.shape != wanted[leaf.path] for leaf in leaves_of(row, wanted))]
    others = [leaf for row in rows for leaf in leaves_of(row, wanted)]
    if any(_without_ones(leaf.shape or ()) != _without_ones(wanted[leaf.path]) for leaf in others):
        return ""
    return at_leaves(rows, {path: str(shape) for path, shape in wanted.items()}, "jnp.reshape({0}, {1})", JNP)


def typed_key(cause: Cause, lineage: Lineage) -> str:
    kinds = {leaf.dtype or "" for leaf in leaves_at(lineage.rows, cause.reason.path)}
    (typed,) = kinds - {"uint32"} if len(kinds - {"uint32"}) == 1 else ("",)
    if typed not in KEYS or not are_outputs_alike(cause.rows):
        return ""
    paths = cause.paths
    rows = [row for row in lineage.rows if any(leaf.dtype == "uint32" for leaf in leaves_of(row, paths))]
    change = 'jax.random.wrap_key_data({0}, impl={1}) if {0}.dtype == "uint32" else {0}'
    return at_leaves(rows, dict.fromkeys(paths, repr(KEYS[typed])), change, TREE)


def _without_ones(shape: Sequence[int]) -> list[int]:
    return [size for size in shape if size != 1]
