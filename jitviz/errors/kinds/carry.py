"""A carry of `scan`, `while_loop` or `fori_loop` whose type or structure the body changes.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
"""

import ast
import re
from types import FunctionType

from ...capture import sources
from ...jaxcompat.jits import inner_function
from ...jaxcompat.texts.error_messages import carry_tree, carry_types, different_keys, no_pair, rank_of
from ...model import listed
from ...model.raised import Raised
from .. import rewrite
from ..calls import PassedArgument, argument, call_at
from ..facts import Facts
from ..syntax import MISSING, Spot, value_of

EXAMPLE = """
def add(total, x):
    return total + x, None

jax.lax.scan(add, jnp.int32(0), jnp.ones(3))
"""
INSTEAD = EXAMPLE.replace("int32(0)", "float32(0)")

_TEXTS = ("carry input and carry output", "loop carry", "body_fun output", "body output must be a pair")
_PROMOTED = ("bool", "u", "i", "bf", "f", "c")
_INITS = {"scan": ("init", 1), "while_loop": ("init_val", 2), "fori_loop": ("init_val", 3)}
_BODIES = {"scan": ("f", 0), "while_loop": ("body_fun", 1), "fori_loop": ("body_fun", 2)}
_PARAMETER = {"scan": 0, "while_loop": 0, "fori_loop": 1}


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("TypeError") or not facts.says(*_TEXTS):
        return None
    spot = facts.spot
    call = call_at(spot)
    loop = rewrite.called_name(call).rpartition(".")[2] or "scan"
    init = argument(spot, *_INITS[loop]) if loop in _INITS else None
    if facts.says("body output must be a pair"):
        return _no_pair(facts)
    types, tree = carry_types(facts.message), carry_tree(facts.message)
    if types:
        return _of_types(facts, loop, init, types)
    if tree is not None:
        return _of_tree(facts, loop, tree)
    return None


def _no_pair(facts: Facts) -> Raised:
    body, given = _body(facts.spot, "scan"), no_pair(facts.message)
    name = f"`{body.__name__}`" if body is not None and body.__name__.isidentifier() else "the body"
    returned = given if given.endswith("]") else "something else"
    return Raised(
        function="scan",
        path="out",
        origin=_body_line(facts.spot, "scan"),
        summary=f"The body of `scan` must return a pair, (carry, output), but {name} returns {returned}.",
        detail=_detail(facts.spot, "scan", ()),
        advice="Return `carry, None`; or `carry, y`, to collect a `y` of each step.",
    )


def _of_types(facts: Facts, loop: str, init: PassedArgument | None, types: tuple[tuple[str, str, str], ...]) -> Raised:
    component, before, after = types[0]
    path = _path(facts.spot, loop, component)
    also = tuple(_path(facts.spot, loop, name) for name, *_ in types[1:])
    return Raised(
        function=loop,
        path=path,
        also=also,
        origin=_body_line(facts.spot, loop),
        summary=f"The carry `{path}` of `{loop}` is {before}, but the body returns {after}.",
        detail=_detail(facts.spot, loop, types),
        advice=_advice(path, before, after),
        code=_code(facts.spot, init, before, after, is_whole="[" not in path and "." not in path),
    )


def _detail(spot: Spot | None, loop: str, types: tuple[tuple[str, str, str], ...]) -> str:
    at = _body_line(spot, loop)
    more = f" {len(types) - 1} more parts of the carry differ." if len(types) > 1 else ""
    return f"The body is at {at}.{more}" if at else more.strip()


def _advice(path: str, before: str, after: str) -> str:
    dtype = dtype_of(after)
    if before.partition("[")[2] == after.partition("[")[2]:
        if width(after) < width(before):
            return f"End the body with `.astype({path}.dtype)`, so that it returns {before}."
        return f"Begin with {dtype}, as the body returns it: `jnp.asarray(..., '{dtype}')`."
    if rank_of(before) == rank_of(after) and rank_of(after):
        size = "To collect values, begin with the final size, and write into it with `.at[i].set(...)`."
        return f"Let the body return {before}: a carry keeps its shape. {size}"
    zeros = f"`jnp.zeros({shape_text(after)}, '{dtype}')`"
    return f"Begin with the shape that the body returns, {zeros}; or reduce it in the body."


def dtype_of(short: str) -> str:
    """The dtype of a short type: "float32" of "f32[3]"."""
    found = re.match(r"(bf|[fiuc])(\d+)", short)
    names = {"f": "float", "i": "int", "u": "uint", "c": "complex", "bf": "bfloat"}
    return names[found[1]] + found[2] if found else short.partition("[")[0]


def width(type_: str) -> tuple[int, int, int]:
    """Sorts types: more axes, then what a dtype is promoted to, then its bits."""
    dtype = type_.partition("[")[0]
    letters = dtype.rstrip("0123456789")
    return rank_of(type_), _PROMOTED.index(letters) if letters in _PROMOTED else 0, int(dtype[len(letters) :] or 0)


