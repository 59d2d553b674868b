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

from ..capture import sources
from .whole_cell import WholeCell, name_in

_NOTEBOOK = "{} reads and writes the notebook past the compiled cell. Write the names in the cell itself."
_CODE = "`{}` of a text hides which names it reads and assigns. Write the code in the cell itself."
_BUILTINS = {
    "exec": _CODE.format("exec"),
    "eval": _CODE.format("eval"),
    "globals": _NOTEBOOK.format("`globals()`"),
    "input": "`input` would ask only while the cell is traced. Ask in an earlier cell.",
}
_SCOPES = ("locals", "vars", "dir")  # without arguments
_MAGICS = {"run_line_magic", "run_cell_magic", "system", "getoutput"}
_ASYNC = "`await` does not work inside a compiled program. Await in an earlier cell, and use the result here."
_PYTHON_VALUE = (
    "this needs a Python value (for `float(...)`, `int(...)`, `.item()`, a shape, a `range`), but the value is traced "
    "and not known yet. Keep it an array, or convert it to a Python value in an earlier cell, which makes it static."
)
# By class, subclasses first.
_ADVICE: tuple[tuple[type[Exception], str], ...] = (
    (
        errors.TracerBoolConversionError,
        "this branch depends on a traced value, which is not known while the cell is traced. Choose with "
        "`jnp.where` or `jax.lax.cond`, loop with `jax.lax.while_loop`, or convert the value to a Python one in an "
        "earlier cell (`bool(...)`, `float(...)`), which makes it static.",
    ),
    (
        errors.TracerArrayConversionError,
        "NumPy needs the values of a traced array, which are not known yet. Use `jax.numpy`, or compute it in "
        "an earlier cell.",
    ),
    (
        errors.TracerIntegerConversionError,
        "this needs an integer, but the value is traced and not known yet. Convert it to a Python `int` in an earlier "
        "cell, which makes it static.",
    ),
    (
        errors.NonConcreteBooleanIndexError,
        "the number of elements that a traced mask selects is not known yet. Keep the shape: `jnp.where(mask, x, 0)`.",
    ),
    (errors.ConcretizationTypeError, _PYTHON_VALUE),
    (
        errors.UnexpectedTracerError,
        "this is a leaked tracer: a value of a trace that has ended. Return the value from the traced code, and "
        "compute the object that holds it again.",
    ),
)


class CellError(InputRejected):
    """A cell that cannot be compiled as one function. It assigns nothing, and the error has no traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"CellError: {self}"]


class CellErrors:
    """Errors of one cell, which begin with its `label`: "In [5]"."""

    def __init__(self, label: str) -> None:
        self._label = label

    def at(self, line: int, advice: str, statement: ast.stmt | None) -> CellError:
        """An error at a line of the cell, with the first line of a statement."""
        where = f"{self._label}, line {line}: {advice}"
        if statement is None:
            return CellError(where)
        return CellError(f"{where}\n    {statement.lineno} | {ast.unparse(statement).splitlines()[0]}")

    def refuse(self, tree: ast.Module, known: Container[str] = ()) -> None:
        """Return if the whole cell can be compiled as one function. `known` are names that the user has assigned.

        Raises:
            CellError: it cannot. The error is about the first line that prevents it.
        """
        bound = (node for node in ast.walk(tree) if not isinstance(getattr(node, "ctx", None), ast.Load))
        own = set(map(name_in, bound))
        for node, advice in sorted(_refusals(tree, 0), key=lambda found: found[0].lineno):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called != "get_ipython" and (called in own or called in known):
                continue  # a function of the user's with the name of a built-in one
            around = [part for part in ast.walk(tree) if isinstance(part, ast.stmt) and node in ast.walk(part)]
            raise self.at(node.lineno, advice, around[-1])

    def of_trace(self, error: Exception, cell: WholeCell, filename: str) -> CellError | None:
        """The error to raise for one that tracing the cell has raised; None if a plain cell would raise it as well."""
        advice = _advice_on(error)
        places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        if advice is None or (isinstance(error, NameError) and places[-1][0] != filename):
            return None
        origin, line = "", cell.tree.body[-1].lineno
        for name, number in reversed(places):
            if name == filename:
                line = number
                break
            if not origin and not sources.is_library(name):
                origin = f" The error comes from {sources.location(name, number)}, which this line calls."
        return self.at(line, f"{advice}{origin}", cell.statement_at(line))

    def of_input(self, error: TypeError, cell: WholeCell) -> CellError | None:
        """The error to raise if `filter_jit` has refused an input; None if the error is another one."""
        refusal = re.match(r"filter_jit\(.*?\): (.*?`(\w+).*)", str(error), re.DOTALL)
        if refusal is None:
            return None
        line = cell.line_of(refusal[2])
        return self.at(line, refusal[1], cell.statement_at(line))


def _advice_on(error: Exception) -> str | None:
    if isinstance(error, NameError):
        return f"{error}. Assign it in an earlier cell, or earlier in this one."
    of_shapes = _PYTHON_VALUE if isinstance(error, TypeError) and "of concrete values" in str(error) else None
    return next((advice for kind, advice in _ADVICE if isinstance(error, kind)), of_shapes)


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
        case ast.Call(ast.Name(name), args, keywords) if name in _BUILTINS:
            has_names = len(args) > 1 or any(keyword.arg == "globals" for keyword in keywords)
            return None if name in ("exec", "eval") and has_names else _BUILTINS[name]
        case ast.Call(ast.Name(name), []) if name in _SCOPES and not depth:
            return _NOTEBOOK.format(f"`{name}()`")
        case ast.Call(ast.Attribute(ast.Call(ast.Name("get_ipython")), attr)) if attr in _MAGICS:
            what = "a magic or `?`" if attr.endswith("magic") else "a shell command"
            return f"{what} would run only while the cell is traced. Put it into a cell of its own."
        case ast.Call(ast.Name("get_ipython")):
            return _NOTEBOOK.format("`get_ipython()`")
        case ast.Global() if depth:
            return (
                "`global` cannot reach the notebook from a compiled cell. Return the value, and assign it in the cell."
            )
        case ast.Global():
            return "`global` is not needed: all names that the cell assigns are assigned in the notebook. Leave it out."
        case ast.Nonlocal() if depth < 2:
            return "`nonlocal` needs an enclosing function. Pass the value to the function, and return the new one."
        case ast.ImportFrom(module="__future__"):
            return (
                "`from __future__` changes how Python reads the cell. Put it into an earlier cell; it stays in effect."
            )
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return "`import *` hides which names it assigns. Import them by name, or in an earlier cell."
    if depth:
        return None
    match node:
        case ast.Return():
            return "`return` works only in a function. Write the value as the last line of the cell, or assign it."
        case ast.Yield() | ast.YieldFrom():
            return "`yield` creates a generator, which cannot be compiled. Collect the values in a list."
        case ast.Await() | ast.AsyncFor() | ast.AsyncWith():
            return _ASYNC
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _ASYNC if any(generator.is_async for generator in node.generators) else None
    return None
