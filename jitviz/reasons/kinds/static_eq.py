"""`static_eq`: a static value that no cache can find again: it has a hash without a usable `==`, or is NaN."""

from ..pasting import Paste
from ..subject import Subject
from .base import ReasonKind, Recompiles, Term
from .static_identity import compared_by_content, owner_of


class StaticEq(ReasonKind):
    name = "static_eq"
    is_static = True
    is_anew = True
    undoes = "leaf"
    is_left_by_content = True
    term = Term(
        "A static value that no cache can find again, because its hash and == do not agree. Define both on its class, "
        "over the same fields; NaN equals nothing, so pass it as an array.",
        """\
f = jitviz.filter_jit(lambda x, y: x + y)
for _ in range(2):
    f(jnp.ones(3), float('nan'))  # compiles""",
    )

    def say(self, change: Subject) -> str:
        kind = f"`{change.class_name}`"
        if change.equality == "never":
            return f"`{change.path}` is static and NaN, and NaN equals nothing, not even itself"
        changed = f"{owner_of(change)} changed to a new {kind} with the same content"
        if change.equality == "hash_only":
            return f"{changed}, and {kind} has `__hash__` but no `__eq__`: no two instances are equal"
        return f"{changed}, but the `__eq__` of {kind} does not treat them as equal"

    def advise(self, change: Subject) -> str:
        kind = change.class_name
        if change.equality == "never":
            once = "Create the NaN once and pass the same object to every call"
            if change.leaf:
                once = "Use None in place of it"
            return f"{once}, or make `{change.name}` traced and pass `jnp.asarray(jnp.nan)`."
        if change.equality == "hash_only":
            return f"Define `__eq__` in `{kind}` as well, comparing the same fields that `__hash__` uses."
        return f"Make `{kind}.__eq__` return True for equal content, and make `__hash__` consistent with it."

    def paste(self, cause: Recompiles) -> Paste | None:
        return compared_by_content(cause)


KIND = StaticEq()
