"""The user's line, written with JAX in place of Python.

In: a `Spot`.  Out: source text, "" where the line is of a form that is not known.
"""

import ast
import sys
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, ModuleType
from typing import Any

from ..jaxcompat import raw
from ..jaxcompat.origins import aval_of
from ..jaxcompat.tracing import is_tracer
from ..model.python_text import copied, expression, parse
from .syntax import MISSING, Spot, bound_before, calls_in, names_in, operands, value_of

_LOGIC = {ast.And: "logical_and", ast.Or: "logical_or"}
_OF_TWO = {"max": "maximum", "min": "minimum"}
_JOINS = ("append", "concatenate", "hstack", "pad", "repeat", "stack", "tile", "vstack")
_OTHER_NAMES = {
    "fabs": "abs", "pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2",
}  # fmt: skip
_OF_NUMBERS = ("numpy", "scipy", "math", "cmath", "numpy.linalg", "scipy.special", "scipy.stats", "scipy.linalg")
_OF_ONE = {"max": "max", "min": "min", "any": "any", "all": "all", "sorted": "sort"}  # `sum` and `abs` take tracers


def alias(spot: Spot, module: str, usual: str) -> str:
    """The name of a module in the user's file, or the usual one."""
    wanted = sys.modules.get(module)
    names = spot.frame.f_globals
    return next((name for name, value in list(names.items()) if value is wanted and wanted is not None), usual)


def jnp(spot: Spot) -> str:
    return alias(spot, "jax.numpy", "jnp")


def unparse(node: ast.AST) -> str:
    return ast.unparse(node)


def as_arrays(node: ast.expr, spot: Spot) -> ast.expr:
    """An expression whose `and`, `or`, `not`, chained comparisons and builtins are functions of `jax.numpy`."""
    changed: ast.expr = _Arrays(spot).visit(copied(node))
    return changed


def with_arrays(node: ast.AST, spot: Spot) -> ast.AST | None:
    """The same for the expressions that may need it; None for other nodes."""
    kinds = (ast.BoolOp, ast.Compare, ast.Call, ast.UnaryOp, ast.IfExp, ast.BinOp)
    return as_arrays(node, spot) if isinstance(node, kinds) else None


def is_logical(node: ast.AST, spot: Spot) -> bool:
    """Whether an expression is true or false, or is tested alone: `x or 1.0` is neither, but a choice of two values."""
    if isinstance(node, ast.BoolOp):
        return ast.dump(node) in _tests(spot) or all(is_logical(each, spot) for each in node.values)
    if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return True
    if called_name(node).rpartition(".")[2].startswith(("is", "any", "all", "bool", "logical_")):
        return True
    value = value_of(node, spot.frame)
    return type(value) is bool or aval_of(value).startswith("bool")


def _tests(spot: Spot) -> list[str]:
    kinds = (ast.If, ast.While, ast.Assert, ast.IfExp)
    return [ast.dump(node.test) for node in (spot.node, *spot.around) if isinstance(node, kinds)]


class _Arrays(ast.NodeTransformer):
    def __init__(self, spot: Spot) -> None:
        self.spot, self.name = spot, jnp(spot)

    def _call(self, function: str, *args: ast.expr) -> ast.expr:
        return ast.Call(ast.Attribute(ast.Name(self.name), function), list(args), [])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:  # the names are ast's
        is_logic = is_logical(node, self.spot)
        self.generic_visit(node)
        first, *rest = node.values
        for value in rest:
            one, other = (first, value) if isinstance(node.op, ast.Or) else (value, first)
            is_or_and = self._call(_LOGIC[type(node.op)], first, value)
            first = is_or_and if is_logic else self._call("where", first, one, other)
        return first

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return self._call("logical_not", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        lefts = [node.left, *node.comparators[:-1]]
        pairs: list[ast.expr] = [self._compare(*pair) for pair in zip(lefts, node.ops, node.comparators, strict=True)]
        first, *rest = pairs
        for pair in rest:
            first = self._call("logical_and", first, pair)
        return first

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
        if isinstance(op, ast.In | ast.NotIn):
            values = self._call("asarray", right)
            found = self._call("any", ast.Compare(values, [ast.Eq()], [left]))
            return found if isinstance(op, ast.In) else self._call("logical_not", found)
        return ast.Compare(left, [op], [right])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "bool" and len(node.args) == 1:
            return node.args[0]
        if name in ("float", "complex") and len(node.args) == 1:
            return node.args[0]
        if name == "int" and len(node.args) == 1:
            return ast.Call(ast.Attribute(self._call("asarray", node.args[0]), "astype"), [ast.Name("int")], [])
        if name in _OF_TWO and len(node.args) == 2:
            return self._call(_OF_TWO[name], *node.args)
        if name in _OF_ONE and len(node.args) == 1 and not node.keywords:
            return self._call(_OF_ONE[name], self._array(node.args[0]))
        return node

    def _array(self, node: ast.expr) -> ast.expr:
        """What a function of `jax.numpy` takes in place of a list, a generator or a name for one."""
        if isinstance(node, ast.GeneratorExp):
            node = ast.ListComp(node.elt, node.generators)
        is_list = isinstance(node, ast.List | ast.Tuple | ast.ListComp | ast.Name | ast.Attribute)
        return self._call("asarray", node) if is_list else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return self._call("where", node.test, node.body, node.orelse)


def branch(spot: Spot, after: Sequence[ast.stmt]) -> str:
    """An `if` that returns or assigns one value either way, as `jnp.where`; `after` are the statements behind it."""
    statement = spot.statement
    returned = _returned(statement, after, spot)
    if returned is not None:
        return unparse(ast.Return(returned))
    target, value = _assigned(statement, spot)
    if target is None or value is None:
        return ""
    return unparse(ast.Assign([target], value, lineno=0))


def _returned(node: ast.stmt | None, after: Sequence[ast.stmt], spot: Spot) -> ast.expr | None:
    """What a `return` returns, or an `if` that ends in one either way, with `elif`s or with what is behind it."""
    if isinstance(node, ast.Return):
        return node.value
    if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) > 1:
        return None
    rest = [*node.orelse, *after]
    one, other = _returned(node.body[0], (), spot), _returned(rest[0] if rest else None, rest[1:], spot)
    return _where(spot, as_arrays(node.test, spot), one, other) if one is not None and other is not None else None


