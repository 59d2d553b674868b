"""A traced value where Python or JAX needs a static one: the index of a list, an axis, the digits of `round`.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerIntegerConversionError
"""

import ast
import re
from typing import Any

from ...jaxcompat import raw
from ...jaxcompat.origins import aval_of
from ...model.raised import Raised
from .. import rewrite
from ..blame import NUMBERS, Blame, blame, parts_of, static_argument
from ..facts import Facts
from ..sayings import needs, told
from ..syntax import Spot, needed, value_of
from .branch import is_argument_of_jax

EXAMPLE = """
@jax.jit
def pick(x, i):
    return [1.0, 2.0, 4.0][i] * x

pick(jnp.ones(3), 1)
"""
INSTEAD = EXAMPLE.replace("[1.0, 2.0, 4.0]", "jnp.array([1.0, 2.0, 4.0])")

_ARGUMENT = re.compile(r"in jax\.\S+ argument")
_STATIC_TEXTS = ("must be known statically", "must be static", "axis argument")


def explain(facts: Facts) -> Raised | None:
    spot = facts.spot
    if spot is None:
        return None
    is_integer = facts.is_a("TracerIntegerConversionError")
    is_axis = facts.is_a("ConcretizationTypeError") and (facts.says(*_STATIC_TEXTS) or _ARGUMENT.search(facts.message))
    is_axis = is_axis or (facts.is_a("TracerBoolConversionError") and is_argument_of_jax(spot))
    is_hashed = facts.says("Non-hashable static arguments") and facts.says("Tracer")
    is_key = facts.is_a("TypeError") and facts.message.startswith("unhashable type") and "Tracer" in facts.message
    if not (is_integer or is_axis or is_hashed or is_key):
        return None
    found = blame(facts, needed(spot.inside(ast.Subscript, ast.Call) or spot.node))
    what, advice, code = _of_key(spot) if is_key else _of_list(spot, found) if is_integer else _of_call(spot, found)
    return told(found, needs(what, found), advice, code)


def _of_list(spot: Spot, found: Blame) -> tuple[str, str, str]:
    node = spot.inside(ast.Subscript)
    jnp, static = rewrite.jnp(spot), static_argument(found)
    if not isinstance(node, ast.Subscript):
        call = rewrite.called_name(spot.inside(ast.Call))
        what = f"`{call}`" if call else "An index"
        return what, f"{static or 'Compute with a jax array, or outside the jitted function'}.", ""
    of, at = ast.unparse(node.value), ast.unparse(node.slice)
    items, what = _items(value_of(node.value, spot.frame)), f"The index in `{ast.unparse(node)}`"
    either = f"; or {static[0].lower()}{static[1:]}" if static else ""
    if any(type(item) is str or item is None for item in items):
        return what, f"Return the index, and look the entry up outside the jitted function{either}.", ""
    if items and all(map(callable, items)):
        return what, f"{_switch(spot, at, of, items)}{either}.", ""
    if any(list(parts_of(item)) != [("", item)] for item in items):
        stack = f"{rewrite.alias(spot, 'jax', 'jax')}.tree.map(lambda *leaves: {jnp}.stack(leaves), *{of})"
        return what, f"Stack the entries, `{stack}`, and index each leaf{either}.", ""
    if len({_sizes(item) for item in items}) > 1:
        return what, f"Pad the entries to one shape, stack them with `{jnp}.stack`, and index that{either}.", ""
    new = f"{jnp}.asarray({of})[{at}]"
    code = rewrite.with_expression(spot, node, new)
    return what, f"Index a jax array: `{new}`{either}.", code


def _switch(spot: Spot, at: str, of: str, items: list[Any]) -> str:
    """How to call one of several functions; one that holds arrays has no hash, so that a lambda must call it."""
    if any(aval_of(part) for item in items for _, part in parts_of(item)):
        of = f"[lambda *args, f=f: f(*args) for f in {of}]"
    return f"Write `{rewrite.alias(spot, 'jax', 'jax')}.lax.switch({at}, {of}, ...)` with its arguments"


def _items(of: Any) -> list[Any]:
    """The entries of a list or a tuple."""
    return list(raw.items_of(of)) if raw.is_a(of, list, tuple) else []


def _sizes(item: Any) -> str:
    """The shape of an array, as text."""
    return aval_of(item).partition("[")[2]


def _of_key(spot: Spot) -> tuple[str, str, str]:
    """What to write for `table[key]` of a dict: an array, whose index may be traced."""
    node = spot.inside(ast.Subscript)
    advice = "Keep the values in an array, and index that: a dict or a set looks a key up by its hash"
    call = spot.node.func if isinstance(spot.node, ast.Call) else None
    if raw.type_name(type(value_of(call, spot.frame))) == "functools._lru_cache_wrapper":
        text = ast.unparse(call) if call is not None else ""
        return f"The cache of `{text}`", f"Take `functools.lru_cache` off `{text}`: a trace runs it once anyway.", ""
    if not isinstance(node, ast.Subscript):
        return "A key", f"{advice}.", ""
    of, table = ast.unparse(node.value), value_of(node.value, spot.frame)
    at, is_numbered = ast.unparse(node.slice), type(table) is dict and list(table) == list(range(len(table)))
    new = f"{rewrite.jnp(spot)}.asarray(list({of}.values()))[{at}]"
    if is_numbered and all(map(callable, table.values())):
        switch = _switch(spot, at, f"list({of}.values())", list(table.values()))
        return f"The key in `{ast.unparse(node)}`", f"{switch}.", ""
    if type(table) is dict and not all(raw.qualname(type(item)) in NUMBERS or aval_of(item) for item in table.values()):
        return f"The key in `{ast.unparse(node)}`", "Return the key, and look it up outside the jitted function.", ""
    if not is_numbered:
        return f"The key in `{ast.unparse(node)}`", f"{advice}.", ""
    code = rewrite.with_expression(spot, node, new)
    return f"The key in `{ast.unparse(node)}`", f"Index a jax array: `{new}`.", code


def _of_call(spot: Spot, found: Blame) -> tuple[str, str, str]:
    name = rewrite.called_name(spot.inside(ast.Call))
    what = f"An argument of `{name}`" if name else "A static argument"
    static = static_argument(found)
    return what, f"{static or 'Pass a number that is known while tracing; it is part of the program'}.", ""
