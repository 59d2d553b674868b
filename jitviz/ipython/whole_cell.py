"""What a cell reads and what it assigns, so that it can be made one function.

In: the syntax tree of a cell, and the names that exist.  Out: a `WholeCell`.
Must never: run the cell or change its tree, or look at what a name is bound to.

Which value a name has at a place is Python's to say. What stands here is a first guess at the inputs: a name is one if
it is read before it is assigned, in the order in which the cell is written.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

HIDDEN = "__jitviz_"  # names of ours in the user's namespace


@dataclass(frozen=True)
class WholeCell:
    """The names of one cell, in the order in which they first stand there.

    `parameters` are all that may come in: `reads`, which do if they exist, and the rest of `assigned`, which do if the
    cell leaves them unassigned on the way that it takes. `deleted` are those with a `del`.
    """

    tree: ast.Module
    reads: tuple[str, ...]
    assigned: tuple[str, ...]
    deleted: tuple[str, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """What the cell's function takes."""
        return tuple(dict.fromkeys((*self.reads, *self.assigned)))

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement that covers a line."""
        statements = (node for node in ast.walk(self.tree) if isinstance(node, ast.stmt))
        found = [node for node in statements if node.lineno <= line <= (node.end_lineno or node.lineno)]
        return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)

    def line_of(self, name: str) -> int:
        """Where a name first stands."""
        return next((line for line, _, found in _places(self.tree) if found == name), 1)

    def line_of_change(self, name: str) -> int:
        """Where what a name stands for is changed in place, by the look of it; else where the name first stands."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                    changed: ast.expr = node
                case ast.Expr(ast.Call(ast.Attribute() as method)):
                    changed = method
                case _:
                    continue
            if _root(changed) == name:
                return changed.lineno
        return self.line_of(name)


def analyse(tree: ast.Module, namespace: Container[str]) -> WholeCell:
    """The names of a cell, given those that exist before it runs.

    Raises:
        SyntaxError: Python cannot tell whose name one is.
    """
    order = dict.fromkeys(name for _, _, name in _places(tree))
    scope = _as_function_scope(tree)
    uses = _Uses()
    uses.visit(tree)
    # From Python 3.12 on, variables of comprehensions are among the symbols of the scope round it.
    assigned = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_local()} & uses.ever_bound
    order |= dict.fromkeys(sorted(assigned))  # those of `except ... as` and their like
    reads = (uses.reads & assigned) | (set(_globals_of(scope)) - assigned)
    return WholeCell(
        tree,
        tuple(name for name in order if name in reads and name in namespace and not name.startswith(HIDDEN)),
        tuple(name for name in order if name in assigned),
        tuple(name for name in order if name in uses.deleted),
    )


def function_of(tree: ast.Module, name: str, parameters: Iterable[str]) -> ast.FunctionDef:
    """The statements of a cell as a function; they are shared with `tree`, places and all."""
    function = ast.parse(f"def {name}({', '.join(parameters)}): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [*tree.body] or function.body
    return function


class _Uses(ast.NodeVisitor):
    """Names of the cell's own scope that are read before they are assigned, as the cell is written.

    The body of a `def` runs later, if at all, and does not count; that of a lambda is taken to run where it stands.
    """

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.deleted: set[str] = set()
        self.ever_bound: set[str] = set()  # in class bodies too
        self._bound: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:  # these names are the visitor's
        if not isinstance(node.ctx, ast.Store):
            self._read(node.id)
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)
        if isinstance(node.ctx, ast.Del):
            self.deleted.add(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._visit(node.value, *node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._read(node.target.id)
        self._visit(node.value, node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._visit(node.value, node.target)
        elif isinstance(node.target, ast.Name):
            self.ever_bound.add(node.target.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._visit(node.value, node.target)

    def visit_For(self, node: ast.For) -> None:
        self._visit(node.iter, node.target, *node.body, *node.orelse)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit(*node.decorator_list, *_defaults(node.args))
        self._bind(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit(*node.decorator_list, *node.bases, *node.keywords)
        outside = set(self._bound)
        self._visit(*node.body)
        self._bound = outside
        self._bind(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit(*_defaults(node.args))
        taken = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        self._visit_inside(taken, node.body)

    def visit_GeneratorExp(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp) -> None:
        self._visit(node.generators[0].iter)
        targets = (name for generator in node.generators for name in ast.walk(generator.target))
        tests = [test for generator in node.generators for test in generator.ifs]
        later = [generator.iter for generator in node.generators[1:]]
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._visit_inside({name.id for name in targets if isinstance(name, ast.Name)}, *later, *tests, *results)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp  # noqa: N815

    def generic_visit(self, node: ast.AST) -> None:
        """What stands inside in the order of the text, and the names that a statement binds as text."""
        super().generic_visit(node)
        match node:
            case ast.alias(name=name, asname=asname):
                self._bind(asname or name.partition(".")[0])
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                self._bind(name)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self.visit(node.type)
        if node.name is not None:
            self._bind(node.name)
        self._visit(*node.body)

    def _bind(self, name: str) -> None:
        self._bound.add(name)
        self.ever_bound.add(name)

    def _read(self, name: str) -> None:
        if name not in self._bound:
            self.reads.add(name)

    def _visit(self, *nodes: ast.AST) -> None:
        for node in nodes:
            self.visit(node)

    def _visit_inside(self, own: set[str], *nodes: ast.AST) -> None:
        new = own - self._bound
        self._bound |= new
        self._visit(*nodes)
        self._bound -= new


def _as_function_scope(tree: ast.Module) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(function_of(tree, "cell", ())), "<cell>", "exec").get_children()[0]


def _globals_of(scope: symtable.SymbolTable) -> Iterator[str]:
    """Names that are looked up outside of the cell, from here and from the functions inside."""
    yield from (symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global())
    for inner in scope.get_children():
        yield from _globals_of(inner)


def _places(tree: ast.AST) -> list[tuple[int, int, str]]:
    """(line, column, name), first things first."""
    return sorted(
        (node.lineno, node.col_offset, name)
        for node in ast.walk(tree)
        if (name := _name_in(node)) is not None and isinstance(node, ast.expr | ast.stmt | ast.alias)
    )


def _name_in(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.alias(name=name, asname=asname):
            return asname or name.partition(".")[0]
    return None


def _root(node: ast.AST) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(default for default in arguments.kw_defaults if default is not None)]