def _assigned(node: ast.stmt | None, spot: Spot) -> tuple[ast.expr | None, ast.expr | None]:
    """(target, value) of an assignment to names, or of an `if` whose branches assign to the same."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        names = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
        return (node.targets[0], node.value) if all(isinstance(name, ast.Name) for name in names) else (None, None)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target, ast.BinOp(node.target, node.op, node.value)
    if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) > 1:
        return None, None
    target, value = _assigned(node.body[0], spot)
    other, its = _assigned(node.orelse[0], spot) if node.orelse else (target, target and copied(target))
    if target is None or value is None or other is None or its is None or unparse(target) != unparse(other):
        return None, None
    return target, _where(spot, as_arrays(node.test, spot), value, its)


def _where(spot: Spot, test: ast.expr, one: ast.expr, other: ast.expr) -> ast.expr:
    """`jnp.where` of two arrays; of two trees, for each of their leaves."""
    if not (_is_tree(one, spot) or _is_tree(other, spot)):
        return ast.Call(ast.Attribute(ast.Name(jnp(spot)), "where"), [test, one, other], [])
    jax, used = alias(spot, "jax", "jax"), names_in(test)
    new, old = (name if name not in used else f"{name}_" for name in ("new", "old"))
    chosen = expression(f"{jax}.tree.map(lambda {new}, {old}: {jnp(spot)}.where({unparse(test)}, {new}, {old}))")
    assert isinstance(chosen, ast.Call)
    chosen.args += [one, other]
    return chosen


def chooses_between_shapes(code: str) -> bool:
    """Whether a line has a `jnp.where` of which one side alone joins or cuts arrays; one that does both may keep the
    shape, as of a queue."""
    tree = parse(code)
    choices = [call for call in calls_in(tree) if called_name(call).endswith(".where")] if tree is not None else []
    return any(len(call.args) == 3 and _resizes(call.args[1]) != _resizes(call.args[2]) for call in choices)


def _resizes(node: ast.expr) -> bool:
    joins = any(called_name(call).rpartition(".")[2] in _JOINS for call in calls_in(node))
    return joins != any(isinstance(part, ast.Slice) for part in ast.walk(node))


def _is_tree(node: ast.expr, spot: Spot) -> bool:
    """Whether an expression is no array alone, as far as can be told without running it."""
    value = value_of(node, spot.frame)
    is_array = (
        is_tracer(value) or value is MISSING or type(value) in (int, float, bool, complex) or bool(aval_of(value))
    )
    return isinstance(node, ast.Tuple | ast.List | ast.Dict) or not is_array


def loop(spot: Spot) -> str:
    """A `while` whose body assigns names alone, as `jax.lax.while_loop`; "" where the type of one may change, or where
    one is new and used behind the loop."""
    statement = spot.statement
    if not isinstance(statement, ast.While) or statement.orelse:
        return ""
    steps = [_assigned(each, spot) for each in statement.body]
    if any(target is None or value is None for target, value in steps):
        return ""
    assigned = dict.fromkeys(name for target, _ in steps if target is not None for name in sorted(names_in(target)))
    before = bound_before(spot, statement)
    carried = [name for name in assigned if name in before]
    later = {name for after in following(spot) for name in names_in(after)}
    counted = {
        unparse(each.target) for each in statement.body if isinstance(each, ast.AugAssign) and _is_int(each.value)
    }
    if not carried or later & (assigned.keys() - carried):
        return ""
    if any(_may_be_int(before[name], value_of(ast.Name(name), spot.frame)) for name in carried if name not in counted):
        return ""
    return _while_loop(spot, statement, carried)


def _is_int(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _may_be_int(made: ast.expr | None, value: Any) -> bool:
    return _is_int(made) or type(value) is int or aval_of(value).startswith(("i", "u"))


def _while_loop(spot: Spot, statement: ast.While, carried: Sequence[str]) -> str:
    jax, names, comma = alias(spot, "jax", "jax"), ", ".join(carried), "," * (len(carried) == 1)
    test = unparse(as_arrays(statement.test, spot))
    _, value = _assigned(statement.body[0], spot)
    if len(statement.body) == 1 and value is not None and comma:
        return f"{names} = {jax}.lax.while_loop(lambda {names}: {test}, lambda {names}: {unparse(value)}, {names})"
    used = {*spot.frame.f_locals, *spot.frame.f_globals}
    goes_on, step = (name if name not in used else f"{name}_" for name in ("goes_on", "step"))
    body = [f"    {line}" for each in statement.body for line in unparse(each).splitlines()]
    lines = [
        f"def {goes_on}(carry):", f"    {names}{comma} = carry", f"    return {test}",
        f"def {step}(carry):", f"    {names}{comma} = carry", *body, f"    return {names}{comma}",
        f"{names}{comma} = {jax}.lax.while_loop({goes_on}, {step}, ({names}{comma}))",
    ]  # fmt: skip
    return "\n".join(lines)


def following(spot: Spot) -> Sequence[ast.stmt]:
    """The statements after that of the spot, in the same block."""
    statement = spot.statement
    for node in spot.around:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and statement in block:
                return block[block.index(statement) + 1 :]
    return ()


def replaced(spot: Spot, change: Callable[[ast.AST], ast.AST | None]) -> str:
    """The simple statement of the spot with a node replaced: `change` returns the new node, or None for the same."""
    statement = spot.statement
    if statement is None or not isinstance(
        statement, ast.Return | ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr
    ):
        return ""
    old, new = unparse(statement), unparse(_Replacing(change).visit(copied(statement)))
    return new if new != old else ""


class _Replacing(ast.NodeTransformer):
    """Not a class inside the function: a class is in cycles, and would keep the frame of the spot until Python collects
    garbage."""

    def __init__(self, change: Callable[[ast.AST], ast.AST | None]) -> None:
        self._change = change

    def visit(self, node: ast.AST) -> ast.AST:
        new = self._change(node)
        return self.generic_visit(node) if new is None else new


def with_expression(spot: Spot, old: ast.AST, new: str) -> str:
    """The statement with other source text in place of an expression."""
    dumped = ast.dump(old)
    return replaced(spot, lambda node: expression(new) if ast.dump(node) == dumped else None)


def of_jax(spot: Spot, node: ast.AST | None) -> str:
    """JAX's name for the function of NumPy, SciPy or `math` that a call names, in the user's words: "jnp.linalg.norm";
    "" for other calls and where JAX has none."""
    module, function = function_of_module(spot, node)
    dotted = f"{module}.{function}"
    if dotted.startswith("scipy."):
        base, name = alias(spot, "jax", "jax"), dotted
        found: Any = sys.modules.get("jax")
    elif module in ("math", "cmath", "numpy") or dotted.startswith("numpy."):
        base, name = jnp(spot), _OTHER_NAMES.get(function, dotted.partition(".")[2])
        found = sys.modules.get("jax.numpy")
    else:
        return ""
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{base}.{name}" if found is not None else ""


def moved_to_jax(spot: Spot) -> dict[str, str]:
    """The functions of NumPy, SciPy and `math` that get tracers in the statement, each with JAX's name, or ""."""
    nodes = ast.walk(spot.statement) if spot.statement is not None else ()
    calls = [node for node in nodes if isinstance(node, ast.Call) and function_of_module(spot, node)[0] in _OF_NUMBERS]
    return {
        ast.unparse(call.func): of_jax(spot, call)
        for call in calls
        if any(is_tracer(value) for _, value in operands(call, spot.frame))
    }


