"""A NaN or an infinity that `debug_nans` or `debug_infs` found.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/debugging/flags.html
"""

import ast
import re

from ...model.raised import Raised
from ..blame import blame
from ..facts import Facts
from ..syntax import operands

EXAMPLE = """
with jax.debug_nans(True):
    jax.jit(lambda x: jnp.log(x))(-jnp.ones(3))
"""
INSTEAD = EXAMPLE.replace("jnp.log(x)", "jnp.log(jnp.maximum(x, 1e-6))")

_FOUND = re.compile(r"invalid value \((\w+)\) encountered in (\S+)")
_GUARDS = {
    "log": "`jnp.log(jnp.maximum(x, tiny))`",
    "div": "a divisor that is not 0, as with `jnp.where(d == 0, 1, d)`",
    "sqrt": "`jnp.sqrt(jnp.maximum(x, 0))`",
    "pow": "a base that is not negative",
}


def explain(facts: Facts) -> Raised | None:
    found = _FOUND.search(facts.message)
    if not facts.is_a("FloatingPointError") or found is None:
        return None
    value, operation = ("NaN" if found[1] == "nan" else "an infinity"), found[2].strip("`.,")
    names = _operands(facts)
    who = blame(facts)
    path = who.path or (names[0] if names else "")
    guard = _GUARDS.get(operation)
    look = "Look at its inputs with `jax.debug.print`: the first bad one is the cause."
    return Raised(
        function=who.function,
        path=path,
        also=tuple(name for name in dict.fromkeys(names) if name != path),
        summary=f"`{operation}` made {value} here{f', from `{path}`' if path else ''}.",
        detail="JAX ran the operations one by one to find it.",
        advice=f"Write {guard}; or look at the input with `jax.debug.print`." if guard else look,
    )


def _operands(facts: Facts) -> list[str]:
    """What the line names, the divisor of a division first."""
    spot = facts.spot
    if spot is None:
        return []
    node = spot.node
    parts = [node.right, node.left] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else [node]
    return [text for part in parts for text, value in operands(part, spot.frame) if not callable(value)]
