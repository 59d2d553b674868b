"""`%%filterjit -f NAME`: filter-jitting functions for one cell.

In: the user's namespace and the names.  Out: the names, bound to filter-jitted functions while the cell runs.
Must never: leave a wrapper in the namespace, or overwrite a value that the cell itself has bound.
"""

import ast
import difflib
from typing import Any

from IPython.core.error import InputRejected

from ..filters import filter_jit
from .whole_cell import is_cell_magic, names_bound_in

_DECORATOR = "__jitviz_filter_jit__"  # in the namespace while the cell runs; hidden from %who by its underscores


class NotAFunction(InputRejected):
    """A name after -f is not that of a function. The cell does not run; the error is one line, like a usage error."""

    def _render_traceback_(self) -> list[str]:
        return [f"UsageError: {self}"]


class Rebinding(ast.NodeTransformer):
    """Rebinds the named functions for one cell. It is one of the shell's `ast_transformers` while the cell runs.

    `notes` are sentences for the panel, about names that -f did not jit. A cell that runs again finds its compiled
    versions, because all wrappers of one function share them.
    """

    def __init__(self, names: tuple[str, ...], namespace: dict[str, Any]) -> None:
        self.notes: list[str] = []
        self._names = names
        self._namespace = namespace
        self._made: list[Any] = []  # wrappers
        self._is_checked = False

    def bind(self) -> None:
        """Bind the names of existing functions to their wrappers."""
        self._namespace[_DECORATOR] = self._decorate
        for name in self._names:
            if callable(self._namespace.get(name)):
                self._namespace[name] = self._decorate(self._namespace[name])

    def visit(self, tree: ast.AST) -> ast.AST:
        """Decorate the named functions that the cell defines.

        Raises:
            NotAFunction: a name is neither bound to a function nor bound by the cell.
        """
        if self._is_checked or not isinstance(tree, ast.Module) or is_cell_magic(tree):
            return tree  # the body of another cell magic is transformed by itself
        self._is_checked = True
        bound = names_bound_in(tree)
        for name in self._names:
            if not callable(self._namespace.get(name)) and not bound & {name, "*"}:
                raise NotAFunction(self._complaint(name))
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name in self._names:
                above = statement.decorator_list[0] if statement.decorator_list else statement
                statement.decorator_list.insert(0, ast.copy_location(ast.Name(_DECORATOR, ast.Load()), above))
        return tree

    def restore(self) -> None:
        """Bind the names to their functions again, except those that the cell has bound to another value."""
        for name in self._names:
            value: Any = self._namespace.get(name)
            if any(value is wrapper for wrapper in self._made):
                self._namespace[name] = value.__wrapped__
            else:
                self._note(name, value)
        self._namespace.pop(_DECORATOR, None)
        self._made.clear()

    def _decorate(self, function: Any) -> Any:
        if _is_jitted(function):
            return function
        self._made.append(filter_jit(function))
        return self._made[-1]

    def _note(self, name: str, value: object) -> None:
        if _is_jitted(value):
            self.notes.append(f"`{name}` is already jitted; -f left it unchanged.")
        elif name in self._namespace:
            self.notes.append(
                f"-f did not jit the value that the cell bound to `{name}`: it takes functions of earlier cells, "
                "and functions that the cell defines with `def`."
            )

    def _complaint(self, name: str) -> str:
        if name in self._namespace:
            return f"%%filterjit -f {name}: a value of type {type(self._namespace[name]).__name__} is not a function."
        callables = [name for name, value in self._namespace.items() if callable(value) and not name.startswith("_")]
        close = difflib.get_close_matches(name, callables, n=1)
        hint = f"Did you mean {close[0]}?" if close else "Define it in an earlier cell, or in this one."
        return f"%%filterjit -f {name}: there is no function with this name. {hint}"


def _is_jitted(value: object) -> bool:
    """Whether the value is a function that JAX or another library has jitted."""
    return callable(value) and hasattr(value, "lower")
