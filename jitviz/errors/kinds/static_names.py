"""A static or donated argument that the function does not have: a mistyped name, a number that is too large.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.jit.html, `static_argnames`
"""

import ast
from difflib import get_close_matches

from ...jaxcompat.texts.error_messages import names_refused, numbers_refused
from ...model import listed
from ...model.raised import Raised
from ..calls import argument, parameters
from ..facts import Facts
from ..syntax import MISSING, Spot

EXAMPLE = """
def net(x, layers):
    return x * layers

jax.jit(net, static_argnames=('layer',))(jnp.ones(3), 2)
"""
INSTEAD = EXAMPLE.replace("('layer',)", "('layers',)")


def explain(facts: Facts) -> Raised | None:
    by_name, by_number = names_refused(facts.message), numbers_refused(facts.message)
    if not facts.is_a("ValueError") or not (by_name or by_number):
        return None
    function, names = _function(facts.spot)
    of = f"`{function}`" if function else "the function"
    if by_number is not None:
        option, given, most = by_number
        return Raised(
            function=function,
            path=option,
            summary=f"`{option}` is {given}, but {of} has {most} positional arguments, counted from 0.",
            advice=f"Give the argument's name: `{option.replace('nums', 'names')}=`.",
        )
    option, unknown = by_name or ("", ())
    meant = [close for name in unknown for close in get_close_matches(name, names, n=1)]
    have = f"It has {listed([f'`{name}`' for name in names])}." if names else ""
    return Raised(
        function=function,
        path=unknown[0],
        also=unknown[1:],
        summary=f"`{option}` names {listed([f'`{name}`' for name in unknown])}, which is not an argument of {of}.",
        detail=have,
        advice=f"Write `{option}=({', '.join(map(repr, meant))},)`."
        if len(meant) == len(unknown)
        else f"Write the names of the arguments of {of} in `{option}`.",
    )


def _function(spot: Spot | None) -> tuple[str, tuple[str, ...]]:
    """The function that is jitted, with the names of its arguments."""
    node = spot.statement if spot is not None else None
    if isinstance(node, ast.FunctionDef):
        return node.name, tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    given = argument(spot, "fun", 0)
    if given is None or given.value is MISSING:
        return "", ()
    return given.text, parameters(given.value)
