"""`dtype`: the elements of an array have another type."""

from collections.abc import Iterator, Sequence

from ...model import Compile, Leaf, wider, widest
from ..arrays import are_arrays, array_change, is_other_key_type
from ..change import Change
from ..pasting import JNP, Paste, are_outputs_alike, at_leaves, leaves_at, leaves_of
from ..subject import Subject, jnp_dtype
from .base import ReasonKind, Recompiles, Term

_NUMBERS = ("int", "float", "complex")


class Dtype(ReasonKind):
    name = "dtype"
    form = "array"
    group = "array"
    mends = frozenset({"weak_type"})
    undoes = "properties"
    undone = frozenset({"dtype", "weak_type"})  # a leaf that always has one dtype is also strongly typed
    has_values = True
    sentence = "`{path}` changed its dtype from {before} to {after}"
    term = Term(
        "The type of an array's elements is part of its aval, so a different one needs a different version. Convert "
        "once, before the first call.",
        """\
f = jitviz.filter_jit(lambda x: x + 1)
f(jnp.ones(3))  # compiles
f(jnp.ones(3, jnp.int32))  # compiles""",
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        if are_arrays(before, after) and before.dtype != after.dtype and not is_other_key_type(before, after):
            yield array_change("dtype", before, after)

    def advise(self, change: Subject) -> str:
        dtype = wider(change.dtype_before, change.dtype)
        named = f", `{jnp_dtype(dtype)}`" if dtype else " that holds the values of both"
        return f"Use one dtype in every call{named}; this may change the dtype of the results."

    def paste(self, cause: Recompiles) -> Paste | None:
        return one_dtype(cause)


def one_dtype(cause: Recompiles) -> Paste | None:
    """One snippet for all causes of the kind, since they may be at one call; or else for this one alone."""
    paths = [path for of_cause, _ in cause.of_kind for path in of_cause]
    rows = [row for _, of_cause in cause.of_kind for row in of_cause]
    return _one_dtype(paths, rows, cause.versions) or _one_dtype(cause.paths, cause.rows, cause.versions)


def _one_dtype(paths: Sequence[str], rows: Sequence[Compile], versions: Sequence[Compile]) -> Paste | None:
    wanted = {path: widest([leaf.dtype or "" for leaf in leaves_at(versions, path)]) for path in paths}
    if None in wanted.values() or not are_outputs_alike(rows):
        return None
    changed = [
        row
        for row in versions
        if any(leaf.dtype != wanted[leaf.path] or leaf.weak_type for leaf in leaves_of(row, wanted))
    ]
    dtypes = {path: f"jnp.{dtype}" for path, dtype in wanted.items()}
    leaves = [leaf for row in versions for leaf in leaves_of(row, wanted)]
    to = "{1}"
    if all(leaf.dtype == wanted[leaf.path] for leaf in leaves):  # only made strong: other calls keep their dtypes
        to = "jnp.result_type({0})" if any(leaf.type in _NUMBERS for leaf in leaves) else "{0}.dtype"
    return at_leaves(changed, dtypes, f"jnp.asarray({{0}}, dtype={to})", JNP, versions)


KIND = Dtype()
