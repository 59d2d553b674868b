"""The expression that a frame was running, as syntax, and the values of its names.

In: a frame with the offset of its instruction.  Out: nodes of the syntax tree; values that can be had without running
code.
"""

import ast
import builtins
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from types import FrameType
from typing import Any

from ..capture import sources
from ..jaxcompat import raw
from ..model.python_text import NOT_PYTHON, expression, parse

MISSING = object()
_MOST_LINES = 20_000


class Spot:
    """Where a frame stands: `node` is the expression that it was running, `around` are the nodes that hold it,
    innermost first; both are empty where the source cannot be read."""

    def __init__(self, frame: FrameType, offset: int, line: int) -> None:
        self.frame, self.line = frame, line
        self.lines = sources.lines_of(frame.f_code.co_filename, frame.f_globals)
        nodes = list(_nodes_at("".join(self.lines), _position(frame, offset, line)))
        self.node = nodes[-1] if nodes else None
        self.around = tuple(reversed(nodes[:-1]))

    @property
    def text(self) -> str:
        """The line."""
        return "".join(self.lines[self.line - 1 : self.line]).strip()

    @property
    def source(self) -> str:
        """The line's label: "train.py:12"."""
        return sources.location(self.frame.f_code.co_filename, self.line)

    @property
    def statement(self) -> ast.stmt | None:
        """The statement that the expression is in."""
        nodes = (self.node, *self.around)
        return next((node for node in nodes if isinstance(node, ast.stmt)), None)

    def inside(self, *kinds: type[ast.AST]) -> ast.AST | None:
        """The innermost node of these kinds that holds the expression, itself included, up to its statement."""
        for node in (self.node, *self.around):
            if isinstance(node, kinds):
                return node
            if isinstance(node, ast.stmt):
                return None
        return None


