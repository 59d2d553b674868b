"""`%%filterjit --cell`: the cell as one filter-jitted function.

In: the syntax tree of a cell, and the user's namespace.  Out: the namespace with the new values, and the cell's value.
Must never: assign anything if the cell fails, or keep an array of a finished run.

The tree is rewritten just before IPython compiles and runs it, so that file names and line numbers stay the same:

    def __jitviz_body__(x, y):
        if y is __jitviz_cell__.unbound: del y      # y is an output, and an input only if the cell needs it
        ...                                         # the cell
        return <the last expression>, __jitviz_cell__.locals(), lambda: (x, y)
    __jitviz_cell__.run(__jitviz_body__)
"""

import ast
import builtins
import functools
import hashlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, TracebackType
from typing import Any, TypeAlias

from jax.tree_util import tree_flatten

from ..filters import filter_jit, is_array
from ..filters.memo import Memo
from ..jaxcompat import jax_frames
from .cell_outputs import Closure, Outputs, find_tracer, is_text_of_traced
from .refused_cells import FORMAT, CellError, CellErrors
from .whole_cell import HIDDEN, WholeCell, analyse, is_cell_magic

_BODY, _HOOK = f"{HIDDEN}body__", f"{HIDDEN}cell__"
_ASSIGN = "Assign the value to a name or pass it as an argument, or do this in a cell without --cell."

jax_frames.leave_out(__file__)  # the source lines of a program are those of the cell


class CompiledCell:
    """All compiled versions of the cells with one syntax tree. Comments and blank lines may differ."""

    def __init__(self, dump: str) -> None:
        self.digest = hashlib.blake2b(dump.encode(), digest_size=6).hexdigest()
        self._needed: set[str] = set()  # outputs that are inputs as well, because a run has read them first
        self._jitted: Memo[tuple[str, ...], Callable[..., Any]] = Memo(self._make)
        self._cell: WholeCell
        self._body: FunctionType
        self._errors: CellErrors

    def run(self, cell: WholeCell, body: FunctionType, errors: CellErrors, namespace: dict[str, Any]) -> Outputs:
        """Call the cell's function with the current values of its inputs.

        Raises:
            CellError: the cell cannot be compiled. Errors that a plain cell would raise are raised unchanged.
        """
        __tracebackhide__ = True
        self._cell, self._body, self._errors = cell, body, errors
        while True:
            needed = {*cell.reads, *self._needed}
            names = tuple(name for name in cell.parameters if name in namespace and name in needed)
            try:
                outputs: Outputs = self._jitted[names](*(namespace[name] for name in names))
                return outputs
            except CellError:
                raise
            except Exception as error:
                missing = _unassigned(error)
                if missing in cell.assigned and missing in namespace and missing not in names:
                    self._needed.add(missing)
                    continue
                cell_error = errors.of_trace(error, cell, body.__code__.co_filename)
                if cell_error is None:
                    raise error.with_traceback(_from(body.__code__, error.__traceback__)) from error.__cause__
                raise cell_error from error

    def _make(self, names: tuple[str, ...]) -> Callable[..., Any]:
        @functools.wraps(self._body)
        def cell(*values: Any) -> Outputs:
            __tracebackhide__ = True
            return self._trace(dict(zip(names, values, strict=True)))

        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        cell.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return filter_jit(cell)

    def _trace(self, inputs: Mapping[str, Any]) -> Outputs:
        __tracebackhide__ = True
        cell = self._cell
        before = {name: tree_flatten(value) for name, value in inputs.items()}
        value, bound, getter = self._body(**{name: inputs.get(name, _Hook.unbound) for name in cell.parameters})
        assigned = {name: bound[name] for name in cell.assigned if name in bound}
        for name, tree in inputs.items():
            if name not in assigned:
                self._check_unchanged(name, tree, *before[name])
        closure = Closure.empty(getter, (assigned, value))
        for name, tree in assigned.items():
            self._check_kept(f"`{name}`", cell.lines[name], tree)
        self._check_kept("the value of the cell", cell.last_line, value)
        return Outputs(assigned, value, tuple(name for name in cell.deleted if name not in bound), closure)

    def _check_unchanged(self, name: str, tree: Any, leaves: list[Any], treedef: Any) -> None:
        """Raise if the cell has changed an input in place. It is a copy, so that the user's object would not change."""
        leaves_now, treedef_now = tree_flatten(tree)
        if treedef_now != treedef or any(now is not then for now, then in zip(leaves_now, leaves, strict=True)):
            advice = (
                f"the cell changes `{name}` in place, but a compiled cell works on a copy. Assign a new object instead "
                f"(`{name} = [*{name}, item]`, `{name} = {{**{name}, key: item}}`), or change it in a cell of its own."
            )
            raise self._errors.at(self._cell.lines[name], advice)
        for leaf in leaves:
            if not callable(leaf):
                self._check_kept(f"`{name}`", self._cell.lines[name], leaf)

    def _check_kept(self, what: str, line: int, tree: Any) -> None:
        """Raise if a static leaf refers to a traced value, because it is returned unchanged, or is still the user's."""
        for leaf in tree_flatten(tree)[0]:
            if is_text_of_traced(leaf):
                raise self._errors.at(line, f"{what} is the text of a traced value, which has no numbers. {FORMAT}")
            path = None if is_array(leaf) else find_tracer(leaf)
            if path is not None:
                raise self._errors.at(line, f"{what} refers to a traced value{path}, which would leak. {_ASSIGN}")


