"""An exception in a Python function that a running program called, or a result of it that does not fit.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/external-callbacks.html
"""

import ast
import re

from ...model.raised import Raised
from ..calls import calls_of, user_frame_in
from ..facts import Facts

EXAMPLE = """
def host(x):
    return np.ones(4, np.float32)

@jax.jit
def step(x):
    return jax.pure_callback(host, jax.ShapeDtypeStruct((3,), jnp.float32), x)

jax.block_until_ready(step(jnp.ones(3)))
"""
INSTEAD = EXAMPLE.replace("np.ones(4", "np.ones(3")

_CALLBACKS = ("pure_callback", "io_callback", "callback")
_SHAPE = re.compile(r"Incorrect output (shape|dtype) for return value #(\d+): Expected: (.+?), Actual: ([^\n]+)")


def explain(facts: Facts) -> Raised | None:
    if not facts.says("calling callback", "CpuCallback error", "callback failed"):
        return None
    shape = _SHAPE.search(facts.message)
    at, line, function = user_frame_in(facts.message)
    last = facts.message.strip().rpartition("\n")[2].strip()
    if shape is not None:
        function, at = _only_callback(facts)
        who = f" `{function}`" if function else ""
        return Raised(
            function=function,
            origin=at,
            path=f"out[{shape[2]}]" if shape[2] != "0" else "out",
            summary=f"The callback{who} returned {shape[1]} {shape[4].strip()}, but {shape[3].strip()} was declared.",
            advice="Return what the `jax.ShapeDtypeStruct` says, or declare there what the function returns.",
        )
    if not at:
        return None
    return Raised(
        source=at,
        line=line,
        function=function,
        origin=at,
        summary=f"The callback `{function}` raised {last.partition(':')[0]} at {at}.",
        detail=f"It says: {last}. A running program called it, so the traceback ends at the call of the program.",
        advice=f"Mend `{function}`: it gets NumPy or jax arrays, and no tracers.",
    )


def _only_callback(facts: Facts) -> tuple[str, str]:
    """The function that the user's file calls back, and the line that says so, if there is one alone."""
    found = list(calls_of(facts, *_CALLBACKS))
    return (ast.unparse(found[0][0].args[0]), found[0][1]) if len(found) == 1 else ("", "")
