"""Dtypes that strict promotion does not mix.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/type_promotion.html#strict-dtype-promotion
"""

import ast
import re

from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import short_type
from ...model import listed
from ...model.raised import Raised
from ..blame import Blame, blame
from ..facts import Facts
from ..syntax import MISSING, Spot, value_of

EXAMPLE = """
with jax.numpy_dtype_promotion('strict'):
    jnp.ones(3) + jnp.arange(3)
"""
INSTEAD = EXAMPLE.replace("arange(3)", "arange(3).astype('float32')")

_MOST = 3  # operands that are told
_DTYPES = re.compile(r"Input dtypes \((.*?)\)")


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("TypePromotionError") and not facts.says("no available implicit dtype promotion path"):
        return None
    found = _DTYPES.search(facts.message)
    dtypes = sorted(part.strip().strip("'") for part in found[1].split(",")) if found else []  # JAX's are in any order
    widest = next((each for each in dtypes if each.startswith(("float", "bfloat", "complex"))), "".join(dtypes[:1]))
    mixed = {"", *map(short_type, dtypes)}
    given = [(node, type_) for node, type_ in _given(facts.spot) if _dtype(type_) in mixed]
    other = _other(given, short_type(widest))
    text = ast.unparse(other) if other is not None else ""
    blamed = blame(facts, other) if other is not None else Blame()
    told = [f"`{ast.unparse(node)}` is {type_}" for node, type_ in given[:_MOST] if type_]
    operand = f"({text})" if isinstance(other, ast.BinOp | ast.UnaryOp | ast.Compare) else text
    return Raised(
        function=blamed.function,
        path=blamed.path or text,
        also=blamed.paths[1:],
        summary=f"Strict promotion does not mix {listed(told) if len(told) > 1 else listed(dtypes)}.",
        advice=f"Convert one{f': `{operand}' if text else ' with `'}.astype('{widest}')`.",
    )


def _given(spot: Spot | None) -> list[tuple[ast.expr, str]]:
    """The operands of the operation, each with its type, "" where only code could tell."""
    if spot is None:
        return []
    node = spot.node
    parts = [node.left, node.right] if isinstance(node, ast.BinOp) else node.args if isinstance(node, ast.Call) else []
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    values = [(part, value_of(part, spot.frame)) for part in parts if not isinstance(part, ast.Constant)]
    return [(part, aval_of(value)) for part, value in values if value is MISSING or aval_of(value)]


def _other(given: list[tuple[ast.expr, str]], widest: str) -> ast.expr | None:
    """The operand to convert: one of another dtype, or the only one of unknown dtype."""
    others = [node for node, type_ in given if type_ and _dtype(type_) != widest]
    unknown = [node for node, type_ in given if not type_]
    return next(iter(others or (unknown if len(unknown) == 1 else [])), None)


def _dtype(type_: str) -> str:
    return type_.partition("[")[0]
