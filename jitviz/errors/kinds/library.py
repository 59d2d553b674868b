"""Exceptions of Equinox and Flax: checks at run time, other trace levels, what `filter_jit` cannot hash.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Sources: https://docs.kidger.site/equinox/api/errors/, https://flax.readthedocs.io/en/latest/api_reference/flax.errors.html
"""

import ast
import re

from ...model.raised import Raised
from ..calls import arguments, call_at, user_frame_in
from ..facts import Facts
from ..syntax import Spot

_CHECK = re.compile(r"EquinoxRuntimeError: (.+)")
_TRANSFORM = re.compile(r"\bjax\.(jit|vmap|grad|value_and_grad)\b")
_LEVEL = re.compile(r"Cannot (\w+) (\w+)")


def explain(facts: Facts) -> Raised | None:
    if facts.is_a("EquinoxRuntimeError") or facts.says("EquinoxRuntimeError: "):
        return _check(facts)
    if facts.is_a("TraceContextError") or facts.says("from different trace level"):
        return _level(facts)
    return None


def _check(facts: Facts) -> Raised:
    said = _CHECK.search(facts.message)
    at, line, function = user_frame_in(facts.message)
    return Raised(
        source=at,
        line=line,
        function=function,
        origin=at,
        summary=f"The check `error_if` failed{f' at {at}' if at else ''}: {said[1].strip()}"
        if said
        else "A check failed.",
        detail="The program found it while running, with the values of this call.",
        advice="Look at the inputs of this call; `EQX_ON_ERROR=breakpoint` stops inside the program.",
    )


def _level(facts: Facts) -> Raised:
    found = _LEVEL.search(facts.message)
    what = found[2] if found else "a variable"
    spot = facts.spot
    passed = (each.text for each in arguments(spot) if isinstance(each.node, ast.Name))
    target = _store_in(spot) if found is None or found[1] != "extract" else next(passed, "")
    name = f"`{target}`" if target else f"a `{what}`"
    calls = (ast.unparse(call.func) for spot in facts.spots if (call := call_at(spot)) is not None)
    transform = next((found[1] for text in calls if (found := _TRANSFORM.search(text))), "jit")
    function = facts.users[-1].frame.f_code.co_name if facts.users else ""
    return Raised(
        function=function,
        path=target,
        summary=f"{name} was made outside of `{function}`, and a trace of it may not change it.",
        detail="The module is no argument of the traced function: it comes from outside.",
        advice="Return the new value, and assign it to the module after the call."
        if transform == "vmap"
        else f"Pass the module as an argument of an `nnx.{transform}` function, which updates it after the call.",
    )


def _store_in(spot: Spot | None) -> str:
    """The target of the assignment at a spot: "model.kernel.value"; "" for other statements."""
    statement = spot.statement if spot is not None else None
    if isinstance(statement, ast.Assign):
        return ast.unparse(statement.targets[0])
    return ast.unparse(statement.target) if isinstance(statement, ast.AugAssign | ast.AnnAssign) else ""
