"""Loops in Python source: what a `for`, a `while` or a comprehension goes over, and what it carries.

In: a block of source text.  Out: `Loop`s; none for text that is not Python.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ...model.python_text import parse

_MAGIC = re.compile(r"(?m)^(\s*)[%!?].*$")
_END = 1_000_000_000
_Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True)
class Loop:
    """`line` is its first and `end` its last one; `columns` are where Python may say that it begins: what it iterates
    over, and the loop itself. `over` is what a `for` iterates over, as written ("range(n)"), "" for
    a `while`. `carried` are names that one iteration sets for the next, `summed` those of them to which it only adds,
    `collected` are lists to which it appends, and `index` is that of an `enumerate` if it decides something in
    Python."""

    kind: str  # "for", "while" or "comprehension"
    line: int
    end: int
    over: str
    carried: tuple[str, ...] = ()
    index: str = ""
    collected: tuple[str, ...] = ()
    summed: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()


def find_loops(text: str, first: int) -> list[Loop]:
    """The loops of a block of source that starts at line `first`, outer loops first."""
    for tried in (text, _MAGIC.sub(r"\1pass", text)):
        # A method is indented; under an `if` it is valid Python, and keeps its columns.
        is_indented = tried.lstrip("\n")[:1].isspace()
        whole = "if 1:\n" + tried if is_indented else tried
        tree = parse(whole)
        if tree is not None:
            loops = (node for node in ast.walk(tree) if isinstance(node, _Loop))
            return [_loop(node, whole, first - 1 - is_indented) for node in loops]
    return []


def loop_at(loops: list[Loop], line: int, column: int) -> Loop | None:
    """The innermost loop that begins at a column, of those around a line; if there is none, the outermost that begins
    at the line, or else the innermost around it."""
    around = [loop for loop in loops if loop.line <= line <= loop.end]
    over = [loop for loop in around if column in loop.columns[:-1]]
    at = over or [loop for loop in around if column in loop.columns[-1:]] or around
    return max(at, key=lambda loop: loop.line, default=None)


def _loop(node: _Loop, text: str, shift: int) -> Loop:
    lines = node.lineno + shift, (node.end_lineno or _END) + shift
    if isinstance(node, ast.While):
        return Loop("while", *lines, "", _carried(node))
    if not isinstance(node, ast.For | ast.AsyncFor):
        overs = [generator.iter for generator in node.generators]
        begins = (*(over.col_offset for over in overs), node.col_offset)
        return Loop("comprehension", *lines, _written(overs[0], text), columns=begins)
    index, listed = _enumerated(node)
    carried, columns = _carried(node), (node.iter.col_offset, node.col_offset)
    at, summed = index if _decides(index, node.body) else "", _summed(node, carried)
    return Loop("for", *lines, _written(listed, text), carried, at, _collected(node), summed, columns)


def _written(node: ast.expr, text: str) -> str:
    """An expression as written, "" if it spans several lines."""
    return (ast.get_source_segment(text, node) or "") if node.lineno == node.end_lineno else ""


def _carried(node: ast.For | ast.AsyncFor | ast.While) -> tuple[str, ...]:
    """Names that one iteration sets and the next may read, without those that are set before they are read."""
    set_here: dict[str, None] = {}
    read_first: set[str] = set()
    targets = set() if isinstance(node, ast.While) else {name.id for name in _names(node.target)}
    for statement in _steps(node.body):
        names = list(_names(statement))
        read_first |= {name.id for name in names if isinstance(name.ctx, ast.Load)} - set_here.keys()
        set_here |= dict.fromkeys(name.id for name in names if isinstance(name.ctx, ast.Store))
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read_first.add(statement.target.id)
    return tuple(name for name in set_here if name in read_first and name not in targets)


def _summed(node: ast.For | ast.AsyncFor, carried: tuple[str, ...]) -> tuple[str, ...]:
    """Names that stand in the loop only where something is added to them: `total += …`, `total = total + …`."""
    often = Counter(name.id for name in _names(node))
    added = Counter(name for statement in ast.walk(node) for name in _added_to(statement))
    return tuple(name for name in carried if often[name] == added[name])


def _added_to(statement: ast.AST) -> list[str]:
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=left), op=ast.Add())):
            return [name, left] if name == left else []
    return []


def _collected(node: ast.For | ast.AsyncFor) -> tuple[str, ...]:
    """Names of lists to which an iteration appends."""
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    lists = (node.value for node in calls if isinstance(node, ast.Attribute) and node.attr == "append")
    return tuple(dict.fromkeys(node.id for node in lists if isinstance(node, ast.Name)))


def _steps(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Statements in the order in which they run, those inside others one by one."""
    for statement in body:
        blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        if not any(blocks) or isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement
            continue
        yield from (getattr(statement, name) for name in ("test", "iter", "target") if hasattr(statement, name))
        yield from getattr(statement, "items", [])
        for block in blocks:
            yield from _steps(block)


def _enumerated(node: ast.For | ast.AsyncFor) -> tuple[str, ast.expr]:
    """The index and the sequence of a loop over `enumerate`; otherwise "" and what the loop iterates over."""
    call, target = node.iter, node.target
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "enumerate":
        return "", call
    first = target.elts[0] if isinstance(target, ast.Tuple) else None
    return (first.id if isinstance(first, ast.Name) else ""), call.args[0] if call.args else call


def _decides(index: str, body: list[ast.stmt]) -> bool:
    """Whether an index is used where JAX needs a Python value: a condition, an index, a text."""
    places: list[ast.AST] = []
    for node in (node for statement in body for node in ast.walk(statement)):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            places.append(node.test)
        elif isinstance(node, ast.FormattedValue):
            places.append(node.value)
        elif isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") != "at":
            places.append(node.slice)
    return any(name.id == index != "" for place in places for name in _names(place))


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))