CompiledCells: TypeAlias = Memo[str, CompiledCell]  # by the dump of the syntax tree


@dataclass
class _Hook:
    """The object that the rewritten cell refers to."""

    run: Callable[[FunctionType], Any]
    unbound = object()
    locals = builtins.locals


class WholeCellTransformer(ast.NodeTransformer):
    """Turns one cell into a function. It is one of the shell's `ast_transformers` while the cell runs."""

    def __init__(self, label: str, namespace: dict[str, Any], cells: CompiledCells) -> None:
        self._errors = CellErrors(label)
        self._namespace = namespace
        self._cells = cells
        self._is_done = False

    def visit(self, tree: ast.AST) -> ast.AST:
        """Rewrite the cell as a function and a call of it.

        Raises:
            CellError: the cell cannot be compiled.
        """
        if self._is_done or not isinstance(tree, ast.Module) or not tree.body or is_cell_magic(tree):
            return tree  # the body of another cell magic is transformed by itself
        self._is_done = True
        try:
            return self.rewrite(tree)
        except SyntaxError:
            return tree  # Python reports it as usual, with the right line

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """Rewrite a tree that is known to be the cell.

        Raises:
            CellError: the cell cannot be compiled.
            SyntaxError: the scope of a name is contradictory.
        """
        self._errors.refuse(tree, self._namespace)
        cell = analyse(tree, self._namespace)
        compiled = self._cells[ast.dump(tree)]
        self._namespace[_HOOK] = _Hook(functools.partial(self._run, compiled, cell))
        return _rewritten(tree, cell)

    def restore(self) -> None:
        """Remove jitviz's names from the namespace."""
        for name in (_HOOK, _BODY):
            self._namespace.pop(name, None)

    def _run(self, compiled: CompiledCell, cell: WholeCell, body: FunctionType) -> Any:
        __tracebackhide__ = True
        body.__code__ = _as_at_top_level(body.__code__)
        # All cells are named "cell"; the digest distinguishes them.
        body.__name__, body.__qualname__ = "cell", f"{compiled.digest}.<locals>.cell"
        outputs = compiled.run(cell, body, self._errors, self._namespace)
        outputs.closure.fill(self._namespace | outputs.assigned)
        self._namespace.update(outputs.assigned)
        for name in outputs.deleted:
            self._namespace.pop(name, None)
        return outputs.value


def _rewritten(tree: ast.Module, cell: WholeCell) -> ast.Module:
    variables = ", ".join(cell.parameters)
    guards = "".join(f"    if {name} is {_HOOK}.unbound: del {name}\n" for name in cell.assigned)
    getter = f"lambda: ({variables}{',' * bool(variables)})"
    result = f"    return None, {_HOOK}.locals(), {getter}\n"
    function, last = ast.parse(f"def {_BODY}({variables}):\n{guards}{result}").body[0], tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    *before, returned = function.body
    assert isinstance(returned, ast.Return)
    assert isinstance(returned.value, ast.Tuple)
    for node in ast.walk(returned):
        ast.copy_location(node, last)
    body = tree.body
    if isinstance(last, ast.Expr):
        returned.value.elts[0], body = last.value, body[:-1]
    function.body = [*before, *body, returned]
    return ast.Module([function, *ast.parse(f"{_HOOK}.run({_BODY})").body], [])


def _as_at_top_level(code: CodeType) -> CodeType:
    """The code with the names that functions and classes have in a plain cell, so that they can be pickled."""

    def renamed(name: str) -> str:
        return "cell" if name == _BODY else name.removeprefix(f"{_BODY}.<locals>.")

    constants = tuple(
        _as_at_top_level(part) if isinstance(part, CodeType) else renamed(part) if isinstance(part, str) else part
        for part in code.co_consts
    )
    return code.replace(co_name=renamed(code.co_name), co_qualname=renamed(code.co_qualname), co_consts=constants)


def _from(code: CodeType, trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that starts in the cell; all of it if the cell is not in it."""
    innermost = trace
    while innermost is not None and innermost.tb_frame.f_code is not code:
        innermost = innermost.tb_next
    return trace if innermost is None else innermost


def _unassigned(error: Exception) -> str:
    """The variable without a value that the cell has read, if that is the error."""
    missing = re.match(r"cannot access \w+ variable '(\w+)'", str(error)) if isinstance(error, NameError) else None
    return missing[1] if missing else ""
