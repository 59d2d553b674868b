"""What in the source of a function needs the Python value of a number that its programs only compute with.

In: a finding about a static number, and the source that the recording holds.  Out: a sentence for its advice, "" if
nothing of the function's own is known to need the value.
Must never: read a file, or call what runs under a trace as well a decision, such as `rate is None`.
"""

import ast

from ...model import Compile
from ...model.finding import Finding
from ...model.quantities import shortened
from ...recording import Recording
from .edit import source_at
from .pasting import leaves_of
from .source_text import Source

_CHARS = 48
_OF_PYTHON = ("range", "int", "float", "bool", "round")
_BRANCHES = (ast.If, ast.IfExp, ast.While, ast.Assert)
_IN_TESTS = ast.Compare | ast.BoolOp | ast.UnaryOp | ast.BinOp


def tell_decision(finding: Finding, recording: Recording) -> str:
    """ " First write `jnp.where` or `jax.lax.cond` in place of `if rate == 0:` at t.py:4, which needs its value."."""
    row = recording.compiles[finding.compiles[-1]] if finding.compiles else None
    if row is None or finding.reason != "static_value" or not _is_number(row, finding.path):
        return ""
    try:
        source = source_at(recording, row.function_info.defined_at)
    except ValueError:  # it is not there, or is not Python
        return ""
    for function in source.all(ast.FunctionDef):
        if function.name == row.function_info.name.rpartition(".")[2]:
            for use in source.all(ast.expr, function):
                if source.of(use) == finding.path and (into := _decision(source, use)) is not None:
                    return _tell(source, into)
    return ""


def _is_number(row: Compile, path: str) -> bool:
    difference = row.judgement.difference
    leaves = leaves_of(row, [path])
    is_number = bool(leaves) and all(leaf.type in ("int", "float") for leaf in leaves)
    return is_number and difference is not None and difference.is_arithmetic


def _decision(source: Source, use: ast.expr) -> ast.AST | None:
    """The branch or the call of Python's own that needs the value."""
    inner: ast.AST = use
    for into in source.around(use):
        if isinstance(into, _BRANCHES):
            return into if into.test is inner else None
        if isinstance(into, ast.Call):
            return into if isinstance(into.func, ast.Name) and into.func.id in _OF_PYTHON else None
        is_identity = isinstance(into, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in into.ops)
        if is_identity or not isinstance(into, _IN_TESTS):
            return None
        inner = into
    return None


def _tell(source: Source, into: ast.AST) -> str:
    at = f"{source.label}:{into.lineno}"  # type: ignore[attr-defined]
    if isinstance(into, ast.expr) and not isinstance(into, ast.IfExp):
        code = shortened(source.of(into), _CHARS)
        return f" `{code}` at {at} needs its value: compute that with `jnp`, or keep it static."
    line = shortened(source.text.split("\n")[into.lineno - 1].strip(), _CHARS)  # type: ignore[attr-defined]
    return f" First write `jnp.where` or `jax.lax.cond` in place of `{line}` at {at}, which needs its value."
