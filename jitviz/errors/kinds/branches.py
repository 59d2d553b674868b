"""Branches of `cond` or `switch` that return other types or trees, and conditions that are not scalars.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.cond.html
"""

import ast

from ...capture import sources
from ...jaxcompat.texts.error_messages import (
    branch_functions,
    branch_tree,
    branch_types,
    different_keys,
    rank_of,
    sizes_of,
)
from ...model import listed
from ...model.raised import Raised
from .. import rewrite
from ..blame import blame
from ..calls import call_at
from ..facts import Facts
from .carry import dtype_of, node_text, shape_text, width

EXAMPLE = """
@jax.jit
def relu(x):
    return jax.lax.cond(x.sum() > 0, lambda x: x, lambda x: 0, x)

relu(jnp.ones(3))
"""
INSTEAD = EXAMPLE.replace("lambda x: 0", "lambda x: jnp.zeros_like(x)")


_CONDITIONS = ("cond_fun must return a boolean scalar", "Pred must be a scalar", "Index type must be an integer")
_TEXTS = ("branches must have equal output types", "branch outputs must have")


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("TypeError"):
        return None
    if facts.says(*_CONDITIONS):
        return _of_condition(facts)
    if not facts.says(*_TEXTS):
        return None
    loop = "switch" if facts.message.startswith("switch") else "cond"
    types, tree = branch_types(facts.message), branch_tree(facts.message)
    functions = branch_functions(facts.message)
    if types:
        one, component, type_, other, its = types[0]
        path = f"out{component.strip('.,')}"
        return Raised(
            function=loop,
            path=path,
            also=tuple(f"out{each[1]}" for each in types[1:]),
            origin=_at(functions, other),
            summary=f"In `{loop}`, {_name(one)} returns {type_}{_of(component)}, but {_name(other)} returns {its}.",
            detail=_detail(functions, one, other),
            advice=_advice(one, type_, other, its),
        )
    if tree is not None:
        one, path, node, other, its = tree
        keys = different_keys(facts.message)
        what = f"returns {node_text(node)}{_of(path)}, but {_name(other)} returns {node_text(its)}"
        if keys:
            which = listed([f"`{key}`" for key in keys])
            what = f"and {_name(other)} return different trees: {which} is missing in one"
        return Raised(
            function=loop,
            path=f"out{path}{f'[{keys[0]!r}]' if keys else ''}",
            origin=_at(functions, other),
            summary=f"In `{loop}`, {_name(one)} {what}.",
            detail=_detail(functions, one, other),
            advice="Return the same entries from both branches: fill those that are missing with `jnp.zeros_like`.",
        )
    return None


def _of_condition(facts: Facts) -> Raised:
    call = call_at(facts.spot)
    loop = rewrite.called_name(call).rpartition(".")[2]
    first = call.args[0] if call is not None and call.args else None
    body = first.body if isinstance(first, ast.Lambda) else first
    text = f"`{ast.unparse(body)}`" if body is not None else "what it is given"
    if loop == "switch":
        dtype = facts.message.rpartition(" ")[2]
        what, advice = f"`switch` needs an integer, but {text} is {dtype}", f"Write `{text.strip('`')}.astype(int)`."
    elif loop == "while_loop":
        what, advice = "`while_loop` needs a condition of one value", "Reduce it with `.any()`, or with `.all()`."
    else:
        where = f"`{rewrite.jnp(facts.spot)}.where`" if facts.spot is not None else "`jnp.where`"
        what = "`cond` takes one branch, so its condition must be one value"
        advice = f"Choose for each element with {where}; or reduce the condition with `.any()` or `.all()`."
    found = blame(facts, body)
    return Raised(
        function=loop,
        path=found.path or (ast.unparse(first) if isinstance(first, ast.Name) else ""),
        also=found.paths[1:],
        summary=f"{what}{'' if loop == 'switch' else f', but {text} has an axis'}.",
        advice=advice,
    )


def _name(branch: str) -> str:
    """ "`true_fun`", "branch 1"."""
    return branch.replace("branch", "branch ").replace("  ", " ") if branch.startswith("branch") else f"`{branch}`"


def _of(component: str) -> str:
    return f" at `{component.strip(',')}`" if component else ""


def _at(functions: dict[str, tuple[str, str, int]], branch: str) -> str:
    found = functions.get(branch)
    return sources.location(found[1], found[2]) if found else ""


def _detail(functions: dict[str, tuple[str, str, int]], one: str, other: str) -> str:
    told = [f"{_name(branch)} is at {at}" for branch in (one, other) if (at := _at(functions, branch))]
    text = "; ".join(told)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _advice(one: str, type_: str, other: str, its: str) -> str:
    """How the branch of the narrower type can return the wider: nothing is lost."""
    (_, name), (wide, _) = sorted(((type_, one), (its, other)), key=lambda each: width(each[0]))
    if type_.partition("[")[2] == its.partition("[")[2]:
        return f"Let {_name(name)} return `jnp.asarray(..., '{dtype_of(wide)}')`, so that both return {wide}."
    if not _broadcasts(type_ if wide == its else its, wide):
        return "Return one shape from both: pad the shorter, or reduce both along the same axes."
    return f"Let {_name(name)} return {wide} too, with `jnp.broadcast_to(..., {shape_text(wide)})` or `jnp.zeros_like`."


def _broadcasts(narrow: str, wide: str) -> bool:
    """Whether `jnp.broadcast_to` makes a shape of another one."""
    pairs = zip(sizes_of(narrow)[::-1], sizes_of(wide)[::-1], strict=False)
    return rank_of(narrow) <= rank_of(wide) and all(size in (1, its) for size, its in pairs)
