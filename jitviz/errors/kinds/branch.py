"""A branch, a loop or an `assert` that needs the value of a traced array.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError
"""

import ast

from ...jaxcompat.origins import aval_of
from ...model.raised import Raised
from .. import rewrite
from ..blame import blame, static_argument, tracers
from ..facts import Facts
from ..sayings import needs, or_static, told
from ..syntax import Spot, names_in

EXAMPLE = """
@jax.jit
def clip(x, limit):
    if x.sum() > limit:
        return x / x.sum()
    return x

clip(jnp.ones(3), 2.0)
"""
INSTEAD = """
@jax.jit
def clip(x, limit):
    return jnp.where(x.sum() > limit, x / x.sum(), x)

clip(jnp.ones(3), 2.0)
"""


def explain(facts: Facts) -> Raised | None:
    if not facts.is_a("TracerBoolConversionError") or facts.spot is None:
        return None
    spot = facts.spot
    if is_argument_of_jax(spot):
        return None
    test = condition_at(spot)
    found = blame(facts, test)
    what, advice, code = instead_of(facts)
    if rewrite.chooses_between_shapes(code):
        advice, code = f"Give both the same shape, padded or masked; then choose with `{rewrite.jnp(spot)}.where`", ""
    advice, static = or_static(advice, found), static_argument(found)
    is_flag = all(aval_of(tracer) == "bool[]" for _, tracer in tracers(facts, test))
    if static and (is_flag or isinstance(spot.statement, ast.Match)):  # it decides what the program is
        advice, code = f"{static}.", ""
    return told(found, needs(what, found), advice, code)


def is_argument_of_jax(spot: Spot) -> bool:
    """Whether a function of JAX's needed the value: the statement calls it, and tests nothing itself."""
    is_plain = isinstance(spot.statement, ast.Return | ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr)
    is_test = spot.inside(ast.BoolOp, ast.IfExp, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
    is_of_jax = rewrite.function_of_module(spot, spot.node)[0].startswith("jax")
    return is_plain and is_of_jax and is_test is None and not isinstance(spot.around[0], ast.UnaryOp)


def condition_at(spot: Spot) -> ast.AST | None:
    """The whole condition that is tested; elsewhere the expression that needed the value."""
    if isinstance(spot.statement, ast.If | ast.While | ast.Assert):
        return spot.statement.test
    if isinstance(spot.statement, ast.Match):
        return spot.statement.subject
    choice = spot.inside(ast.IfExp)
    if isinstance(choice, ast.IfExp) and any(node is spot.node for node in ast.walk(choice.test)):
        return choice.test
    return spot.inside(ast.BoolOp) or spot.node


def instead_of(facts: Facts) -> tuple[str, str, str]:
    """What needs the value, what to write instead, and the line rewritten."""
    assert facts.spot is not None
    spot, statement = facts.spot, facts.spot.statement
    name, jax = rewrite.jnp(spot), rewrite.alias(spot, "jax", "jax")
    if isinstance(statement, ast.If) and all(isinstance(each, ast.Raise) for each in statement.body):
        return (
            "`if`",
            f"Check it outside the jitted function, where the value is known, or with `{jax}.experimental.checkify`",
            "",
        )
    if isinstance(statement, ast.If) and all(isinstance(each, ast.Expr) for each in statement.body):
        advice = f"Write `{jax}.lax.cond(condition, lambda: {jax}.debug.print(...), lambda: None)`"
        return "`if`", advice, ""
    if isinstance(statement, ast.If) and any(isinstance(each, ast.Break | ast.Continue) for each in statement.body):
        return "`if`", f"Write the loop as `{jax}.lax.while_loop`, whose condition decides when it ends", ""
    if isinstance(statement, ast.If):
        code = rewrite.branch(spot, rewrite.following(spot))
        return "`if`", f"Write `{name}.where`, which computes both, or `{jax}.lax.cond`", code
    if isinstance(statement, ast.While):
        return "`while`", f"Write `{jax}.lax.while_loop`", rewrite.loop(spot)
    if isinstance(statement, ast.Assert):
        return "`assert`", "Move the `assert` out of the jitted function, to where the value is known", ""
    if isinstance(statement, ast.Match):
        subject = ast.unparse(statement.subject)
        return "`match`", f"Write `{jax}.lax.switch({subject}, [...], ...)`, with a function for each case", ""
    if spot.inside(ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp):
        return "The condition in a comprehension", f"Select with `{name}.where` and a mask, which keep the shape", ""
    what, advice = _of_expression(spot, name, jax)
    decides = _decides_later(spot)
    if decides:
        return what, f"{advice}, and `{name}.where` in place of `{decides}`", ""
    return what, advice, rewrite.replaced(spot, lambda node: rewrite.with_arrays(node, spot))


def _decides_later(spot: Spot) -> str:
    """The `if` behind an assignment that tests the name it assigns to: "p if bad else q", which would raise next."""
    statement = spot.statement
    target = rewrite.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    for node in (node for after in rewrite.following(spot) for node in ast.walk(after) if target):
        if isinstance(node, ast.If | ast.While | ast.IfExp) and target in names_in(node.test):
            return rewrite.unparse(node).partition("\n")[0]
    return ""


def _of_expression(spot: Spot, name: str, jax: str) -> tuple[str, str]:
    """The same for an expression that needs the value."""
    called = rewrite.called_name(spot.node)
    if spot.inside(ast.IfExp):
        return "`… if … else …`", f"Write `{name}.where(condition, a, b)`"
    logic = spot.inside(ast.BoolOp)
    if logic is not None and not rewrite.is_logical(logic, spot):
        return "`and` or `or`", f"Write `{name}.where(a, a, b)`, which is what `a or b` returns"
    if logic is not None:
        return "`and` or `or`", f"Write `{name}.logical_and` or `{name}.logical_or`"
    if isinstance(spot.node, ast.UnaryOp):
        return "`not`", f"Write `{name}.logical_not`"
    if isinstance(spot.node, ast.Compare) and len(spot.node.ops) > 1:
        return "A chained comparison", f"Compare twice, and join with `{name}.logical_and`"
    if called in ("max", "min", "any", "all", "sorted"):
        return f"Python's `{called}`", f"Write the function of `{name}` instead"
    if called == "bool":
        return "`bool()`", f"Keep it an array, and decide with `{name}.where`"
    return "Python's truth test", f"Decide with `{name}.where` or `{jax}.lax.cond`"
