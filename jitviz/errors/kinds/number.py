"""A traced array where Python, NumPy or `math` wants a number.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError
"""

import ast
import re
from string import Formatter
from typing import NamedTuple

from ...model import listed
from ...model.raised import Raised
from .. import rewrite
from ..blame import blame, static_argument
from ..facts import Facts
from ..sayings import needs, told
from ..syntax import Spot
from .leaked import is_store, target_of
from .size import SIZED_BELOW

EXAMPLE = """
@jax.jit
def scale(x, rate):
    return x * float(rate)

scale(jnp.ones(3), 0.5)
"""
INSTEAD = EXAMPLE.replace("float(rate)", "rate")

_TYPES = ("ConcretizationTypeError", "TracerArrayConversionError", "TracerIntegerConversionError")
_CASTS = {"float": "float", "int": "int", "complex": "complex", "round": ""}
_SIZE_NAMES = ("size", "shape", "length", "num")  # of keywords
_METHODS = ("item", "tolist", "__array__")


class _Use(NamedTuple):
    what: str  # that needs the number
    advice: str
    code: str


def explain(facts: Facts) -> Raised | None:
    spot = facts.spot
    if spot is None or not (facts.is_a(*_TYPES) or facts.says("Tracer.__format__")):
        return None
    is_format = facts.says("Tracer.__format__") or _is_percent(spot)
    use = _formatted(spot) if is_format else _use(facts, spot)
    if use is None:
        return None
    found = blame(facts, _formats(spot) if is_format else None)
    static = static_argument(found) if use.what == "`int()`" else ""
    advice, code = use.advice, use.code
    if isinstance(spot.statement, ast.If | ast.While) and not is_format:
        advice, code = _in_test(spot, advice)
    if static:
        advice, code = f"{static}; or, if it is no size, use `.astype(int)` in place of `int()`.", ""
    return told(found, needs(use.what, found), advice, code)


def _in_test(spot: Spot, advice: str) -> tuple[str, str]:
    """The same where an `if` or a `while` tests the number, which needs a value too."""
    moved = rewrite.moved_to_jax(spot)
    code = rewrite.branch(spot, rewrite.following(spot)) or rewrite.loop(spot)
    for old, new in moved.items():
        code = code.replace(f"{old}(", f"{new}(") if new else ""
    return f"{advice} Decide with `{rewrite.jnp(spot)}.where` then, as an `if` needs a value too.", code


def _is_percent(spot: Spot) -> bool:
    """Whether the expression is `"%.3f" % x`."""
    node = spot.node
    return isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and type(node.left.value) is str


def _formats(spot: Spot) -> ast.AST | None:
    """The values that a string of the statement formats."""
    if _is_percent(spot) and isinstance(spot.node, ast.BinOp):
        return spot.node.right
    nodes = list(ast.walk(spot.statement)) if spot.statement is not None else []
    values = [node.value for node in nodes if isinstance(node, ast.FormattedValue) and node.format_spec is not None]
    values += [value for node in nodes if isinstance(node, ast.Call) for value in _of_template(node)]
    return ast.Tuple(values, ast.Load()) if values else None


def _of_template(call: ast.Call) -> list[ast.expr]:
    """The arguments of `"...".format(...)` that have a format, such as `:.3f`."""
    text = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "format" else None
    if not isinstance(text, ast.Constant) or type(text.value) is not str:
        return []
    fields = [(name, spec) for _, name, spec, _ in Formatter().parse(text.value) if name is not None]
    given = {str(number): node for number, node in enumerate(call.args)}
    given |= {str(keyword.arg): keyword.value for keyword in call.keywords}
    return [given[key] for number, (name, spec) in enumerate(fields) if spec and (key := name or str(number)) in given]


def _formatted(spot: Spot) -> _Use:
    jax = rewrite.alias(spot, "jax", "jax")
    advice = f"Print with `{jax}.debug.print`, which formats the value when it is there."
    return _Use("A format such as `:.3f`", advice, _debug_print(spot, jax))


def _debug_print(spot: Spot, jax: str) -> str:
    """`print(f"loss {x:.3f}")` as `jax.debug.print("loss {x:.3f}", x=x)`, for names alone; so with
    `"loss {:.3f}".format(x)`."""
    statement = spot.statement
    call = statement.value if isinstance(statement, ast.Expr) else None
    if rewrite.called_name(call) != "print" or not isinstance(call, ast.Call) or len(call.args) != 1:
        return ""
    text = call.args[0]
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute) and _of_template(text):
        return f"{jax}.debug.print({', '.join(map(ast.unparse, (text.func.value, *text.args, *text.keywords)))})"
    if not isinstance(text, ast.JoinedStr):
        return ""
    parts = [part.value for part in text.values if isinstance(part, ast.FormattedValue)]
    if not all(isinstance(part, ast.Name) for part in parts):
        return ""
    names = dict.fromkeys(part.id for part in parts if isinstance(part, ast.Name))
    given = ", ".join(f"{name}={name}" for name in names)
    return f"{jax}.debug.print({ast.unparse(text)[1:]}, {given})"