def with_names(spot: Spot, names: dict[str, str]) -> str:
    """The statement with other names for these functions."""

    def change(node: ast.AST) -> ast.AST | None:
        is_name = isinstance(node, ast.Attribute | ast.Name)
        return expression(names[name]) if is_name and (name := unparse(node)) in names else None

    return replaced(spot, change)


def called_name(node: ast.AST | None) -> str:
    """The name of what a call calls: "float", "np.sin"; "" for other nodes."""
    return unparse(node.func) if isinstance(node, ast.Call) else ""


def function_of_module(spot: Spot, node: ast.AST | None) -> tuple[str, str]:
    """(module, function) that a call names: ("numpy", "linalg.norm"), ("math", "exp"); empty where it names none."""
    function, base = "", node.func if isinstance(node, ast.Call) else None
    while isinstance(base, ast.Attribute):
        function, base = f"{base.attr}.{function}".rstrip("."), base.value
    value = value_of(base, spot.frame)
    if type(value) is ModuleType:
        return str(raw.namespace(value).get("__name__", "")), function
    module = raw.type_name(type(value)).partition("._")[0]
    if module == "scipy.stats" and type(name := raw.attributes(value).get("name")) is str:  # a distribution
        return module, f"{name}.{function}"
    if isinstance(value, BuiltinFunctionType) and not function:  # `from math import sqrt`
        return str(value.__module__ or ""), value.__name__
    return "", ""
