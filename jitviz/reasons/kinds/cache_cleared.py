"""`cache_cleared`: the same arguments were compiled for before, and then JAX's caches were cleared."""

from ...model import last_name
from ..subject import Subject
from .base import ReasonKind, Term


class CacheCleared(ReasonKind):
    name = "cache_cleared"
    is_judged_by_program = False
    can_be_mended = False
    term = Term(
        "JAX's caches were cleared, so JAX compiled the same program again. Clear them in tests, not in a loop.",
        """\
f = jax.jit(lambda x: x + 1)
f(1.0); f.clear_cache()
f(1.0)  # compiles""",
    )

    def say(self, change: Subject) -> str:
        is_own = change.miss.cleared == "function"
        what = "`clear_cache()` has been called" if is_own else "JAX's caches have been cleared"
        return f"`{change.function}` was compiled for the same arguments before, but {what} since"

    def advise(self, change: Subject) -> str:
        is_own = change.miss.cleared == "function"
        call = f"{last_name(change.function)}.clear_cache()" if is_own else "jax.clear_caches()"
        return f"Don't call `{call}` in code that runs repeatedly."


KIND = CacheCleared()
