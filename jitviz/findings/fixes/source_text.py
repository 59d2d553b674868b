"""The text of a file or cell, and changes of single expressions in it.

In: a text.  Out: its calls, where a name is set, and an `Edit` of whole lines.
Must never: give an edit after which the text is not Python.

Python's own syntax tree knows where each expression stands. What is not changed keeps its layout, since it is copied.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import TypeAlias, TypeVar

from ...model import Edit, cell_of, split_source
from ...model.python_text import parse
from ...recording import Recording, unpack

N = TypeVar("N", bound=ast.AST)
Replacement: TypeAlias = tuple[ast.expr, str]  # an expression, and what takes its place
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Source:
    """One text, parsed. `label` is its file or cell.

    Raises:
        ValueError: it is not Python.
    """

    def __init__(self, label: str, text: str) -> None:
        tree = parse(text)
        if tree is None:
            raise ValueError(label)
        self.label, self.text, self.tree = label, text, tree
        self._starts = [*accumulate((len(line) + 1 for line in text.split("\n")), initial=0)]
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    def functions(self, name: str) -> list[ast.FunctionDef]:
        """The functions of this name, without the classes that it is in."""
        return [node for node in self.all(ast.FunctionDef) if node.name == name.rpartition(".")[2]]

    def all(self, kind: type[N], within: ast.AST | None = None) -> list[N]:
        """The nodes of one kind."""
        return [node for node in ast.walk(within or self.tree) if isinstance(node, kind)]

    def calls(self, line: int, written: str) -> list[ast.Call]:
        """The calls that begin or go on at a line and are written like this, but for spaces."""
        here = (node for node in self.all(ast.Call) if node.lineno <= line <= (node.end_lineno or 0))
        return [node for node in here if self.of(node).split() == written.split()]

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        return self.text[slice(*self._span(node))]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node is in, the innermost first, without the module."""
        while not isinstance(node := self._parents[node], ast.Module):
            yield node

    def is_local(self, name: ast.Name) -> bool:
        """Whether a function around a name sets it."""
        return any(name.id in self._set_in(node) for node in self.around(name) if isinstance(node, _FUNCTIONS))

    def imports(self, name: str) -> bool:
        """Whether the module imports a name; a cell may have it from another one."""
        aliases = {(alias.asname or alias.name).partition(".")[0] for alias in self.all(ast.alias)}
        return name in aliases or (bool(cell_of(self.label)) and any(n.id == name for n in self.all(ast.Name)))

    def set_above(self, name: str, call: ast.Call) -> int:
        """The last line above a call that sets a name which it reads, or a part of what that stands for; 0 if none."""
        owner = self._owner(call)
        if isinstance(owner, _FUNCTIONS) and any(arg.arg == name for arg in self.all(ast.arg, owner.args)):
            return 0
        lines: dict[bool, list[int]] = {True: [], False: []}  # by whether the function around the call sets it
        for node in self.all(ast.expr):
            is_set = isinstance(getattr(node, "ctx", None), ast.Store) and re.match(rf"{name}(?!\w)", self.of(node))
            if is_set and node.lineno < call.lineno and self._owner(node) in (owner, self.tree):
                lines[self._owner(node) is owner].append(node.lineno)
        return max(lines[True] or lines[False], default=0)

    def edit(self, replacements: list[Replacement]) -> Edit | None:
        """The replacements as one edit of whole lines."""
        text, limit = self.text, len(self.text)
        spans = {self._span(node): new for node, new in replacements}
        for (start, end), new in sorted(spans.items(), reverse=True):
            if end > limit:  # one expression is inside another
                return None
            text, limit = text[:start] + new + text[end:], start
        before, after = self.text.split("\n"), text.split("\n")
        if text == self.text or parse(text) is None:
            return None
        most = min(len(before), len(after)) - 1  # one line stays, so that `old` says where it is
        first = min(_n_alike(before, after), most)
        last = min(_n_alike(before[::-1], after[::-1]), most - first)
        old, new = ("\n".join(lines[first : len(lines) - last]) for lines in (before, after))
        return None if "<redacted" in old else Edit(self.label, first + 1, old, new)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The start and end of a node; columns of the syntax tree count bytes."""
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno or 0, node.end_col_offset or 0)

    def _at(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        return start + len(self.text[start : self._starts[line]].encode()[:column].decode())

    def _owner(self, node: ast.AST) -> ast.AST:
        """The function, class or module that a binding belongs to."""
        return next((up for up in self.around(node) if isinstance(up, (*_FUNCTIONS, ast.ClassDef))), self.tree)

    def _set_in(self, function: ast.AST) -> set[str]:
        """The names that a function takes or sets."""
        stored = (node.id for node in self.all(ast.Name, function) if not isinstance(node.ctx, ast.Load))
        return {*stored, *(arg.arg for arg in self.all(ast.arg, function))}


def source_at(recording: Recording, line: str) -> Source:
    """The source that a line is in.

    Raises:
        ValueError: it is not there, or is not Python.
    """
    label, _ = split_source(line)
    return _read(label, recording.facts.sources.get(label, b""))


@lru_cache(maxsize=16)
def _read(label: str, packed: bytes) -> Source:
    return Source(label, unpack(packed))


def _n_alike(some: list[str], others: list[str]) -> int:
    return len([*takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))])
