"""A result whose size depends on the values of an array: a boolean mask, `nonzero`, `unique`.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.NonConcreteBooleanIndexError
"""

import ast

from ...jaxcompat.origins import aval_of
from ...jaxcompat.texts.error_messages import mask_type, rank_of
from ...model.python_text import copied
from ...model.raised import Raised
from .. import rewrite
from ..blame import blame
from ..facts import Facts
from ..sayings import told
from ..syntax import Spot, calls_in, names_in, needed, value_of

EXAMPLE = """
@jax.jit
def positive_sum(x):
    return x[x > 0].sum()

positive_sum(jnp.arange(3.0) - 1)
"""
INSTEAD = EXAMPLE.replace("x[x > 0].sum()", "jnp.where(x > 0, x, 0).sum()")

_SUMS = ("sum", "any", "all", "max", "min", "mean", "prod", "std", "var")
_OPPOSITE = {"max": "min", "min": "max"}  # whose result of all elements changes no other
_FILL = {"sum": "0", "any": "False", "all": "True", "prod": "1"}


def explain(facts: Facts) -> Raised | None:
    spot = facts.spot
    if spot is None:
        return None
    if facts.is_a("NonConcreteBooleanIndexError"):
        return _of_mask(facts, spot)
    if facts.is_a("ConcretizationTypeError") and facts.says(
        "size argument", "the size", "jnp.unique", "`size`", "static `length`"
    ):
        return _of_search(facts, spot)
    return None


def _of_mask(facts: Facts, spot: Spot) -> Raised:
    node = spot.inside(ast.Subscript)
    found = blame(facts, needed(node))
    jnp, text = rewrite.jnp(spot), f"`{ast.unparse(node)}`" if node is not None else "A boolean mask"
    code, advice = _where(spot, node, jnp, rank_of(mask_type(facts.message)))
    return told(found, f"{text} has as many elements as the mask has true values: no fixed size.", advice, code)


