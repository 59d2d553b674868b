"""`shape`: the sizes or the number of axes of an array changed; of keys, how many they are."""

from collections.abc import Iterator
from dataclasses import replace

from ...model import Leaf
from ..arrays import are_arrays, array_change, is_other_key_type, key_shape
from ..change import Change
from ..pasting import JNP, Paste, are_outputs_alike, at_leaves, leaves_at, leaves_of
from ..subject import Subject
from .base import ReasonKind, Recompiles, Term

_FEW_SIZES = "keep the number of different sizes small"


class Shape(ReasonKind):
    name = "shape"
    form = "array"
    group = "array"
    undoes = "properties"
    undone = frozenset({"shape"})
    has_values = True
    is_at_the_call = True
    sentence = "`{path}` changed its shape from {before} to {after}"
    term = Term(
        "The sizes of an array's axes are part of its aval, so a different shape needs a different version. If shapes "
        "vary, pad them to a few sizes.",
        """\
f = jitviz.filter_jit(lambda x: x.sum())
f(jnp.ones(3))  # compiles
f(jnp.ones(4))  # compiles""",
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        if not are_arrays(before, after):
            return
        change = array_change("shape", before, after)
        if is_other_key_type(before, after):
            change = replace(change, shape_before=key_shape(before), shape=key_shape(after))
        if change.shape_before != change.shape:
            yield change

    def advise(self, change: Subject) -> str:
        if change.is_only_shape:
            return "Nothing to fix if you need both: each of these lines always uses one shape."
        is_other_rank = len(change.shape_before) != len(change.shape)
        if change.dtype.startswith("key<") or change.dtype_before.startswith("key<"):
            if is_other_rank:
                return "Use one rank in every call: always a single key, or always an array of keys."
            return "Split into the same number of keys in every call, and leave out those that you do not need."
        if is_other_rank:
            return "Use the same rank in every call."
        difference = change.judgement.difference
        if difference is not None and difference.obstacle:
            return f"Padding changes the result, since the program has {difference.obstacle}: {_FEW_SIZES}."
        if change.is_of_users_call:
            return f"Padding may change the result, since nobody can mask it inside a library's function: {_FEW_SIZES}."
        return "Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding."

    def paste(self, cause: Recompiles) -> Paste | None:
        """Axes of size one, added or removed."""
        shapes = {path: [leaf.shape or () for leaf in leaves_at(cause.rows[-1:], path)] for path in cause.paths}
        if not all(shapes.values()) or not are_outputs_alike(cause.rows):
            return None
        wanted = {path: of_leaf[0] for path, of_leaf in shapes.items()}
        rows = [
            row for row in cause.versions if any(leaf.shape != wanted[leaf.path] for leaf in leaves_of(row, wanted))
        ]
        pairs = [(leaf.shape or (), wanted[leaf.path]) for row in rows for leaf in leaves_of(row, wanted)]
        if any([n for n in shape if n != 1] != [n for n in other if n != 1] for shape, other in pairs):
            return None
        return at_leaves(rows, {path: str(shape) for path, shape in wanted.items()}, "jnp.reshape({0}, {1})", JNP)


KIND = Shape()
