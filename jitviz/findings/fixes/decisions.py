"""What in the source of a function needs the Python value of a number that its programs only compute with.

In: a finding about a static number, and the source that the recording holds.  Out: its advice, with what needs the
value, or may; for edits, the same as data.
Must never: read a file, or call what runs under a trace as well a decision, such as `rate is None`.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ...model import Compile, Finding, last_name, root_of, shortened, split_source
from ...reasons.kinds.static_value import UNLESS
from ...reasons.pasting import leaves_of
from ...recording import Recording
from .source_text import Source, source_at

_CHARS = 48
_DEPTH = 3  # functions that call each other
_OF_PYTHON = ("range", "int", "float", "bool", "complex", "round", "min", "max", "sorted")
_OF_NUMPY = ("np", "numpy", "math")
_FINE = ("print", "str", "repr", "abs", "sum", "pow", "tuple", "list", "dict", "isinstance", "type", "len", "zip")
_OF_JAX = (
    *("jax", "jnp", "lax", "jsp", "jr", "jrandom", "random", "nn", "chex", "diffrax", "distrax", "eqx", "equinox"),
    *("flax", "lineax", "nnx", "optax", "optimistix", "tfp"),
)
# Functions of these that take a traced number wherever they take one that changes no shape. Others may branch on it.
_NAMES = """
    abs absolute adam adamw add allclose append arctan2 array asarray bernoulli bfloat16 cbrt ceil celu clip cond
    cos cosh cumsum deg2rad divide dot elu ema equal erf exp exp2 expit expm1 fabs float16 float32 float64
    float_power floor floor_divide fmax fmin fmod fold_in full full_like global_norm greater greater_equal heaviside
    hypot inner int32 int64 isclose isfinite isinf isnan key leaky_relu less less_equal log log10 log1p log2
    logaddexp logit max maximum mean min minimum mod multiply nan_to_num negative not_equal outer polyval power prod
    PRNGKey rad2deg reciprocal relu remainder roll scale sgd sigmoid sign silu sin sinc sinh softplus sqrt square
    std subtract sum switch take tan tanh true_divide var vdot where while_loop"""
TRACED = frozenset(_NAMES.split())
_OF_ARRAYS = ("set", "add", "multiply", "divide", "power", "clip", "astype", "take", "dot", "mean", "std", "var")
_BRANCHES = (ast.If, ast.IfExp, ast.While, ast.Assert)
_PASSED_ON = ast.Compare | ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.keyword | ast.Starred | ast.Slice | ast.Tuple


Function: TypeAlias = ast.FunctionDef | ast.Lambda


class Need(NamedTuple):
    """What needs the value of a number: a branch, an expression; or a call of something unknown, which may."""

    kind: Literal["branch", "value", "call"]
    node: ast.expr | ast.stmt


def with_decision(finding: Finding, recording: Recording) -> str:
    """The advice of a finding, and " First write `jnp.where` or `jax.lax.cond` in place of `if rate == 0:` at t.py:4,
    which needs its value."; without the doubt that reasons have, if the source shows that nothing does."""
    row = recording.compiles[finding.compiles[-1]] if finding.compiles else None
    if row is None or finding.reason != "static_value" or not _is_number(row, finding.path):
        return finding.advice
    try:
        source = source_at(recording, row.function_info.defined_at)
    except ValueError:  # it is not there, or is not Python
        return finding.advice
    functions = _functions(source, row)
    needs = [need for function in functions for need in needs_in(source, function, finding.path)]
    needs.sort(key=lambda need: need.kind == "call")
    if not functions:
        return finding.advice
    return finding.advice.replace(UNLESS, "") + (_tell(source, needs[0], finding.path) if needs else "")


def _functions(source: Source, row: Compile) -> Sequence[Function]:
    """What defines the function of a version; none if the source does not show it."""
    _, line = split_source(row.function_info.defined_at)
    lambdas = [node for node in source.all(ast.Lambda) if node.lineno == line]
    return source.functions(row.function) or (lambdas if len(lambdas) == 1 else ())


