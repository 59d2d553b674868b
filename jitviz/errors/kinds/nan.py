"""A NaN or an infinity that `debug_nans` or `debug_infs` found.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/debugging/flags.html
"""

import ast
import re

from ...model.raised import Raised
from .. import rewrite
from ..blame import blame
from ..facts import Facts
from ..syntax import Spot, operands

EXAMPLE = """
with jax.debug_nans(True):
    jax.jit(lambda x: jnp.log(x))(-jnp.ones(3))
"""
INSTEAD = EXAMPLE.replace("jnp.log(x)", "jnp.log(jnp.maximum(x, 1e-6))")

_FOUND = re.compile(r"invalid value \((\w+)\) encountered in (\S+)")
_GUARDS = {
    "log": "`jnp.maximum(x, tiny)` in place of the `x` of `log`",
    "sqrt": "`jnp.maximum(x, 0)` in place of the `x` of `sqrt`",
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
    guard = _guard(facts.spot, operation)
    look = "Look at its inputs with `jax.debug.print`: the first bad one is the cause."
    return Raised(
        function=who.function,
        path=path,
        also=tuple(name for name in dict.fromkeys(names) if name != path),
        summary=f"`{operation}` made {value} here{f', from `{path}`' if path else ''}.",
        detail="JAX ran the operations one by one to find it.",
        advice=f"Write {guard}; or look at the input with `jax.debug.print`." if guard else look,
    )


def _guard(spot: Spot | None, operation: str) -> str:
    """What to give the operation that has no value, in the words of the line: that of a `log` in a product, if any."""
    nodes = list(ast.walk(spot.node)) if spot is not None and spot.node is not None else []
    divisions = [node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    if operation == "div" and divisions:
        divisor = ast.unparse(divisions[0])
        return f"a divisor that is not 0: `jnp.where({divisor} == 0, 1, {divisor})`"
    for call in (node for node in nodes if isinstance(node, ast.Call) and len(node.args) == 1):
        name, of = rewrite.called_name(call).rpartition(".")[2], ast.unparse(call.args[0])
        if name in ("log", "sqrt") and operation in (name, "mul", "add", "sub"):
            return f"`jnp.{name}(jnp.where({of} > 0, {of}, 1))`"
    return _GUARDS.get(operation, "")


def _operands(facts: Facts) -> list[str]:
    """What the line names, the divisor of a division first."""
    spot = facts.spot
    if spot is None:
        return []
    node = spot.node
    parts = [node.right, node.left] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else [node]
    return [text for part in parts for text, value in operands(part, spot.frame) if not callable(value)]