def _use(facts: Facts, spot: Spot) -> _Use | None:
    call = spot.inside(ast.Call)
    name, jnp = rewrite.called_name(call), rewrite.jnp(spot)
    module = rewrite.function_of_module(spot, call)[0].partition(".")[0]
    if name in _CASTS or (facts.says("with the `float` function", "with the `int` function") and module != "math"):
        return _cast(spot, name or "float", jnp)
    method = name.rpartition(".")[2] if "." in name else ""
    if method in _METHODS:
        return _method(spot, method)
    if method and facts.says(f"The {method}() method was called on"):
        return _Use(f"`.{method}()`", "Return the array, and call it on what the jitted function returns.", "")
    if module in ("math", "cmath", "numpy", "scipy") or facts.is_a("TracerArrayConversionError"):
        return _of_module(spot, call)
    return None


def _cast(spot: Spot, name: str, jnp: str) -> _Use:
    outer = next((found for node in spot.around if (found := rewrite.called_name(node)) in ("max", "min")), "")
    if name == "int" and _is_size_later(spot):
        number = ast.unparse(spot.inside(ast.Call) or spot.node or ast.Name("it"))
        advice = f"A size must be static: compute `{number}` before the call, and pass it as a static argument."
        return _Use(f"`{name}()`", advice, "")
    if _is_kept_outside(spot) and spot.statement is not None:
        advice = f"Return the value, and write `{ast.unparse(spot.statement)}` after the call, with what it returned."
        return _Use(f"`{name}()`", advice, "")  # stored as an array, it would be a tracer after the trace
    and_outer = f", and `{jnp}.{outer}imum` for `{outer}`" if outer else ""
    keep = "use `.astype(int)` in place of `int()`" if name == "int" else f"leave out `{name}()`"
    advice = f"Keep it an array: {keep}{and_outer}. Convert the result outside the jitted function."
    return _Use(f"`{name}()`", advice, rewrite.replaced(spot, lambda node: rewrite.with_arrays(node, spot)))


def _is_kept_outside(spot: Spot) -> bool:
    """Whether the statement stores in an object that the function did not make."""
    if spot.statement is None or not is_store(spot.statement, set()):
        return False
    code = spot.frame.f_code
    made = {*code.co_varnames[code.co_argcount + code.co_kwonlyargcount :], *code.co_cellvars}
    return re.split(r"[.\[(]", target_of(spot.statement))[0] not in made


def _is_size_later(spot: Spot) -> bool:
    """Whether the number is the size of an array, where it stands or under the name that it is assigned to."""
    statement = spot.statement
    target = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    later = [node for after in rewrite.following(spot) for node in ast.walk(after)] if target else []
    return any(_is_sized(node) for node in spot.around) or any(
        _is_sized(node) and any(ast.unparse(part) == target for part in ast.walk(node) if isinstance(part, ast.Name))
        for node in later
    )


def _is_sized(node: ast.AST) -> bool:
    name = rewrite.called_name(node).rpartition(".")[2]
    has_size = isinstance(node, ast.Call) and any(keyword.arg in _SIZE_NAMES for keyword in node.keywords)
    return name in (*SIZED_BELOW, "range") or has_size or isinstance(node, ast.Slice)


def _method(spot: Spot, method: str) -> _Use:
    def without(node: ast.AST) -> ast.AST | None:
        of = node.func if isinstance(node, ast.Call) else None
        return of.value if isinstance(of, ast.Attribute) and of.attr == method else None

    advice = f"Leave out `.{method}()`: JAX computes with the array. Convert the result outside the jitted function."
    return _Use(f"`.{method}()`", advice, rewrite.replaced(spot, without))


def _of_module(spot: Spot, call: ast.AST | None) -> _Use:
    name, moved = rewrite.called_name(call), rewrite.moved_to_jax(spot)
    module, function = rewrite.function_of_module(spot, call)
    what = f"`{name}`" if name else "NumPy"
    if function.startswith("random."):
        return _Use(what, "Take `jax.random` with a key: NumPy's random numbers are constants of the program.", "")
    if module.startswith("scipy") and not all(moved.values()):
        advice = f"Write `jax.{module}.{function}`, if JAX has it (`import jax.{module}`); else compute it outside."
        return _Use(what, advice, "")
    if not moved or not all(moved.values()):
        return _Use(what, f"Use `{rewrite.jnp(spot)}` there, or compute it outside the jitted function.", "")
    old, new = (listed([f"`{each}`" for each in names]) for names in (moved, moved.values()))
    return _Use(what, f"Write {new} in place of {old}.", rewrite.with_names(spot, moved))
