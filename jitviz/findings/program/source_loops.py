"""Loops in Python source: which lines are inside a `for`, a `while` or a comprehension.

In: a block of source text.  Out: `Loop`s.
Must never: raise an error for text that is not Python; it has no loops.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ...jaxcompat.texts.python import parse

Position: TypeAlias = tuple[int, int]  # line from 1, column from 0 in bytes as Python counts
_MAGIC = re.compile(r"(?m)^(\s*)[%!?].*$")
_END = 1_000_000_000
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_LOOPS = ast.For | ast.AsyncFor | ast.While | _Comprehension


@dataclass(frozen=True)
class Loop:
    """The part between `start` and `end` that runs repeatedly, without inner functions.

    `over` is what a `for` iterates over, as written ("range(n)"); "" for a `while`. `carried` are names that one
    iteration sets for the next.
    """

    kind: str  # "for", "while" or "comprehension"
    line: int
    start: Position
    end: Position
    over: str
    carried: tuple[str, ...]
    without: tuple[tuple[Position, Position], ...] = ()

    def holds(self, line: int, column: int) -> bool:
        """Whether the code there runs in each iteration; an unknown column is -1."""
        at = (line, column)
        if column < 0:
            return self.start[0] <= line <= self.end[0]
        # A frame at the start of a comprehension is the one that runs it.
        is_behind = self.start < at or (self.start == at and self.kind != "comprehension")
        return is_behind and at < self.end and not any(start <= at < end for start, end in self.without)


def find_loops(text: str, first: int) -> list[Loop]:
    """The loops of a block of source that starts at line `first`, outer loops first."""
    for tried in (text, _MAGIC.sub(r"\1pass", text)):
        # A method is indented; under an `if` it is valid Python, and keeps its columns.
        is_indented = tried[:1].isspace() and tried.lstrip("\n")[:1].isspace()
        tree = parse("if 1:\n" + tried if is_indented else tried)
        if tree is None:
            continue
        lines = tried.split("\n")
        loops = (node for node in ast.walk(tree) if isinstance(node, _LOOPS))
        return [_loop(node, lines, first - 1 - is_indented, is_indented) for node in loops]
    return []


def _loop(node: ast.AST, lines: list[str], shift: int, is_indented: bool) -> Loop:
    inner = tuple(
        (_start(one, shift), _end(one, shift))
        for one in ast.walk(node)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        start, end = _start(node.body[0], shift), _end(node.body[-1], shift)
        line, carried = node.lineno + shift, _carried(node)
        if isinstance(node, ast.While):
            return Loop("while", line, _start(node.test, shift), end, "", carried, inner)
        return Loop("for", line, start, end, _written(node.iter, lines, is_indented), carried, inner)
    assert isinstance(node, _Comprehension)
    # The first iterable is evaluated once, before the iterations.
    once = node.generators[0].iter
    without = (*inner, (_start(once, shift), _end(once, shift)))
    over = _written(once, lines, is_indented)
    return Loop("comprehension", node.lineno + shift, _start(node, shift), _end(node, shift), over, (), without)


def _start(node: ast.expr | ast.stmt, shift: int) -> Position:
    return node.lineno + shift, node.col_offset


def _end(node: ast.expr | ast.stmt, shift: int) -> Position:
    return (node.end_lineno or _END) + shift, node.end_col_offset or 0


def _written(node: ast.expr, lines: list[str], is_indented: bool) -> str:
    """An expression as written, "" if it spans several lines."""
    if node.lineno != node.end_lineno:
        return ""
    line = lines[node.lineno - 1 - is_indented].encode()
    return line[node.col_offset : node.end_col_offset].decode(errors="replace")


def _carried(node: ast.For | ast.AsyncFor | ast.While) -> tuple[str, ...]:
    """Names that one iteration sets and the next may read, without those that are set before they are read."""
    set_here: dict[str, None] = {}
    read: dict[str, None] = {}
    targets = set() if isinstance(node, ast.While) else {one.id for one in _names(node.target)}
    for statement in node.body:
        for one in _in_order(statement):
            if isinstance(one.ctx, ast.Load) and one.id not in set_here:
                read[one.id] = None
            elif isinstance(one.ctx, ast.Store):
                set_here[one.id] = None
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read[statement.target.id] = None
    return tuple(name for name in set_here if name in read and name not in targets)


def _in_order(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names in a statement, first those that it reads, then those that it sets."""
    names = list(_names(statement))
    yield from (one for one in names if isinstance(one.ctx, ast.Load))
    yield from (one for one in names if isinstance(one.ctx, ast.Store))


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))