def _position(frame: FrameType, offset: int, line: int) -> tuple[int, int, int, int]:
    """(line, column, last line, last column) of an instruction; the whole line if Python does not tell."""
    first, last, start, end = next(islice(frame.f_code.co_positions(), offset // 2, None), (None,) * 4)
    if first is None or last is None or start is None or end is None:
        return line, 0, line, 1 << 30
    return first, start, last, end


@lru_cache(maxsize=8)  # while an exception is explained
def tree_of(text: str) -> ast.Module | None:
    """The syntax tree of a file or a cell; None if it has none."""
    if text.count("\n") > _MOST_LINES:
        return None
    without_magics = "\n".join("pass" if line[:1] in "%!" else line for line in text.split("\n"))
    return parse(text) or parse(without_magics)


def expression_of(text: str) -> ast.expr | None:
    """The syntax tree of an expression; None for what is none."""
    try:
        return expression(text.replace("<locals>.", ""))
    except NOT_PYTHON:
        return None


def _nodes_at(text: str, position: tuple[int, int, int, int]) -> Iterator[ast.AST]:
    """The nodes that hold a position, outermost first."""
    node: ast.AST | None = tree_of(text)
    first, start, last, end = position
    while node is not None:
        node = next((child for child in ast.iter_child_nodes(node) if _holds(child, first, start, last, end)), None)
        if node is not None and not isinstance(node, ast.arguments | ast.withitem | ast.comprehension | ast.keyword):
            yield node


def _holds(node: ast.AST, first: int, start: int, last: int, end: int) -> bool:
    if isinstance(node, ast.arguments | ast.withitem | ast.comprehension):
        return any(_holds(child, first, start, last, end) for child in ast.iter_child_nodes(node))
    line, column = getattr(node, "lineno", None), getattr(node, "col_offset", 0)
    if line is None:
        return False
    decorators = getattr(node, "decorator_list", ())
    line = min([line, *(each.lineno for each in decorators)])
    if end == 1 << 30:  # the whole line
        return bool(line <= first <= (getattr(node, "end_lineno", None) or line)) and isinstance(node, ast.stmt)
    ends = getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or 0
    starts = (line, 0 if decorators else column)
    return starts <= (first, start) and (last, end) <= ends


def value_of(node: ast.AST | None, frame: FrameType) -> Any:
    """The value of a name, an attribute or a constant subscript in a frame; `MISSING` where only code could tell."""
    if isinstance(node, ast.Name):
        for names in (frame.f_locals, frame.f_globals, vars(builtins)):
            if node.id in names:
                return names[node.id]
    elif isinstance(node, ast.Attribute):
        of = value_of(node.value, frame)
        return MISSING if of is MISSING else raw.attributes(of).get(node.attr, MISSING)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        of, key = value_of(node.value, frame), node.slice.value
        if type(of) in (list, tuple) and type(key) is int and -len(of) <= key < len(of):
            return of[key]
        if type(of) is dict and type(key) in (str, int):
            return of.get(key, MISSING)
    return MISSING


def operands(node: ast.AST | None, frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The names, attributes and constant subscripts in an expression that have a value, with their text."""
    waiting = [node] if node is not None else []
    while waiting:
        part = waiting.pop(0)
        value = value_of(part, frame) if isinstance(part, ast.expr) else MISSING
        if value is not MISSING:
            yield ast.unparse(part), value
        else:
            waiting[:0] = ast.iter_child_nodes(part)


def needed(node: ast.AST | None) -> ast.AST | None:
    """The part of an expression that needs a value: the arguments of a call, what is between brackets."""
    if isinstance(node, ast.Call):
        return ast.Tuple([*node.args, *(keyword.value for keyword in node.keywords)], ast.Load())
    return node.slice if isinstance(node, ast.Subscript) else node


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """The calls in a piece of syntax."""
    return (part for part in ast.walk(node) if isinstance(part, ast.Call))


def names_in(node: ast.AST) -> set[str]:
    """The names in a piece of syntax."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def made_of(node: ast.AST, spot: Spot) -> dict[str, ast.expr]:
    """The expressions that the function around it assigns to the names in an expression, and to those in them."""
    function = next((each for each in spot.around if isinstance(each, ast.FunctionDef)), None)
    assigned = _assigned(function.body, spot.line) if function is not None else {}
    found: dict[str, ast.expr] = {}
    waiting = [node]
    while waiting:
        for part in ast.walk(waiting.pop()):
            name = part.id if isinstance(part, ast.Name) else ""
            if name in assigned and name not in found:
                found[name] = assigned[name]
                waiting.append(assigned[name])
    return found


def bound_before(spot: Spot, statement: ast.stmt) -> dict[str, ast.expr | None]:
    """The names that a function, or the file, binds before a statement, each with what it is assigned last: None for a
    parameter, and for what no plain assignment binds."""
    function = next((each for each in spot.around if isinstance(each, ast.FunctionDef)), None)
    tree = function or tree_of("".join(spot.lines))
    nodes = [
        node for node in (ast.walk(tree) if tree is not None else ()) if getattr(node, "lineno", 0) < statement.lineno
    ]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {each.arg for each in (*function.args.args, *function.args.kwonlyargs)} if function is not None else set()
    assigned = _assigned(tree.body, statement.lineno - 1) if tree is not None else {}
    return {name: assigned.get(name) for name in bound}


def definition(node: ast.expr, spot: Spot) -> ast.expr:
    """What the function or the file assigns to a name; other expressions as they are."""
    tree = tree_of("".join(spot.lines))
    of_file = _assigned(tree.body, 1 << 30) if tree is not None else {}
    return made_of(node, spot).get(ast.unparse(node)) or of_file.get(ast.unparse(node)) or node


def _assigned(body: list[ast.stmt], last: int) -> dict[str, ast.expr]:
    """The last expression that statements up to a line assign to each name."""
    nodes = (node for statement in body for node in ast.walk(statement))
    found = [node for node in nodes if isinstance(node, ast.Assign) and node.lineno <= last and len(node.targets) == 1]
    return {ast.unparse(node.targets[0]): node.value for node in found}
