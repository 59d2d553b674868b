"""A size that depends on a traced value: of `jnp.arange`, `zeros`, `reshape`, a slice, the length of a Python loop.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError
"""

import ast

from ...model.raised import Raised
from .. import rewrite
from ..blame import Blame, blame, static_argument
from ..calls import constant_or_value
from ..facts import Facts
from ..sayings import needs, told, why
from ..syntax import Spot, needed

EXAMPLE = """
@jax.jit
def ramp(x, n):
    return x.sum() + jnp.arange(n)

ramp(jnp.ones(3), 4)
"""
INSTEAD = EXAMPLE.replace("@jax.jit", "@functools.partial(jax.jit, static_argnames=('n',))")

_SIZED = (
    "jnp.arange argument", "Shapes must be 1D sequences", "Slice entries must be static", "jnp.linspace", "'num'",
    "`num`", "`num_classes`", "slice indices must have static", "argument of jnp.eye", "The number of steps",
    "repeats must be", "pad_width", "parameters to jaxpr equations must have __hash__",
)  # fmt: skip
SIZED_BELOW = ("arange", "linspace", "zeros", "ones", "full", "empty", "eye", "reshape", "broadcast_to", "tile", "tri")
_SIZES_ALONE = ("arange", "empty", "eye", "ones", "range", "reshape", "tri", "zeros")  # of each integer that they get


def explain(facts: Facts) -> Raised | None:
    spot = facts.spot
    if spot is None or not _is_size(facts, spot):
        return None
    node = spot.inside(ast.Subscript, ast.Call) or spot.node
    found = blame(facts, needed(node), are_sizes=rewrite.called_name(node).rpartition(".")[2] in _SIZES_ALONE)
    what = _what(facts, spot)
    summary = needs(f"The size in {what}" if what else "A size", found)
    detail = f"{why(found)} A size is part of the program, so it must be static.".strip()
    return told(found, summary, *_advice(facts, spot, found), detail)


def _is_size(facts: Facts, spot: Spot) -> bool:
    if facts.says(*_SIZED):
        return facts.says("Tracer", "tracer", "traced")
    if facts.is_a("TracerIntegerConversionError"):
        return rewrite.called_name(spot.inside(ast.Call)) == "range" or _is_repeat(spot)
    return facts.is_a("ConcretizationTypeError") and any(name.lstrip("_") in SIZED_BELOW for name in facts.below[:2])


def _is_repeat(spot: Spot) -> bool:
    return isinstance(spot.node, ast.BinOp) and isinstance(spot.node.left, ast.List | ast.Tuple | ast.Constant)


def _what(facts: Facts, spot: Spot) -> str:
    if facts.says("lice"):
        node = spot.inside(ast.Subscript)
        return f"`{ast.unparse(node)}`" if node is not None else "a slice"
    name = rewrite.called_name(spot.inside(ast.Call))
    return f"`{name}`" if name else ""


def _advice(facts: Facts, spot: Spot, found: Blame) -> tuple[str, str]:
    """What to write instead, and the line rewritten."""
    if facts.says("total_repeat_length"):
        return f"Give it a fixed length: `total_repeat_length=n`, the sum of {found.named or 'the repeats'}.", ""
    jax, jnp, static = rewrite.alias(spot, "jax", "jax"), rewrite.jnp(spot), static_argument(found)
    if found.lines and not found.paths:
        return f"Compute it with NumPy or plain Python at {found.lines[0]}, in place of `{jnp}`: it stays a number.", ""
    node = spot.inside(ast.Subscript) if facts.says("lice") else None
    if isinstance(node, ast.Subscript):
        window = _window(node, spot, jax)
        if window:
            return f"Write `{window}`, which moves a window that would leave the array.", (
                rewrite.with_expression(spot, node, window))  # fmt: skip
        other = f"`{jax}.lax.dynamic_slice_in_dim` with a fixed length, or a mask"
        return f"{static}, or take {other}." if static else f"Take {other}.", ""
    if rewrite.called_name(spot.inside(ast.Call)).rpartition(".")[2] == "range":
        other = f"`{jax}.lax.fori_loop`"
        return f"{static}, or write {other}." if static else f"Write {other} in place of the Python loop.", ""
    alone = "Pass it as a static argument, computed outside; or use its largest value, and mask the rest."
    return f"{static}, or use the largest value and mask the rest." if static else alone, ""


def _window(node: ast.Subscript, spot: Spot, jax: str) -> str:
    """`x[:, i:i + 3]` as a slice of fixed length that may begin anywhere; "" for other slices."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for axis, part in enumerate(parts):
        lower, upper = (part.lower, part.upper) if isinstance(part, ast.Slice) and part.step is None else (None, None)
        if lower is None or not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Add):
            continue
        length = upper.right if ast.unparse(upper.left) == ast.unparse(lower) else None
        others = {ast.unparse(other) for other in parts if other is not part}
        if length is not None and type(constant_or_value(length, spot)) is int and others <= {":"}:
            given = [*map(ast.unparse, (node.value, lower, length)), *[f"axis={axis}"] * (axis > 0)]
            return f"{jax}.lax.dynamic_slice_in_dim({', '.join(given)})"
    return ""
