"""`first`: the function had no compiled version yet."""

from ..subject import Subject
from .base import ReasonKind, Term


class First(ReasonKind):
    name = "first"
    is_judged_by_program = False
    can_be_mended = False
    term = Term(
        "The function had no compiled version yet. Each function compiles at its first call.",
        """\
f = jitviz.filter_jit(lambda x: x + 1)
f(jnp.ones(3))  # compiles""",
    )

    def say(self, change: Subject) -> str:
        if change.miss.is_retry:
            return f"`{change.function}` has no compiled version yet: the previous attempt failed"
        if change.miss.stage != "call":
            return f"`{change.function}` had no compiled version yet, and was requested ahead of time"
        return f"`{change.function}` was compiled for the first time"


KIND = First()
