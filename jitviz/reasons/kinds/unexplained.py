"""`unexplained`: what jitviz saw does not explain why JAX compiled. Both sides are shown, and nothing is guessed."""

from ..subject import Subject
from .base import ReasonKind, Term


class Unexplained(ReasonKind):
    name = "unexplained"
    can_be_mended = False
    term = Term(
        "What jitviz saw does not explain why JAX compiled. The panel shows both sides, and does not guess.",
        """\
f = jax.jit(lambda x: x + 1)
with jitviz.record() as rec: f(1.0)
print(jitviz.explain(rec))""",
    )

    def say(self, change: Subject) -> str:
        if change.is_unwatched:
            unknown = "so what changed since then is not known"
            return f"`{change.function}` was compiled before jitviz started to watch, {unknown}"
        hidden = ", ".join(change.hidden)
        more = f"; there may be more to `{hidden}` than jitviz can see" if hidden else ""
        note = f" ({change.miss.signature.note})" if change.miss.signature.note else ""
        before = f"because `{change.function}` was compiled for the same arguments and settings before"
        return f"expected a hit, {before}; observed: {change.after}{more}{note}"

    def advise(self, change: Subject) -> str:
        if change.is_unwatched:
            return "To see the reason, load jitviz, or begin to `record` or `watch`, before the first call."
        return (
            "If this happens at every call, save the recording and report it: JAX saw a difference that jitviz did not."
        )


KIND = Unexplained()