def _is_number(row: Compile, path: str) -> bool:
    difference = row.judgement.difference
    leaves = leaves_of(row, [path])
    inside = [leaf for leaf in row.signature.static if leaf.path == root_of(path) != path]
    is_number = bool(leaves or inside) and all(leaf.type in ("int", "float") for leaf in leaves)
    return is_number and difference is not None and difference.is_arithmetic


def needs_in(source: Source, function: Function, path: str, depth: int = _DEPTH) -> Iterator[Need]:
    """What in a function needs the value of the number at `path`, or may."""
    names = {path}
    for assignment in source.all(ast.Assign, function):
        parts = [part for part in ast.walk(assignment.value) if isinstance(part, ast.Name | ast.Attribute | ast.Call)]
        if parts and all(source.of(part) in names for part in parts):
            names.add(source.of(assignment.targets[0]))
    for use in source.all(ast.expr, function):
        if source.of(use) in names and isinstance(getattr(use, "ctx", None), ast.Load):
            yield from need_of(source, use, depth)


def need_of(source: Source, use: ast.expr, depth: int = _DEPTH) -> Iterator[Need]:
    """What needs the value of a number at one use of it."""
    inner: ast.AST = use
    is_bound = False
    for into in source.around(use):
        if isinstance(into, _BRANCHES) and into.test is inner:
            yield Need("branch", into)
        elif isinstance(into, ast.Call) and inner is not into.func:
            yield from _of_call(source, into, inner, depth)
        elif isinstance(into, ast.Subscript) and into.slice is inner:
            is_array = not isinstance(into.value, ast.Name) or source.is_local(into.value)
            yield from () if is_array and not is_bound else [Need("value", into)]
        is_identity = isinstance(into, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in into.ops)
        if is_identity or not isinstance(into, _PASSED_ON):
            return
        is_bound |= isinstance(into, ast.Slice)
        inner = into


def _of_call(source: Source, call: ast.Call, given: ast.AST, depth: int) -> Iterator[Need]:
    """What needs the value of a number that a call is given."""
    path = ast.unparse(call.func)
    root, name = path.partition(".")[0], path.rpartition(".")[2]
    functions = source.functions(name)
    if path in _OF_PYTHON or (root in _OF_NUMPY and root != path):
        yield Need("value", call)
    elif len(functions) == 1 and depth and (parameter := _parameter(functions[0], call, given)):
        yield from needs_in(source, functions[0], parameter, depth - 1)
    elif root in _OF_JAX and given in call.args[:1] and _is_with_another(given):
        return  # the operand, which is an array then
    elif functions or not (path in _FINE or name[:1].isupper() or name in (TRACED if root in _OF_JAX else _OF_ARRAYS)):
        yield Need("call", call)


def _is_with_another(expression: ast.AST) -> bool:
    """Whether it computes with another name as well."""
    return (
        isinstance(expression, ast.BinOp) and len({n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}) > 1
    )


def _parameter(function: ast.FunctionDef, call: ast.Call, given: ast.AST) -> str:
    """The parameter of a function that gets an argument of a call; "" if that is not certain."""
    if isinstance(given, ast.keyword):
        return given.arg or ""
    parameters = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
    is_method = parameters[:1] == ["self"] and isinstance(call.func, ast.Attribute)
    place = call.args.index(given) + is_method if given in call.args else len(parameters)
    is_plain = not any(isinstance(node, ast.Starred) for node in call.args) and not function.decorator_list
    return parameters[place] if place < len(parameters) and is_plain else ""


def _tell(source: Source, need: Need, path: str) -> str:
    at = f"{source.label}:{need.node.lineno}"
    if isinstance(need.node, ast.stmt | ast.IfExp):
        line = shortened(source.text.split("\n")[need.node.lineno - 1].strip(), _CHARS)
        return f" First write `jnp.where` or `jax.lax.cond` in place of `{line}` at {at}, which needs its value."
    code = shortened(source.of(need.node), _CHARS)
    if need.kind == "call":
        what = "a branch, a loop or a static parameter in there needs the value of"
        return f" First look at `{code}` at {at}: {what} `{last_name(path)}`."
    return f" `{code}` at {at} needs its value: compute that with `jnp`, or keep it static."
