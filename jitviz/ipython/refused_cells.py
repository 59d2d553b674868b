"""Errors about cells that cannot be compiled.

In: the syntax tree of a cell, or an error of its trace.  Out: a `CellError` that names the line and the next step.
Must never: change an error that a plain cell would raise as well, or print one of the user's values.
"""

import ast
import re
import traceback
from collections.abc import Container, Iterator

from IPython.core.error import InputRejected
from jax import errors

from ..errors import explained
from .whole_cell import WholeCell, names_bound_in

FORMAT = "Format it in a later cell, or print it with `jax.debug.print`."
_FORMATS = re.compile(r"format.*Tracer")
_OF_TRACING = (errors.JAXTypeError, errors.JAXIndexError)


class CellError(InputRejected):
    """A cell that cannot be compiled as one function. It assigns nothing, and the error has no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"CellError: {self}"]


class CellErrors:
    """Errors of one cell, which begin with its `label`: "In [5]"."""

    def __init__(self, label: str) -> None:
        self._label = label

    def at(self, line: int, advice: str) -> CellError:
        """An error at a line of the cell."""
        return CellError(f"{self._label}, line {line}: {advice}")

    def refuse(self, tree: ast.Module, known: Container[str] = ()) -> None:
        """Return if the whole cell can be compiled as one function. `known` are names that the user has assigned.

        Raises:
            CellError: it cannot. The error is about the first line that prevents it.
        """
        own = names_bound_in(tree)
        for node, what in sorted(_refusals(tree, 0), key=lambda found: found[0].lineno):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called not in own and (called == "get_ipython" or called not in known):
                raise self.at(node.lineno, f"{what} cannot be compiled with --cell: put it into a cell of its own.")

    def of_trace(self, error: Exception, cell: WholeCell, filename: str) -> CellError | None:
        """The error to raise for one that tracing the cell has raised; None if a plain cell would raise it as well."""
        if str(error).startswith("filter_jit(cell): "):  # it has refused an input
            return CellError(f"{self._label}: {str(error).removeprefix('filter_jit(cell): ')}")
        steps = traceback.walk_tb(error.__traceback__)
        line = ([line for frame, line in steps if frame.f_code.co_filename == filename] or [cell.last_line])[-1]
        if isinstance(error, TypeError) and _FORMATS.search(str(error)):
            return self.at(line, f"the text of a traced value has no numbers. {FORMAT}")
        if not isinstance(error, _OF_TRACING) and "of concrete values" not in str(error):
            return None
        raised = explained(error)
        said = raised.summary or raised.message.partition("\n")[0]
        inside = "" if raised.source in ("", f"{self._label}:{line}") else f" It was raised at {raised.source}."
        return self.at(line, f"{said} {raised.advice}".rstrip() + inside)


def _refusals(node: ast.AST, depth: int) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Each node that prevents compilation, and what it is. `depth` is the number of functions around `node`."""
    what = _refused(node, depth)
    if what and isinstance(node, ast.expr | ast.stmt):
        yield node, what
        return
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    body = ast.expr if isinstance(node, ast.Lambda) else ast.stmt
    for child in ast.iter_child_nodes(node):
        yield from _refusals(child, depth + (is_function and isinstance(child, body)))


def _refused(node: ast.AST, depth: int) -> str:
    """What a compiled cell cannot have, or ""."""
    match node:
        case ast.Call(ast.Name("exec" | "eval" as name), args, keywords):
            has_names = len(args) > 1 or any(keyword.arg == "globals" for keyword in keywords)
            return "" if has_names else f"`{name}` of a text"
        case ast.Call(ast.Name("locals" | "vars" | "dir" as name), args):
            return "" if args or depth else f"`{name}()`"
        case ast.Call(ast.Name("globals" | "input" | "get_ipython" as name)):
            return f"`{name}()`"
        case ast.Call(ast.Attribute(ast.Call(ast.Name("get_ipython")))):
            return "a magic or a shell command"
        case ast.ImportFrom(module="__future__") | ast.ImportFrom(names=[ast.alias(name="*")]):
            return "`from __future__` or `import *`"
        case ast.Global() | ast.Nonlocal():
            return f"`{type(node).__name__.lower()}`" if isinstance(node, ast.Global) or depth < 2 else ""
        case ast.Await() | ast.AsyncFor() | ast.AsyncWith() | ast.Yield() | ast.YieldFrom() | ast.Return():
            return "" if depth else "`return`, `yield` or `await`"
        case ast.expr() if not depth and any(part.is_async for part in getattr(node, "generators", ())):
            return "an asynchronous comprehension"
    return ""
