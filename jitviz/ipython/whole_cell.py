"""The names that a cell reads and assigns: the inputs and outputs of the cell as one function.

In: the syntax tree of a cell, and the names that exist.  Out: a `WholeCell`.

Only running the cell shows which value a name has where. This is a first guess at the inputs: a name is an input if it
is read before it is assigned, in the order of the instructions.
"""

import ast
import dis
import inspect
from collections.abc import Container, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Literal

HIDDEN = "__jitviz_"  # prefix of jitviz's own names in the user's namespace
Use = Literal["read", "read later", "bind"]
_USES: dict[str, tuple[Use, ...]] = {
    **dict.fromkeys(("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"), ("read",)),
    **dict.fromkeys(("STORE_NAME", "STORE_GLOBAL"), ("bind",)),
    **dict.fromkeys(("DELETE_NAME", "DELETE_GLOBAL"), ("read", "bind")),
}


@dataclass(frozen=True)
class WholeCell:
    """The names of one cell, in order of first appearance.

    `reads` are inputs. An `assigned` name is an input as well if it has no value yet where the cell reads it, on the
    path that the cell takes. `deleted` names are those in a `del`. `lines` are where each name first appears.
    """

    reads: tuple[str, ...]
    assigned: tuple[str, ...]
    deleted: tuple[str, ...]
    lines: dict[str, int]
    last_line: int

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the function: every name that may be an input."""
        return tuple(dict.fromkeys((*self.reads, *self.assigned)))


def analyse(tree: ast.Module, namespace: Container[str]) -> WholeCell:
    """The names of a cell. `namespace` has those that exist before it runs.

    Raises:
        SyntaxError: the scope of a name is contradictory.
    """
    lines: dict[str, int] = {}
    names: dict[Use, dict[str, None]] = {"read": {}, "read later": {}, "bind": {}}
    for use, name, line in _uses(compile(tree, "<cell>", "exec")):
        lines.setdefault(name, line)
        if use != "read" or name not in names["bind"]:
            names[use][name] = None
    reads, assigned = names["read"] | names["read later"], names["bind"]
    known = [name for name in lines if name in namespace and not name.startswith("__")]
    deletes = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    return WholeCell(
        tuple(name for name in known if name in names["read"] or (name in reads and name not in assigned)),
        tuple(assigned),
        tuple(name for name in assigned if name in deletes),
        lines,
        tree.body[-1].lineno,
    )


def names_bound_in(tree: ast.AST) -> set[str]:
    """The names that functions, classes, assignments and imports in a tree bind; "*" for an import of all names."""
    names = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.partition(".")[0])
    return names


def is_cell_magic(tree: ast.Module) -> bool:
    """Whether the cell consists of another cell magic alone."""
    match tree.body:
        case [ast.Expr(ast.Call(ast.Attribute(attr="run_cell_magic")))]:
            return True
    return False


def _uses(code: CodeType, *, is_own: bool = True) -> Iterator[tuple[Use, str, int]]:
    """How code uses the names of the cell's own scope, with lines. The body of a `def` runs later, if at all; those of
    lambdas, comprehensions and classes count as if they ran where they are written."""
    line, of_class = code.co_firstlineno, set[str]()
    for instruction in dis.get_instructions(code):
        positions = instruction.positions
        line = positions.lineno if positions is not None and positions.lineno else line
        name = instruction.argval
        if isinstance(name, CodeType):
            is_later = bool(name.co_flags & inspect.CO_OPTIMIZED) and not name.co_name.startswith("<")
            for use, inner, at in _uses(name, is_own=False):
                yield "read later" if is_later and use == "read" else use, inner, at
        elif instruction.opname == "STORE_NAME" and not is_own:
            of_class.add(name)
        elif instruction.opname in _USES and name not in of_class:
            yield from ((use, name, line) for use in _USES[instruction.opname])
