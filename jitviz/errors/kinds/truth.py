"""A truth test of an array with several elements, in a trace or outside.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://github.com/jax-ml/jax/blob/main/jax/_src/core.py
"""

import ast

from ...jaxcompat.origins import aval_of
from ...jaxcompat.tracing import is_tracer
from ...model.raised import Raised
from .. import rewrite
from ..blame import blame
from ..facts import Facts
from ..sayings import told
from ..syntax import operands
from .branch import condition_at, instead_of

EXAMPLE = """
x = jnp.array([1.0, -2.0])
if x > 0:
    x = jnp.log(x)
"""
INSTEAD = EXAMPLE.replace("x > 0", "(x > 0).all()")


def explain(facts: Facts) -> Raised | None:
    if not facts.says("truth value of an array") or not facts.is_a("ValueError") or facts.spot is None:
        return None
    spot = facts.spot
    test = condition_at(spot)
    arrays = [(text, value, type_) for text, value in operands(test, spot.frame) if (type_ := aval_of(value))]
    several = [(text, type_) for text, _, type_ in arrays if not type_.endswith("[]")]
    if not several:
        return None  # NumPy raises the same
    text, type_ = several[0]
    summary = f"A truth test needs one value, but `{text}` is {type_}."
    if any(is_tracer(value) for _, value, _ in arrays):
        found = blame(facts, test)
        advice = f"Write `{rewrite.jnp(spot)}.where`, which decides for each element."
        return told(found, summary, advice, instead_of(facts)[2], detail="")
    part, each = _tested(test)
    return Raised(
        path=text,
        also=tuple(other for other, _ in several[1:]),
        summary=summary,
        advice=f"Say which is meant{each}: `{part}.all()` or `{part}.any()`.",
    )


def _tested(node: ast.AST | None) -> tuple[str, str]:
    """What Python asked for its truth, and whether it asks others of the same expression."""
    if isinstance(node, ast.BoolOp):
        return _tested(node.values[0])[0], f" in each part of the `{'and' if isinstance(node.op, ast.And) else 'or'}`"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _tested(node.operand)
    text = rewrite.unparse(node) if node is not None else "condition"
    return (text if isinstance(node, ast.Name | ast.Attribute | ast.Call) else f"({text})"), ""
