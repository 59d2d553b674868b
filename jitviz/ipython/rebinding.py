"""`%%filterjit -f NAME`: functions that are filter-jitted for one cell.

In: the user's namespace and the names.  Out: the names bound to filter-jitted functions, and later to what they were.
Must never: leave a wrapper behind under a name, or undo what the cell itself bound.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from typing import Any

from IPython.core.error import InputRejected

from ..filters import filter_jit

_DECORATOR = "__jitviz_filter_jit__"  # in the namespace while the cell runs; hidden from %who by its underscores


class NotAFunction(InputRejected):
    """-f names nothing that can be filter-jitted. The cell is not run; shown as one line, like a usage error."""

    def _render_traceback_(self) -> list[str]:
        return [f"UsageError: {self}"]


class Wrappers:
    """The filter-jitted form of each named function, kept while the name still means that function.

    So a cell that is run again finds the versions it compiled, as it would with a decorator.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._kept: dict[str, tuple[Any, Any]] = {}

    def of(self, name: str) -> Any:
        """The wrapper for what `name` means now."""
        function = self._namespace[name]
        if name not in self._kept or self._kept[name][0] is not function:
            self._kept[name] = (function, filter_jit(function))
        return self._kept[name][1]

    def prune(self) -> None:
        """Let go of functions that the user has let go of."""
        self._kept = {name: kept for name, kept in self._kept.items() if self._namespace.get(name) is kept[0]}


class Rebinding(ast.NodeTransformer):
    """The named functions of one cell. Stands in the shell's `ast_transformers` while the cell runs.

    `notes` are sentences for the panel, about names that -f could not serve.
    """

    def __init__(self, names: tuple[str, ...], namespace: dict[str, Any], wrappers: Wrappers) -> None:
        self.notes: list[str] = []
        self._names = names
        self._namespace = namespace
        self._wrappers = wrappers
        self._made: list[tuple[Any, Any]] = []  # (function, wrapper)
        self._is_checked = False

    def bind(self) -> None:
        """Put wrappers in the place of functions that exist before the cell runs."""
        self._namespace[_DECORATOR] = self._decorate
        for name in self._names:
            function = self._namespace.get(name)
            if callable(function) and not _is_jitted(function):
                wrapper = self._wrappers.of(name)
                self._made.append((function, wrapper))
                self._namespace[name] = wrapper

    def visit(self, tree: ast.AST) -> ast.AST:
        """See the cell before it runs, and decorate the named functions that it defines.

        Raises:
            NotAFunction: a name is neither a function nor bound by the cell.
        """
        if self._is_checked or not isinstance(tree, ast.Module) or is_cell_magic(tree):
            return tree  # the body of another cell magic comes on its own
        self._is_checked = True
        bound = set(_names_bound(tree))
        for name in self._names:
            if not callable(self._namespace.get(name)) and not bound & {name, "*"}:
                raise NotAFunction(self._complaint(name))
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name in self._names:
                above = statement.decorator_list[0] if statement.decorator_list else statement
                statement.decorator_list.insert(0, ast.copy_location(ast.Name(_DECORATOR, ast.Load()), above))
        return tree

    def restore(self) -> None:
        """Put the functions back, except where the cell bound the name to something of its own."""
        for name in self._names:
            value = self._namespace.get(name)
            for function, wrapper in self._made:
                if value is wrapper:
                    self._namespace[name] = function
                    break
            else:
                self._note(name, value)
        self._namespace.pop(_DECORATOR, None)
        self._made.clear()
        self._wrappers.prune()

    def _decorate(self, function: Any) -> Any:
        if _is_jitted(function):
            return function
        wrapper = filter_jit(function)
        self._made.append((function, wrapper))
        return wrapper

    def _note(self, name: str, value: object) -> None:
        if _is_jitted(value):
            self.notes.append(f"`{name}` is jitted already; -f left it as it is.")
        elif name in self._namespace:
            self.notes.append(
                f"-f did not jit what the cell itself bound to `{name}`: it takes functions of earlier cells, "
                "and those that the cell defines with `def`."
            )

    def _complaint(self, name: str) -> str:
        if name in self._namespace:
            return f"%%filterjit -f {name}: it is of type {type(self._namespace[name]).__name__}, and no function."
        known = [known for known, value in self._namespace.items() if callable(value) and not known.startswith("_")]
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {close[0]}?" if close else "Define it in an earlier cell, or in this one."
        return f"%%filterjit -f {name}: there is no function of that name. {hint}"


def _is_jitted(value: object) -> bool:
    """Whether a call of this goes through a jit already, of whichever library."""
    return callable(value) and hasattr(value, "lower")


def is_cell_magic(tree: ast.Module) -> bool:
    """Whether the whole cell is one for another cell magic."""
    match tree.body:
        case [ast.Expr(ast.Call(ast.Attribute(attr="run_cell_magic")))]:
            return True
    return False


def _names_bound(tree: ast.Module) -> Iterator[str]:
    """Names that the cell may bind; "*" for an import that does not tell."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
