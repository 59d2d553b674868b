"""An assignment to an element of an array, or to a field of a frozen pytree: neither can be changed.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
"""

import ast

from ...jaxcompat import raw
from ...jaxcompat.equinox_internals import is_class_of_equinox
from ...model.raised import Raised
from .. import rewrite
from ..blame import blame, tracers
from ..facts import Facts
from ..sayings import told
from ..syntax import Spot, value_of

EXAMPLE = """
x = jnp.zeros(3)
x[0] = 1.0
"""
INSTEAD = EXAMPLE.replace("x[0] = 1.0", "x = x.at[0].set(1.0)")

_METHODS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


def explain(facts: Facts) -> Raised | None:
    if facts.is_a("FrozenInstanceError") and facts.spot is not None:
        return _of_field(facts.spot)
    if facts.is_a("ValueError") and facts.says("setting an array element with a sequence") and facts.spot is not None:
        return _of_numpy(facts, facts.spot)
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


def _of_numpy(facts: Facts, spot: Spot) -> Raised | None:
    """A traced value that is assigned to an element of an array of NumPy."""
    target, value = _target(spot.statement), getattr(spot.statement, "value", None)
    if target is None or not any(True for _ in tracers(facts, value)):
        return None
    array, jnp, found = ast.unparse(target.value), rewrite.jnp(spot), blame(facts, value)
    return told(
        found,
        f"`{array}` is an array of NumPy, which cannot hold a traced value.",
        f"Make `{array}` with `{jnp}`, and write `{_code(spot.statement, target)}`.",
        detail="",
    )


def _of_field(spot: Spot) -> Raised | None:
    """An assignment to a field of an Equinox module, or of a dataclass of Flax or Chex."""
    statement = spot.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    value = getattr(statement, "value", None)
    if not isinstance(target, ast.Attribute) or not isinstance(value, ast.expr):
        return None
    owner, kind = ast.unparse(target.value), type(value_of(target.value, spot.frame))
    new = ast.unparse(ast.BinOp(target, statement.op, value) if isinstance(statement, ast.AugAssign) else value)
    if is_class_of_equinox(kind):
        made = f"{rewrite.alias(spot, 'equinox', 'equinox')}.tree_at(lambda tree: tree.{target.attr}, {owner}, {new})"
    elif callable(raw.class_attribute(kind, "replace")) and raw.class_attribute(kind, "__dataclass_fields__"):
        made = f"{owner}.replace({target.attr}={new})"
    else:
        return None  # the user's own
    return Raised(
        path=f"{owner}.{target.attr}",
        summary=f"`{owner}.{target.attr}` is assigned, but `{raw.qualname(kind)}` is frozen: its fields stay.",
        advice=f"Make a new one, and return it: `{made}`.",
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
