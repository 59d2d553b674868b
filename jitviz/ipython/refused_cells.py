"""What cannot be compiled as a cell, and what to do about it.

In: the syntax tree of a cell, or an error of its trace.  Out: a `CellError` that names the line and the way out.
Must never: change an error that a plain cell would raise as well, or print a value of the user's.
"""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator
from types import TracebackType

from IPython.core.error import InputRejected
from jax import errors

from ..capture import sources
from .whole_cell import WholeCell

_MAGICS = {"run_line_magic", "run_cell_magic", "system", "getoutput"}
_ASYNC = "`await` cannot wait inside a compiled program. Await in an earlier cell, and read the result here."
_PYTHON_VALUE = (
    "this needs a Python value (for `float(...)`, `int(...)`, `.item()`, a shape, a `range`), but the value is traced "
    "and not known yet. Keep it an array, or make it a Python value in an earlier cell, where it is static."
)
# By class, the closest first: each is one of those after it, or none.
_ADVICE: tuple[tuple[type[Exception], str], ...] = (
    (
        errors.TracerBoolConversionError,
        "this branch depends on a traced value, which is not known while the cell is traced. Choose with "
        "`jnp.where` or `jax.lax.cond`, loop with `jax.lax.while_loop`, or make the value a Python one in an earlier "
        "cell (`bool(...)`, `float(...)`), where it is static.",
    ),
    (
        errors.TracerArrayConversionError,
        "NumPy needs the values of a traced array, which are not known yet. Use `jax.numpy`, or compute it in "
        "an earlier cell.",
    ),
    (
        errors.TracerIntegerConversionError,
        "this needs an integer, but the value is traced and not known yet. Make it a Python `int` in an earlier cell, "
        "where it is static.",
    ),
    (
        errors.NonConcreteBooleanIndexError,
        "the number of elements that a traced mask selects is not known yet. Keep the shape: `jnp.where(mask, x, 0)`.",
    ),
    (errors.ConcretizationTypeError, _PYTHON_VALUE),
    (
        errors.UnexpectedTracerError,
        "this is a leaked tracer: a value of a trace that has ended. Return it from the traced code, and recompute "
        "what holds it.",
    ),
)


class CellError(InputRejected):
    """A cell that cannot be compiled as one function; nothing of it was assigned. Shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"CellError: {self}"]


class CellErrors:
    """The errors of one cell. `label` is "In [5]", or "%filterjit"."""

    def __init__(self, label: str) -> None:
        self._label = label

    def at(self, line: int, advice: str, statement: ast.stmt | None) -> CellError:
        """The error at a line."""
        where = f"{self._label}, line {line}: {advice}"
        if statement is None:
            return CellError(where)
        return CellError(f"{where}\n    {statement.lineno} | {ast.unparse(statement).splitlines()[0]}")

    def refuse(self, tree: ast.Module) -> None:
        """Raise the first thing, top down, that no cell compiled as one function can contain.

        Raises:
            CellError: there is one.
        """
        found = sorted(_refusals(tree, None, 0), key=lambda found: found[0].lineno)
        for node, advice, statement in found:
            raise self.at(node.lineno, advice, statement)

    def of_trace(self, error: Exception, cell: WholeCell, filename: str) -> CellError | None:
        """What to say of an error that came while the cell was traced; None if it is none of the trace's own."""
        advice = _advice_on(error)
        frames = list(traceback.walk_tb(error.__traceback__))
        is_elsewhere = not frames or frames[-1][0].f_code.co_filename != filename
        if advice is None or (isinstance(error, NameError) and is_elsewhere):
            return None
        line = next((line for frame, line in reversed(frames) if frame.f_code.co_filename == filename), 0)
        if not line:
            line = max((node.lineno for node in cell.tree.body), default=1)
        deeper = _deeper(error.__traceback__, filename)
        return self.at(line, f"{advice}{deeper}", cell.statement_at(line))

    def of_input(self, error: TypeError, cell: WholeCell) -> CellError | None:
        """What to say of an input that no jitted function can take."""
        told = re.match(r"filter_jit\(.*?\): (.*?`(\w+).*)", str(error), re.DOTALL)
        if told is None:
            return None
        line = cell.line_of(told[2])
        return self.at(line, told[1], cell.statement_at(line))


def _advice_on(error: Exception) -> str | None:
    if isinstance(error, NameError):
        return f"{error}. Assign it in an earlier cell, or further up in this one."
    of_shapes = _PYTHON_VALUE if isinstance(error, TypeError) and "of concrete values" in str(error) else None
    return next((advice for kind, advice in _ADVICE if isinstance(error, kind)), of_shapes)


def _deeper(trace: TracebackType | None, filename: str) -> str:
    """Where the user's code was when it left the cell behind, as a clause."""
    for frame, line in reversed(list(traceback.walk_tb(trace))):
        name = frame.f_code.co_filename
        if name == filename:
            return ""
        if not sources.is_library(name):
            return f" It came from {sources.location(name, line)}, which this line calls."
    return ""


def _refusals(
    node: ast.AST, statement: ast.stmt | None, depth: int
) -> Iterator[tuple[ast.expr | ast.stmt, str, ast.stmt | None]]:
    """What is in the way; `depth` counts the functions round a node."""
    if isinstance(node, ast.stmt):
        statement = node
    advice = _refusal(node, depth)
    if advice is not None and isinstance(node, ast.expr | ast.stmt):
        yield node, advice, statement
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        body = node.body if isinstance(node.body, list) else [node.body]
        for child in ast.iter_child_nodes(node):
            yield from _refusals(child, statement, depth + (child in body))
        return
    for child in ast.iter_child_nodes(node):
        yield from _refusals(child, statement, depth)


def _refusal(node: ast.AST, depth: int) -> str | None:  # noqa: C901  # one line for each thing
    match node:
        case ast.Call(ast.Attribute(ast.Call(ast.Name("get_ipython")), attr)) if attr in _MAGICS:
            return _magic(attr)
        case ast.Global():
            return "`global` goes past the inputs and outputs. Leave it out: what the cell assigns is assigned outside."
        case ast.Nonlocal() if depth < 2:
            return "`nonlocal` needs a function round it. Give the function the value, and have it return the new one."
        case ast.ImportFrom(module="__future__"):
            return "`from __future__` changes how the cell is read. Put it into an earlier cell; it lasts."
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return "`import *` does not say what it assigns. Name what you need, or import it in an earlier cell."
    if depth:
        return None
    match node:
        case ast.Return():
            return "`return` leaves a function, and a cell is none. Write the value as the last line, or assign it."
        case ast.Yield() | ast.YieldFrom():
            return "`yield` makes a generator, which cannot be compiled. Collect the values in a list."
        case ast.Await() | ast.AsyncFor() | ast.AsyncWith():
            return _ASYNC
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _ASYNC if any(generator.is_async for generator in node.generators) else None
    return None


def _magic(attr: str) -> str:
    what = "a magic or `?`" if attr.endswith("magic") else "a shell command"
    return f"{what} would run only while the cell is traced. Put it into a cell of its own."
