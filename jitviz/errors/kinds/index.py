"""A traced value where Python or JAX needs a static one: the index of a list, an axis, the digits of `round`.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerIntegerConversionError
"""

import ast

from ...model.raised import Raised
from .. import rewrite
from ..blame import Blame, blame
from ..facts import Facts
from ..sayings import needs, why
from ..syntax import Spot
from .size import needed, static_argument

EXAMPLE = """
@jax.jit
def pick(x, i):
    return [1.0, 2.0, 4.0][i] * x

pick(jnp.ones(3), 1)
"""
INSTEAD = """
@jax.jit
def pick(x, i):
    return jnp.array([1.0, 2.0, 4.0])[i] * x

pick(jnp.ones(3), 1)
"""

_STATIC_TEXTS = ("must be known statically", "must be static", "axis argument")


def explain(facts: Facts) -> Raised | None:
    spot = facts.spot
    if spot is None:
        return None
    is_integer = facts.is_a("TracerIntegerConversionError")
    is_axis = facts.is_a("ConcretizationTypeError") and facts.says(*_STATIC_TEXTS)
    is_hashed = facts.says("Non-hashable static arguments") and facts.says("Tracer")
    if not (is_integer or is_axis or is_hashed):
        return None
    found = blame(facts, needed(spot.node) if isinstance(spot.node, ast.Subscript) else spot.node)
    what, advice, code = _of_list(spot, found) if is_integer else _of_call(spot, found)
    return Raised(
        function=found.function,
        path=found.path,
        also=found.paths[1:],
        origin=found.lines[0] if found.lines else "",
        summary=needs(what, found),
        detail=why(found),
        advice=advice,
        code=code,
    )


def _of_list(spot: Spot, found: Blame) -> tuple[str, str, str]:
    node = spot.inside(ast.Subscript)
    jnp, static = rewrite.jnp(spot), static_argument(found)
    if not isinstance(node, ast.Subscript):
        call = rewrite.called_name(spot.inside(ast.Call))
        what = f"`{call}`" if call else "An index"
        return what, f"{static or 'Compute with a jax array, or outside the jitted function'}.", ""
    of, at = ast.unparse(node.value), ast.unparse(node.slice)
    new = f"{jnp}.asarray({of})[{at}]"
    code = rewrite.replaced(
        spot, lambda part: ast.parse(new, mode="eval").body if ast.unparse(part) == ast.unparse(node) else None
    )
    either = f"; or {static[0].lower()}{static[1:]}" if static else ""
    return f"The index in `{ast.unparse(node)}`", f"Index a jax array: `{new}`{either}.", code


def _of_call(spot: Spot, found: Blame) -> tuple[str, str, str]:
    name = rewrite.called_name(spot.inside(ast.Call))
    what = f"An argument of `{name}`" if name else "A static argument"
    static = static_argument(found)
    return what, f"{static or 'Pass a number that is known while tracing; it is part of the program'}.", ""
