"""`prng_key_type`: a PRNG key of another kind: a typed key, one of another implementation, or raw key data."""

from collections.abc import Iterator

from ...model import Leaf
from ..arrays import are_arrays, array_change, is_other_key_type
from ..change import Change
from ..pasting import TREE, Paste, are_outputs_alike, at_leaves, leaves_at, leaves_of
from ..subject import Subject
from .base import ReasonKind, Recompiles, Term

_OLDER = "Create every key with `jax.random.key(seed)`; `jax.random.PRNGKey(seed)` creates the older kind."
_OTHER = "Create every key with the same implementation: `jax.random.key(seed, impl=...)`."
_IMPLEMENTATIONS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}


class PrngKeyType(ReasonKind):
    name = "prng_key_type"
    form = "cast"
    undoes = "properties"
    undone = frozenset({"dtype", "shape"})
    has_values = True
    sentence = "`{path}` changed its kind of PRNG key from `{before}` to `{after}`"
    term = Term(
        "A PRNG key of the old kind (two integers) replaced one of the new kind, or the reverse. Make all keys with "
        "`jax.random.key`.",
        """\
f = jitviz.filter_jit(jax.random.key_data)
f(jax.random.key(0))  # compiles
f(jax.random.PRNGKey(0))  # compiles""",
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        if are_arrays(before, after) and is_other_key_type(before, after):
            yield array_change("prng_key_type", before, after)

    def advise(self, change: Subject) -> str:
        return _OLDER if "uint32" in (change.dtype_before, change.dtype) else _OTHER

    def paste(self, cause: Recompiles) -> Paste | None:
        kinds = {leaf.dtype or "" for leaf in leaves_at(cause.versions, cause.reason.path)} - {"uint32"}
        typed = kinds.pop() if len(kinds) == 1 else ""
        if typed not in _IMPLEMENTATIONS or not are_outputs_alike(cause.rows):
            return None
        rows = [row for row in cause.versions if any(leaf.dtype == "uint32" for leaf in leaves_of(row, cause.paths))]
        change = 'jax.random.wrap_key_data({0}, impl={1}) if {0}.dtype == "uint32" else {0}'
        return at_leaves(rows, dict.fromkeys(cause.paths, repr(_IMPLEMENTATIONS[typed])), change, TREE)


KIND = PrngKeyType()
