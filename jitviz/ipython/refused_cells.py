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

_NOTEBOOK = "`{}()` reads and writes the notebook past the compiled cell. Write the names in the cell itself."
_TEXT = "`{}` of a text hides which names it reads and assigns. Write the code in the cell itself."
_BUILTINS = {
    "exec": _TEXT,
    "eval": _TEXT,
    "globals": _NOTEBOOK,
    "locals": _NOTEBOOK,
    "vars": _NOTEBOOK,
    "dir": _NOTEBOOK,
    "input": "`input` would ask only while the cell is traced. Ask in an earlier cell.",
}
_MAGIC = "A magic, `?` or a shell command would run only while the cell is traced. Put it into a cell of its own."
_ASYNC = "`await` does not work inside a compiled program. Await in an earlier cell, and use the result here."
_YIELD = "`yield` creates a generator, which cannot be compiled. Collect the values in a list."
_TOP_LEVEL: dict[type[ast.AST], str] = {  # outside of any function
    ast.Return: "`return` works only in a function. Write the value as the last line of the cell, or assign it.",
    ast.Global: "`global` is not needed: all names that the cell assigns are assigned in the notebook. Leave it out.",
    **dict.fromkeys((ast.Yield, ast.YieldFrom), _YIELD),
    **dict.fromkeys((ast.Await, ast.AsyncFor, ast.AsyncWith), _ASYNC),
}
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
        for node, advice in sorted(_refusals(tree, 0), key=lambda found: found[0].lineno):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called not in own and (called == "get_ipython" or called not in known):
                raise self.at(node.lineno, advice)

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
    """Each node that prevents compilation, with the advice. `depth` is the number of functions around `node`."""
    advice = _refusal(node, depth)
    if advice is not None and isinstance(node, ast.expr | ast.stmt):
        yield node, advice
        return
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    body = ast.expr if isinstance(node, ast.Lambda) else ast.stmt
    for child in ast.iter_child_nodes(node):
        yield from _refusals(child, depth + (is_function and isinstance(child, body)))


def _refusal(node: ast.AST, depth: int) -> str | None:  # noqa: C901  # a case per construct
    match node:
        case ast.Call(ast.Name("exec" | "eval" as name), args, keywords):
            has_names = len(args) > 1 or any(keyword.arg == "globals" for keyword in keywords)
            return None if has_names else _TEXT.format(name)
        case ast.Call(ast.Name("locals" | "vars" | "dir"), args) if args or depth:
            return None
        case ast.Call(ast.Name(name)) if name in _BUILTINS:
            return _BUILTINS[name].format(name)
        case ast.Call(ast.Attribute(ast.Call(ast.Name("get_ipython")))):
            return _MAGIC
        case ast.Call(ast.Name("get_ipython")):
            return _NOTEBOOK.format("get_ipython")
        case ast.Global() if depth:
            return "`global` cannot reach the notebook from a compiled cell. Return the value, and assign it there."
        case ast.Nonlocal() if depth < 2:
            return "`nonlocal` needs an enclosing function. Pass the value to the function, and return the new one."
        case ast.ImportFrom(module="__future__"):
            return "`from __future__` changes how Python reads the cell. Put it into an earlier cell."
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return "`import *` hides which names it assigns. Import them by name, or in an earlier cell."
        case ast.expr() if not depth and any(part.is_async for part in getattr(node, "generators", ())):
            return _ASYNC
    return None if depth else _TOP_LEVEL.get(type(node))
