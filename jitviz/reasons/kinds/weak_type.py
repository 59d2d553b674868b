"""`weak_type`: the dtype of a leaf came from a Python number in one call, and not in the other."""

from collections.abc import Iterator

from ...model import Leaf
from ..arrays import are_arrays, array_change, is_other_key_type
from ..change import Change
from ..pasting import Paste, leaves_at
from ..subject import Subject, jnp_dtype
from .base import ReasonKind, Recompiles, Term
from .dtype import one_dtype

_MANY = 2  # with this many other such leaves in one argument, the advice is about the argument


class WeakType(ReasonKind):
    name = "weak_type"
    form = "cast"
    group = "array"
    undoes = "properties"
    undone = frozenset({"weak_type"})
    has_values = True
    term = Term(
        "The dtype came from a Python number, and gives way to that of any array it is combined with. The same dtype "
        "needs a different version if it is weak in one call and not in the next.",
        """\
f = jax.jit(lambda x: x + 1)
f(1.0)  # compiles for a weak f32
f(jnp.float32(1))  # compiles""",
        also=("weakly typed",),
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        is_other_weakness = are_arrays(before, after) and before.weak_type != after.weak_type
        if is_other_weakness and not is_other_key_type(before, after):
            yield array_change("weak_type", before, after)

    def say(self, change: Subject) -> str:
        weak = "weakly typed, like a Python number"
        was, now = ("strongly typed", weak) if change.is_weak else (weak, "strongly typed")
        return f"`{change.path}` changed from {change.before} ({was}) to {change.after} ({now})"

    def advise(self, change: Subject) -> str:
        dtype = jnp_dtype(change.dtype)
        if change.is_weak:
            return f"Pass an array of dtype `{dtype}` instead of a Python number or a result computed from one."
        if change.beside >= _MANY:
            return f"Give all leaves of `{change.root}` an explicit dtype before the first call."
        return f"Create it with the explicit dtype `{dtype}`."

    def paste(self, cause: Recompiles) -> Paste | None:
        """The dtype that the leaves always have, made strong."""
        has_one = all(len({leaf.dtype for leaf in leaves_at(cause.versions, path)}) == 1 for path in cause.paths)
        return one_dtype(cause) if has_one else None


KIND = WeakType()
