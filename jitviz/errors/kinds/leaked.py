"""A tracer that was stored outside of the function that was traced, and is used after the trace.

In: `Facts`.  Out: `Raised`, None for other exceptions.
Source: https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
"""

import ast
from collections.abc import Iterator

from ...capture import sources
from ...jaxcompat.texts.error_messages import leaked_at, leaked_function, traced_where
from ...model.raised import Raised
from ..blame import tracers
from ..facts import Facts
from ..syntax import tree_of

EXAMPLE = """
seen = []

@jax.jit
def step(x):
    seen.append(x * 2)
    return x

step(jnp.ones(3))
print(seen[0] + 1)
"""
INSTEAD = """
seen = []

@jax.jit
def step(x):
    return x, x * 2

out, doubled = step(jnp.ones(3))
seen.append(doubled)
print(seen[0] + 1)
"""

_STORES = ("append", "add", "update", "setdefault", "extend", "insert", "put", "appendleft")


def explain(facts: Facts) -> Raised | None:
    is_after = _is_after_the_trace(facts)
    if not (is_after or facts.is_a("UnexpectedTracerError")) or facts.says("nondiff_argnums"):
        return None
    function, file, line = (traced_where if is_after else leaked_function)(facts.message)
    short = function.rpartition("<locals>.")[2]
    of = f"`{short}`" if short else "the traced function"
    used = next((text for text, _ in tracers(facts, facts.spot.node if facts.spot else None)), "")
    made = leaked_at(facts.message)
    store = _store(file, line, made, used) if file else _named(facts, used)
    if store is not None and not file:
        file = facts.users[-1].frame.f_code.co_filename
    at = f"{sources.location(file, store.lineno)}" if store is not None else ""
    text = ast.unparse(store).partition("\n")[0] if store is not None else ""
    holder = target_of(store) if store is not None else used
    name = f"`{holder}`" if holder else "A variable outside"
    return Raised(
        function=short,
        path=used or holder,
        origin=at,
        summary=f"{name} holds a traced value of {of}, which means nothing after the trace.",
        detail=f"`{text}` at {at} stored it while {of} was traced."
        if at
        else f"{of[0].upper()}{of[1:]} stored it while it was traced.",
        advice=f"Fill it before {of} is called, or make its value with NumPy: what a trace makes is traced."
        if store is not None and _is_cache(file, store)
        else f"Return the value from {of}, and store what the call returns.",
    )


def _is_after_the_trace(facts: Facts) -> bool:
    """Whether Python needed a value of a trace that is over: the exception came through no frame of its function."""
    function, file, line = traced_where(facts.message)
    if not line:
        return False
    codes = [step.frame.f_code for step in facts.steps]
    return sources.frame_owner(file) == "user" and not any(
        code.co_name == function.rpartition(".")[2] or (code.co_filename, code.co_firstlineno) == (file, line)
        for code in codes
    )


def _store(file: str, line: int, made: tuple[str, int] | None, used: str) -> ast.stmt | None:
    """The statement of the traced function that stored the value: the one that made it, or one that stores to the name
    that was used."""
    stores = [*_stores(file, line), *(_stores(*made) if made is not None else ())]
    at_line = [each for each in stores if made is not None and made == (file, each.lineno)]
    last = used.rpartition(".")[2].partition("[")[0] or used.partition("[")[0]
    by_name = [each for each in stores if last and target_of(each).rpartition(".")[2].partition("[")[0] == last]
    return next(iter([*[each for each in by_name if each in at_line], *by_name, *at_line, *stores]), None)


def _is_cache(file: str, store: ast.stmt) -> bool:
    """Whether a statement stores what is asked for first: `if self.table is None`, `if n not in tables`."""
    tree, root = tree_of("".join(sources.lines_of(file))), target_of(store).partition("[")[0]
    asks = (node for node in (ast.walk(tree) if tree is not None else ()) if isinstance(node, ast.If))
    return any(root in ast.unparse(each.test) and store in each.body for each in asks if root)


def _named(facts: Facts, used: str) -> ast.stmt | None:
    """The only statement in a function of the user's file that stores to what was used: JAX does not name the function
    of a gradient's trace."""
    tree = tree_of("".join(facts.spot.lines)) if facts.spot is not None and used else None
    functions = [node for node in (ast.walk(tree) if tree is not None else ()) if isinstance(node, ast.FunctionDef)]
    stores = {
        node.lineno: node
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and is_store(node, _outside(function)) and target_of(node) == used
    }
    return next(iter(stores.values())) if len(stores) == 1 else None


def _stores(file: str, line: int) -> Iterator[ast.stmt]:
    """The statements that store outside of the innermost function that has a line."""
    tree = tree_of("".join(sources.lines_of(file)))
    holding = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        and _first_line(node) <= line <= (node.end_lineno or line)
    ]
    function = max(holding, key=_first_line, default=None)
    nodes = list(ast.walk(function)) if function is not None else []
    outside = _outside(function) if function is not None else set()
    yield from (node for node in nodes if isinstance(node, ast.stmt) and is_store(node, outside))


def _outside(function: ast.AST) -> set[str]:
    """The names of a function that are global or belong to one around it."""
    declared = (node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    return {name for node in declared for name in node.names}


def _first_line(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> int:
    """The line of a function's first decorator, or of the function."""
    decorators: list[ast.expr] = getattr(function, "decorator_list", [])
    return min([function.lineno, *(each.lineno for each in decorators)])


def is_store(node: ast.stmt, outside: set[str]) -> bool:
    """Whether a statement stores in an object, or to one of the names outside."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(each, ast.Attribute | ast.Subscript) or ast.unparse(each) in outside for each in targets)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _STORES


def target_of(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return ast.unparse(node.target)
    call = node.value if isinstance(node, ast.Expr) else None
    return ast.unparse(call.func.value) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
