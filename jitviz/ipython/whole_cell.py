"""The names that a cell reads and assigns: the inputs and outputs of the cell as one function.

In: the syntax tree of a cell, and the names that exist.  Out: a `WholeCell`.

Only running the cell shows which value a name has where. This is a first guess at the inputs: a name is an input if it
is read before it is assigned, in the order of the text.
"""

import ast
import symtable
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

HIDDEN = "__jitviz_"  # prefix of jitviz's own names in the user's namespace


@dataclass(frozen=True)
class WholeCell:
    """The names of one cell, in order of first appearance.

    `reads` are inputs. An `assigned` name is an input as well if it has no value yet where the cell reads it, on the
    path that the cell takes. `deleted` names are those in a `del`.
    """

    tree: ast.Module
    reads: tuple[str, ...]
    assigned: tuple[str, ...]
    deleted: tuple[str, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the function: every name that may be an input."""
        return tuple(dict.fromkeys((*self.reads, *self.assigned)))

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement that contains a line."""
        statements = (node for node in ast.walk(self.tree) if isinstance(node, ast.stmt))
        around = [node for node in statements if node.lineno <= line <= (node.end_lineno or node.lineno)]
        return max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)

    def line_of(self, name: str) -> int:
        """The line where a name first appears."""
        return next((line for line, _, found in _places(self.tree) if found == name), 1)

    def line_of_change(self, name: str) -> int:
        """The line that seems to change the value of a name in place; else the line where the name first appears."""
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
    """The names of a cell. `namespace` has those that exist before it runs.

    Raises:
        SyntaxError: the scope of a name is contradictory.
    """
    order = dict.fromkeys(name for _, _, name in _places(tree))
    scope, *_ = symtable.symtable(ast.unparse(function_of(tree, "cell", ())), "<cell>", "exec").get_children()
    read_first, bound, deleted = set[str](), set[str](), set[str]()
    for use, name in _uses(tree):
        if use == "read" and name not in bound:
            read_first.add(name)
        elif use != "read":
            (bound if use == "bind" else deleted).add(name)
    # From Python 3.12 on, the variables of a comprehension are symbols of the enclosing scope.
    assigned = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_local()} & bound
    reads = (read_first & assigned) | (set(_globals_of(scope)) - assigned)
    return WholeCell(
        tree,
        tuple(name for name in order if name in reads and name in namespace and not name.startswith(HIDDEN)),
        tuple(name for name in order if name in assigned),
        tuple(name for name in order if name in deleted),
    )


def function_of(tree: ast.Module, name: str, parameters: Iterable[str]) -> ast.FunctionDef:
    """The statements of a cell as a function. The statement nodes are shared with `tree`."""
    function = ast.parse(f"def {name}({', '.join(parameters)}): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [*tree.body]
    return function


def _uses(  # noqa: C901  # a case per construct
    *nodes: ast.AST | None,
) -> Iterator[tuple[Literal["read", "bind", "delete"], str]]:
    """How nodes use the names of the cell's own scope, in the order of the text. The body of a `def` and the value of a
    `type` statement run later, if at all, and do not count. A lambda counts as if it ran where it is written."""
    for node in nodes:
        match node:
            case ast.Name(id=name):
                if not isinstance(node.ctx, ast.Store):
                    yield "read", name
                if not isinstance(node.ctx, ast.Load):
                    yield "bind", name
                if isinstance(node.ctx, ast.Del):
                    yield "delete", name
            case ast.AugAssign(target=ast.Name(id=name)):
                yield "read", name
                yield from _uses(node.value, node.target)
            case ast.AnnAssign():
                yield from _uses(node.value, node.target)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _uses(*node.decorator_list, *_defaults(node.args))
                yield "bind", node.name
            case ast.ClassDef():
                yield from _uses(*node.decorator_list, *node.bases, *node.keywords)
                own = set[str]()
                for use, name in _uses(*node.body):
                    if use == "bind":
                        own.add(name)
                    elif name not in own:
                        yield use, name
                yield "bind", node.name
            case ast.Lambda():
                yield from _uses(*_defaults(node.args))
                parameters = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
                yield from ((use, name) for use, name in _uses(node.body) if name not in parameters)
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
                first, *later = node.generators
                yield from _uses(first.iter)
                targets = {name for _, name in _uses(*(each.target for each in node.generators))}
                tests = [test for each in node.generators for test in each.ifs]
                results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                inside = _uses(*(each.iter for each in later), *tests, *results)
                yield from ((use, name) for use, name in inside if name not in targets)
            case ast.stmt() if type(node).__name__ == "TypeAlias":  # from Python 3.12 on
                yield from _uses(node.name)  # type: ignore[attr-defined]
            case ast.AST():
                bound = name_in(node)
                if bound is not None:
                    yield "bind", bound
                values = (getattr(node, "value", None), getattr(node, "iter", None))  # before the targets they go to
                yield from _uses(*sorted(ast.iter_child_nodes(node), key=lambda child: child not in values))


def _globals_of(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names that the scope and the functions in it look up outside of the cell."""
    yield from (symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global())
    for inner in scope.get_children():
        yield from _globals_of(inner)


def _places(tree: ast.AST) -> list[tuple[int, int, str]]:
    """Every name in the tree as (line, column, name), in order."""
    return sorted(
        (node.lineno, node.col_offset, name)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt | ast.alias | ast.pattern | ast.ExceptHandler)
        and (name := name_in(node)) is not None
    )


def name_in(node: ast.AST) -> str | None:
    """The name that a node reads, binds or deletes; None if it does none of these."""
    match node:
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case (
            ast.MatchAs(name=name)
            | ast.MatchStar(name=name)
            | ast.MatchMapping(rest=name)
            | ast.ExceptHandler(name=name)
        ):
            return name
        case ast.alias(name=name, asname=asname):
            return asname or name.partition(".")[0]
    return None


def is_cell_magic(tree: ast.Module) -> bool:
    """Whether the cell consists of another cell magic alone."""
    match tree.body:
        case [ast.Expr(ast.Call(ast.Attribute(attr="run_cell_magic")))]:
            return True
    return False


def _root(node: ast.AST) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(default for default in arguments.kw_defaults if default is not None)]
