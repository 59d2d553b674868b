"""`leaf_kind`: an array became a static value, or a static value an array."""

from collections.abc import Iterator

from ...model import Leaf
from ..arrays import aval_text
from ..change import Change
from ..pasting import JNP, Paste, at_leaves, leaves_at, leaves_of
from ..subject import Subject
from .base import ReasonKind, Recompiles, Term

_NUMBERS = ("int", "float", "complex")


class LeafKind(ReasonKind):
    name = "leaf_kind"
    form = "given"
    may_decide = True
    undoes = "leaf"
    has_values = True
    advice = "Make it an array in every call."
    term = Term(
        "A leaf that was traced is static now, or the reverse. For `filter_jit` an array is traced and a Python number "
        "is static.",
        """\
f = jitviz.filter_jit(lambda x, rate: x * rate)
f(jnp.ones(3), jnp.float32(0.1))  # compiles
f(jnp.ones(3), 0.1)  # compiles""",
    )

    def of_leaves(self, before: Leaf, after: Leaf) -> Iterator[Change]:
        if before.role == after.role:
            return
        static, traced = (before, after) if before.role == "static" else (after, before)
        yield Change(
            "leaf_kind",
            after.path,
            _text(before),
            _text(after),
            is_traced=after.role == "traced",
            type=static.type,
            dtype="" if traced.weak_type else traced.dtype or "",
        )

    def say(self, change: Subject) -> str:
        kinds = "a static value to an array" if change.is_traced else "an array to a static value"
        return f"`{change.path}` changed from {kinds}: {change.sides}"

    def paste(self, cause: Recompiles) -> Paste | None:
        """A number that is an array in other calls, converted."""
        wanted: dict[str, str] = {}
        for path in cause.paths:
            traced = [leaf for leaf in leaves_at(cause.versions, path) if leaf.role == "traced"]
            types = {(leaf.dtype, leaf.weak_type, leaf.shape) for leaf in traced}
            if len(types) != 1 or traced[0].shape != ():
                return None
            wanted[path] = "None" if traced[0].weak_type else f"jnp.{traced[0].dtype}"
        rows = [row for row in cause.versions if any(leaf.role == "static" for leaf in leaves_of(row, wanted))]
        static = [leaf for row in rows for leaf in leaves_of(row, wanted) if leaf.role == "static"]
        if any(leaf.type not in _NUMBERS or leaf.is_metadata for leaf in static):
            return None
        has_dtype = {*wanted.values()} != {"None"}
        return at_leaves(rows, wanted, "jnp.asarray({0}, dtype={1})" if has_dtype else "jnp.asarray({0})", JNP)


def _text(leaf: Leaf) -> str:
    return f"traced {aval_text(leaf)}" if leaf.role == "traced" else f"static {leaf.repr or leaf.type}"


KIND = LeafKind()