def _where(spot: Spot, node: ast.AST | None, jnp: str, rank: int) -> tuple[str, str]:
    """The mask as `jnp.where`: in the sum around it, or in an assignment `x[mask] = y`."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Tuple):
        return "", f"Write `{jnp}.where` with the mask, which keeps the shape."
    array, mask = ast.unparse(node.value), _aligned(node, spot, rank)
    kept = _kept(spot, ast.unparse(node.slice), mask, jnp)
    if kept is not None:
        return rewrite.with_expression(spot, *kept), (
            f"Write `{kept[1]}`, which keeps the shape.")  # fmt: skip
    reduced = _reduced(spot, node, mask, jnp)
    if reduced is not None:
        return rewrite.with_expression(spot, *reduced), f"Write `{reduced[1]}`, which keeps the shape."
    name = _reduction_later(spot)
    if name:
        call = (
            f"{jnp}.{name}({jnp}.where({mask}, ..., {_FILL[name]}))"
            if name in _FILL
            else _with_mask(jnp, name, "...", mask, [])
        )
        return "", f"Keep all of `{array}`, and give the mask to the reduction: `{call}`."
    return "", (f"Keep the shape: `{jnp}.where({mask}, {array}, fill)`, with a `fill` that what follows ignores; "
                "or select outside the jitted function.")  # fmt: skip


def _reduced(spot: Spot, node: ast.Subscript, mask: str, jnp: str) -> tuple[ast.expr, str] | None:
    """What to replace, and by what, where an expression of the selected elements is summed or reduced: all elements,
    and the mask in the reduction."""
    outer, whole = _reduction(spot, node)
    if outer is None:
        return None
    name, all_of = (
        rewrite.called_name(outer).rpartition(".")[2],
        ast.unparse(_Whole(ast.dump(node.slice)).visit(copied(whole))),
    )
    if name in _FILL:
        return whole, f"{jnp}.where({mask}, {all_of}, {_FILL[name]})"
    parts = [ast.unparse(each) for each in outer.args if each is not whole]
    parts += [f"{each.arg}={ast.unparse(each.value)}" for each in outer.keywords]
    return outer, _with_mask(jnp, name, all_of, mask, parts)


def _reduction(spot: Spot, node: ast.Subscript) -> tuple[ast.Call | None, ast.expr]:
    """The reduction around a node, and what it reduces, which is computed element by element."""
    whole: ast.expr = node
    for outer in spot.around[spot.around.index(node) + 1 if node in spot.around else 0 :]:
        if isinstance(outer, ast.BinOp | ast.UnaryOp | ast.Compare):
            whole = outer
        elif isinstance(outer, ast.Call) and rewrite.called_name(outer).rpartition(".")[2] in _SUMS:
            of = outer.func.value if isinstance(outer.func, ast.Attribute) else None
            return (outer if whole in (of, *outer.args[:1]) else None), whole
        elif not isinstance(outer, ast.Attribute):
            break
    return None, whole


class _Whole(ast.NodeTransformer):
    """`x` in place of `x[mask]`."""

    def __init__(self, mask: str) -> None:
        self.mask = mask

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:  # the name is ast's
        return node.value if ast.dump(node.slice) == self.mask else node


def _reduction_later(spot: Spot) -> str:
    """The name of the first reduction of what the statement assigns to: "max" of `kept.max()`."""
    target = ast.unparse(spot.statement.targets[0]) if isinstance(spot.statement, ast.Assign) else ""
    calls = (call for after in rewrite.following(spot) for call in calls_in(after) if target in names_in(call))
    return next((name for call in calls if (name := rewrite.called_name(call).rpartition(".")[2]) in _SUMS), "")


def _with_mask(jnp: str, name: str, array: str, mask: str, options: list[str]) -> str:
    """A reduction of the elements under a mask."""
    initial = [f"initial={jnp}.{_OPPOSITE[name]}({array})"] if name in _OPPOSITE else []
    return f"{jnp}.{name}({', '.join([array, *options, f'where={mask}', *initial])})"


def _aligned(node: ast.Subscript, spot: Spot, rank: int) -> str:
    """The mask with an axis of size 1 for each that the array has and it has not: `mask[:, None]`."""
    array, mask = value_of(node.value, spot.frame), node.slice
    more = rank_of(aval_of(array)) - rank if aval_of(array) else 0
    if more <= 0:
        return ast.unparse(mask)
    text = ast.unparse(mask) if isinstance(mask, ast.Name | ast.Attribute) else f"({ast.unparse(mask)})"
    return f"{text}[{', '.join([':'] * rank + ['None'] * more)}]"


def _kept(spot: Spot, index: str, mask: str, jnp: str) -> tuple[ast.Call, str] | None:
    """`x.at[mask].set(y[mask])` around the spot, and the same as `jnp.where(mask, y, x)`."""
    for call in (each for each in spot.around if isinstance(each, ast.Call) and len(each.args) == 1):
        at, value = call.func, call.args[0]
        array = ast.unparse(at).removesuffix(f".at[{index}].set")
        if isinstance(value, ast.Subscript) and ast.unparse(value.slice) == index and array != ast.unparse(at):
            return call, f"{jnp}.where({mask}, {ast.unparse(value.value)}, {array})"
    return None


def _of_search(facts: Facts, spot: Spot) -> Raised:
    call = spot.inside(ast.Call)
    found = blame(facts, call)
    name = rewrite.called_name(call) or "This function"
    short, option = name.rpartition(".")[2], "length" if facts.says("`length`") else "size"
    if short == "where" or short == "argwhere" or short in ("nonzero", "flatnonzero"):
        keep = f"keep the mask, and use `{rewrite.jnp(spot)}.where(mask, a, b)`"
        advice = f"Give it a fixed size: `size=n`, with `fill_value=`; or {keep}."
    else:
        advice = f"Give it a fixed size: `{option}=n`, the most values that can occur; missing ones are filled."
    return told(found, f"`{name}` returns as many elements as the values of the array ask for: no fixed size.", advice)
