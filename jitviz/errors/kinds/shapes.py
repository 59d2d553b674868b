"""Shapes that do not fit together in one operation.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/jax.numpy.html
"""

import ast
import re

from ...jaxcompat.origins import aval_of, traced_from
from ...jaxcompat.texts.error_messages import is_name_of_wrapper, sizes_of
from ...model import listed
from ...model.raised import Raised
from ..blame import parts_of
from ..facts import Facts
from ..syntax import Spot, needed, operands

EXAMPLE = """
@jax.jit
def shift(w, x):
    return w + x

shift(jnp.ones((3, 2)), jnp.ones(3))
"""
INSTEAD = EXAMPLE.replace("return w + x", "return w + x[:, None]")

_TEXTS = (
    "ncompatible shapes", "contracting dimensions", "Cannot concatenate", "same shape", "cannot reshape",
    "equal shapes", "same rank", "dimensions must match", "matmul", "einsum", "must match", "cannot be broadcast",
    "conv_general_dilated", "Size of label", "ncompatible types for broadcasting",
)  # fmt: skip
_SHAPE = re.compile(r"\[(\d[\d,]*)?\]|\((\d[\d, ]*)?\)")
_NUMBER = re.compile(r"cannot reshape array of shape .*?\(size (\d+)\) into shape .*?\(size (\d+)\)")
_OF_JAX = re.compile(r"^\w+ (?:requires|got incompatible)|^Incompatible (?:shapes|types) for")
_MOST = 3
_EQUAL = "Make these sizes equal where the arrays are made, or reshape one of them."


def explain(facts: Facts) -> Raised | None:
    spot = facts.spot
    if not facts.is_a("TypeError", "ValueError") or not facts.says(*_TEXTS) or spot is None:
        return None
    given = list(named_arrays(spot))
    if not given or not _is_of_jax(facts):
        return None
    told = [f"`{text}` is {type_}" for text, type_ in given[:_MOST]]
    node = spot.node if isinstance(spot.node, ast.expr) else None
    operation = _operation(node)
    sizes = _NUMBER.search(facts.message)
    advice = f"Give sizes whose product is {sizes[1]}; those here make {sizes[2]}." if sizes else _advice(node, given)
    return Raised(
        path=given[-1][0],
        also=tuple(text for text, _ in given[:-1]),
        summary=f"Shapes do not fit in {operation}: {listed(told)}.",
        detail=_from_arguments(spot) or (facts.message.partition("\n")[0] if len(given) == 1 else ""),
        advice=advice,
    )


def _is_of_jax(facts: Facts) -> bool:
    steps = facts.steps[facts.steps.index(facts.users[-1]) + 1 :] if facts.users else ()
    return not steps or any(step.owner == "machinery" for step in steps) or _OF_JAX.search(facts.message) is not None


def named_arrays(spot: Spot) -> list[tuple[str, str]]:
    """The arrays that the expression names, each with its type."""
    found = [
        (text + path, type_)
        for node in (spot.node, needed(spot.node))
        for text, value in operands(node, spot.frame)
        for path, part in parts_of(value)
        if (type_ := aval_of(part)) and (node is not spot.node or not path)  # not all leaves of a model that is called
    ]
    return list(dict.fromkeys(found))


_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**"}


def _operation(node: ast.expr | None) -> str:
    if isinstance(node, ast.BinOp):
        return f"`{_OPERATORS.get(type(node.op), 'an operator')}`"
    if isinstance(node, ast.Call):
        return f"`{ast.unparse(node.func)}`"
    return "this operation"


def _from_arguments(spot: Spot) -> str:
    """Which arguments of the traced function the operands were computed from."""
    told = []
    for text, value in operands(spot.node, spot.frame):
        origin = traced_from(value)
        names = [name for name in origin.names if not is_name_of_wrapper(name)] if origin is not None else []
        if names and text not in names:
            told.append(f"`{text}` comes from {listed([f'`{name}`' for name in names[:_MOST]])}")
    return f"{'; '.join(told)}." if told else ""


def _advice(node: ast.expr | None, given: list[tuple[str, str]]) -> str:
    """One reshaping that makes two operands fit, where there is one; else what must be equal."""
    sized = [(name, sizes_of(type_)) for name, type_ in given]
    if isinstance(node, ast.BinOp) and len(sized) == 2:
        return _of_product(*sized) if isinstance(node.op, ast.MatMult) else _of_elements(*sized)
    if isinstance(node, ast.Call) and len(sized) == 2 and "concat" in ast.unparse(node.func):
        return _of_join(*sorted(sized, key=lambda each: len(each[1])))
    if isinstance(node, ast.Call) and len(sized) == 1:
        called = ast.unparse(node.func)
        batch = "" if "vmap(" in called else f"; if its first axis is a batch, write `jax.vmap({called})`"
        return f"Pass `{given[0][0]}` with the sizes that `{called}` was made for{batch}."
    return _EQUAL


def _of_elements(left: tuple[str, list[int]], right: tuple[str, list[int]]) -> str:
    for (name, sizes), (_, wanted) in ((right, left), (left, right)):
        if len(sizes) == 1 and len(wanted) == 2 and sizes[0] == wanted[0]:
            return f"Give `{name}` a last axis: `{name}[:, None]`, if each row has its own value."
        if sizes == wanted[::-1] and len(sizes) == 2:
            return f"Transpose one of them: `{name}.T`, if its axes are swapped."
    return "Make the sizes equal from the last axis on, or 1: print `.shape` where they are made."


def _of_product(left: tuple[str, list[int]], right: tuple[str, list[int]]) -> str:
    (one, sizes), (other, wanted) = left, right
    if len(wanted) == 2 and sizes and sizes[-1] == wanted[1]:
        return f"Transpose `{other}`: `{one} @ {other}.T`."
    if len(sizes) == 2 and wanted and sizes[0] == wanted[-2:][0]:
        return f"Transpose `{one}`: `{one}.T @ {other}`."
    if sizes and wanted and wanted[-1] == sizes[-2:][0]:
        return f"Swap them: `{other} @ {one}`."
    return f"The last axis of `{one}` ({sizes[-1] if sizes else 'none'}) must be as long as the first of `{other}`."


def _of_join(fewer: tuple[str, list[int]], more: tuple[str, list[int]]) -> str:
    (one, sizes), (other, wanted) = fewer, more
    if sizes not in (wanted[:-1], wanted[1:]):
        return _EQUAL
    return f"Give `{one}` as many axes as `{other}`: `{one}{'[:, None]' if sizes == wanted[:-1] else '[None]'}`."
