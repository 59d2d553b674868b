"""`transform`: the jitted function was differentiated or batched from outside, eagerly.

JAX then compiles its forward, backward or batched program.
"""

from collections.abc import Iterator

from ...model import Miss, last_name
from ..change import Change
from ..subject import Subject, quote
from .base import ReasonKind, Term

_PROGRAMS = {
    "jvp": "its program for directional derivatives",
    "linearize": "its forward program for differentiation",
    "jax.linearize": "its forward program for `jax.linearize`",
    "linearized": "its linear program",
    "transpose": "its backward program",
    "vmap": "its batched program",
    "call": "its plain program",
}
_JVP = "lambda primals, tangents: jax.jvp({}, primals, tangents)"  # which transforms at once, unlike the others
_OUTSIDE = {"vmap": "jax.vmap({})", "jvp": _JVP, "linearize": "jax.grad({})", "transpose": "jax.grad({})"}


class Transform(ReasonKind):
    name = "transform"
    is_judged_by_program = False
    can_be_mended = False
    is_always_advised = True
    term = Term(
        "The jitted function was differentiated or batched from outside, which needs a different program. Jit the "
        "gradient instead of taking the gradient of a jitted function.",
        """\
f = jax.jit(lambda x: x ** 2)
f(1.0)  # compiles
jax.grad(f)(1.0)  # compiles; jax.jit(jax.grad(f)) is one program""",
    )

    def of_misses(self, before: Miss, after: Miss) -> Iterator[Change]:
        if before.transform != after.transform:
            yield Change("transform", "", before.transform or "call", after.transform or "call")

    def say(self, change: Subject) -> str:
        words, _, arguments = change.after.partition(", by ")
        program = _PROGRAMS.get(words, f"its program for {quote(words)}")
        program += f" by {' and '.join(map(quote, arguments.split(' and ')))}" if arguments else ""
        if change.after == "call":
            return f"`{change.function}` was called by itself, and {program} was compiled for the first time"
        what = "created again, as at every such call" if change.event == "anew" else "compiled for the first time"
        return f"`{change.function}` was transformed from outside, and {program} was {what}"

    def advise(self, change: Subject) -> str:
        around = _OUTSIDE.get(change.after.partition(",")[0])
        if change.after == "call":
            return "Nothing to fix: the plain program differs from those of its transforms."
        fine = "" if change.is_avoidable else "Nothing to fix. "
        if around is None:
            return f"{fine}To get one program for all of it, apply `jax.jit` around the outermost transformation."
        name = last_name(change.function)
        inside = around.format(name if name.isidentifier() else "...")
        return f"{fine}To get one program, jit outside the transform, as in `jax.jit({inside})`."


KIND = Transform()
