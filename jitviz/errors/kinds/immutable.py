"""An assignment to an element of an array: arrays cannot be changed.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
"""

import ast

from ...model.raised import Raised
from ..facts import Facts

EXAMPLE = """
x = jnp.zeros(3)
x[0] = 1.0
"""
INSTEAD = """
x = jnp.zeros(3)
x = x.at[0].set(1.0)
"""

_METHODS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


def explain(facts: Facts) -> Raised | None:
    if not (facts.is_a("TypeError") and facts.says("JAX arrays are immutable", "does not support item assignment")):
        return None
    spot = facts.spot
    statement = spot.statement if spot is not None else None
    target = _target(statement)
    if target is None or not (facts.says("JAX") or facts.says("Tracer", "ArrayImpl")):
        return None
    array = ast.unparse(target.value)
    code = _code(statement, target)
    return Raised(
        path=array,
        summary=f"`{ast.unparse(target)}` is assigned, but a jax array such as `{array}` cannot be changed.",
        advice=f"Write `{code}`, which makes a new array."
        if code
        else "Write `x = x.at[i].set(y)`, which makes a new array.",
        code=code,
    )


def _target(statement: ast.stmt | None) -> ast.Subscript | None:
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [statement.target]
        if isinstance(statement, ast.AugAssign)
        else []
    )
    return next((each for each in targets if isinstance(each, ast.Subscript)), None)


def _code(statement: ast.stmt | None, target: ast.Subscript) -> str:
    array, index = ast.unparse(target.value), ast.unparse(target.slice)
    if isinstance(statement, ast.AugAssign):
        method = _METHODS.get(type(statement.op))
        return f"{array} = {array}.at[{index}].{method}({ast.unparse(statement.value)})" if method else ""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return f"{array} = {array}.at[{index}].set({ast.unparse(statement.value)})"
    return ""