def shape_text(short: str) -> str:
    """The shape of a short type as a tuple: "(3,)" of "f32[3]"."""
    sizes = short.partition("[")[2].rstrip("]")
    return f"({sizes}{',' if sizes and ',' not in sizes else ''})"


def _code(spot: Spot | None, init: PassedArgument | None, before: str, after: str, *, is_whole: bool) -> str:
    """The loop with an initial value of the right type, where the whole carry is one array."""
    if spot is None or init is None or not is_whole or width(after) < width(before):
        return ""
    jnp, dtype = rewrite.jnp(spot), dtype_of(after)
    if before.partition("[")[2] == after.partition("[")[2]:
        new = f"{jnp}.asarray({init.text}, '{dtype}')"
    elif rank_of(before):
        return ""
    else:
        new = f"{jnp}.full({shape_text(after)}, {init.text}, '{dtype}')"
    return rewrite.with_expression(spot, init.node, new)


def _of_tree(facts: Facts, loop: str, tree: tuple[str, str, str]) -> Raised:
    component, before, after = tree
    path, keys = _path(facts.spot, loop, component), different_keys(facts.message)
    what = f"The carry `{path}` of `{loop}` is {node_text(before)}, but the body returns {node_text(after)}."
    advice = "Return every entry of the carry and no other; begin with an array in place of None."
    if "class" in before and "class" in after and node_text(before) != "None":
        advice = f"Let the body return {node_text(before)} too, as the carry is."
    if keys:
        what, advice = _of_keys(path, loop, keys, children(after) - children(before))
    first = f"{path}[{keys[0]!r}]" if keys else path
    return Raised(
        function=loop,
        path=first,
        origin=_body_line(facts.spot, loop),
        summary=what,
        detail=_detail(facts.spot, loop, ()),
        advice=advice,
    )


def _of_keys(path: str, loop: str, keys: tuple[str, ...], n_more: int) -> tuple[str, str]:
    """What differs, and what to write; `n_more` are the entries that the body returns beyond those of the carry."""
    which = listed([f"`{key}`" for key in keys])
    if n_more == len(keys):
        second = "return it as the second output" if loop == "scan" else "leave it out of what the body returns"
        return (f"The body of `{loop}` returns {which}, which the carry `{path}` does not have.",
                f"Begin with {which} in the carry, zeros of the same type; or {second}.")  # fmt: skip
    if n_more == -len(keys):
        return (f"The carry `{path}` of `{loop}` has {which}, which the body does not return.",
                f"Let the body return {which} too, unchanged if need be; or begin without.")  # fmt: skip
    return (f"The carry `{path}` of `{loop}` and what the body returns differ in {which}.",
            "Return the keys of the carry and no others.")  # fmt: skip


def children(node: str) -> int:
    """How many entries a node has, as JAX prints it: "a <class 'dict'> with 2 children"."""
    found = re.search(r"with (\d+) child", node) or re.search(r"of length (\d+)", node)
    return int(found[1]) if found else 0


def node_text(node: str) -> str:
    """A node as JAX prints it, without the module of its class."""
    if node.endswith(("NoneType'>", "ShapedArray'>", "a pytree leaf")):
        return "None" if "NoneType" in node else "an array"
    found = re.match(r"an? <class '([^']*)'>(.*)", node)
    return f"a `{found[1].rpartition('.')[2]}`{found[2]}" if found else node


def _path(spot: Spot | None, loop: str, component: str) -> str:
    """The user's name of a part of the carry: the parameter of the body, and the path in it."""
    component = component.rstrip(",")
    name = _parameter(spot, loop)
    if loop == "fori_loop" and component.startswith("loop_carry["):
        rest = component.partition("]")[2]
        return f"{name or 'val'}{rest}"
    return component


def _parameter(spot: Spot | None, loop: str) -> str:
    body = _body(spot, loop)
    names = body.__code__.co_varnames[: body.__code__.co_argcount] if body is not None else ()
    if not names:
        given = argument(spot, *_BODIES[loop]) if loop in _BODIES else None
        names = tuple(each.arg for each in given.node.args.args) if given and isinstance(given.node, ast.Lambda) else ()
    at = _PARAMETER.get(loop, 0)
    return names[at] if at < len(names) else ""


def _body(spot: Spot | None, loop: str) -> FunctionType | None:
    given = argument(spot, *_BODIES[loop]) if loop in _BODIES and spot is not None else None
    value = value_of(given.node, spot.frame) if given is not None and spot is not None else MISSING
    function = inner_function(value) if value is not MISSING else None
    return function if type(function) is FunctionType else None


def _body_line(spot: Spot | None, loop: str) -> str:
    body = _body(spot, loop)
    if body is not None:
        return sources.location(body.__code__.co_filename, body.__code__.co_firstlineno)
    return spot.source if spot is not None else ""
