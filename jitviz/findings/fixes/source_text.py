"""The text of a file or cell, and the changes that an edit makes to it.

In: a text.  Out: its calls, what can be made once above them, and an `Edit` of whole lines.
Must never: give an edit after which the text is not Python.
"""

import ast
import builtins
import re
import symtable
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, takewhile
from textwrap import dedent, indent
from typing import TypeAlias, TypeVar

from ...model import Edit, cell_of, split_source
from ...model.python_text import parse
from ...recording import Recording, unpack

N = TypeVar("N", bound=ast.AST)
Change: TypeAlias = tuple[int, int, str]  # start and end in the text, and what takes its place
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


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
        return [one for one in self.all(ast.FunctionDef) if one.name == name.rpartition(".")[2]]

    def is_local(self, name: ast.Name) -> bool:
        """Whether a function around a name sets it."""
        return self._binding(name.id, name) is not None

    def all(self, kind: type[N], within: ast.AST | None = None) -> list[N]:
        """The nodes of one kind."""
        return [node for node in ast.walk(within or self.tree) if isinstance(node, kind)]

    def calls(self, line: int, written: str) -> list[ast.Call]:
        """The calls that begin or go on at a line and are written like this, but for spaces."""
        here = (node for node in self.all(ast.Call) if node.lineno <= line <= (node.end_lineno or 0))
        return [node for node in here if self.of(node).split() == written.split()]

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        return self.text[slice(*self.span(node))]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The start and end of a node; columns of the syntax tree count bytes."""
        return self._at(node.lineno, node.col_offset), self._at(node.end_lineno or 0, node.end_col_offset or 0)

    def lines(self, node: ast.stmt) -> tuple[int, int]:
        """The start and end of the lines that a statement has for itself, with its decorators."""
        first = min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))
        return self._starts[first - 1], min(self._starts[node.end_lineno or 0], len(self.text))

    def _at(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        return start + len(self.text[start : self._starts[line]].encode()[:column].decode())

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node is in, the innermost first, without the module."""
        while not isinstance(node := self._parents[node], ast.Module):
            yield node

    def top(self, node: ast.AST) -> ast.stmt:
        """The statement of the module that a node is, or is in."""
        *_, top = node, *self.around(node)
        assert isinstance(top, ast.stmt)
        return top

    def above(self, node: ast.AST, code: str) -> Change:
        """Code put above the statement of the module that a node is in."""
        top = self.top(node)
        start, _ = self.lines(top)
        return start, start, code.strip("\n") + ("\n\n\n" if isinstance(top, _DEFINITIONS) else "\n")

    def without(self, node: ast.stmt) -> Change:
        """A statement removed; `pass` in its place if it is alone."""
        body = next(body for body in vars(self._parents[node]).values() if isinstance(body, list) and node in body)
        return (*self.lines(node), "") if len(body) > 1 else (*self.span(node), "pass")

    def edit(self, changes: list[Change]) -> Edit | None:
        """The changes as one edit of whole lines."""
        text, limit = self.text, len(self.text)
        for start, end, new in reversed(sorted(dict.fromkeys(changes), key=lambda change: change[:2])):  # noqa: C413
            if end > limit:  # one change is inside another
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

    # -- what a function or a loop makes anew each time -----------------------------------------------------------

    def is_made(self, node: ast.expr, at: ast.AST) -> bool:
        """Whether a node stands for a function that is defined where it is."""
        made = self._binding(node.id, at) if isinstance(node, ast.Name) else node
        return isinstance(made, ast.FunctionDef | ast.Lambda)

    def made_once(self, node: ast.expr, at: ast.AST) -> list[Change]:
        """What a node stands for, made once, above the statement of the module that it is in; [] if that is unsafe."""
        if isinstance(node, ast.Name):
            made = self._binding(node.id, at)
            if isinstance(made, ast.FunctionDef):
                return self._moved(made)
            if not (isinstance(made, ast.Name) and isinstance(self._parents[made], ast.Assign)):
                return []
            return self._hoisted(self._parents[made].value, f"{made.id}_once")  # type: ignore[attr-defined]
        return self._hoisted(node, "made_once") if isinstance(node, ast.Call | ast.Lambda) else []

    def made_by(self, package: str) -> list[Change]:
        """The only object that a function of a package makes from what is set above, made once."""
        imports: list[ast.Import | ast.ImportFrom] = [*self.all(ast.Import), *self.all(ast.ImportFrom)]
        modules = [(getattr(one, "module", None) or alias.name, alias) for one in imports for alias in one.names]
        names = {alias.asname or alias.name for module, alias in modules if module.partition(".")[0] == package}
        calls = [(call, ast.unparse(call.func).split(".")) for call in self.all(ast.Call)]
        named = [(call, parts) for call, parts in calls if all(part.isidentifier() for part in parts)]
        found = [(call, parts[-1]) for call, parts in named if parts[0] in names and parts[-1].islower()]
        parts = {part for call, _ in found for part in ast.walk(call) if part is not call}
        hoisted = (self._hoisted(call, f"{name}_once") for call, name in found if call not in parts)
        made = [changes for changes in hoisted if changes]
        return made[0] if len(made) == 1 else []

    def _hoisted(self, node: ast.expr, name: str) -> list[Change]:
        if not isinstance(node, ast.Call | ast.Lambda):
            return []
        while re.search(rf"\b{name}\b", self.text):
            name += "_"
        repeats = any(isinstance(one, (*_FUNCTIONS, *_LOOPS)) for one in self.around(node))
        placed = self._placed(node, f"{name} = {self.of(node)}") if repeats else []
        return [*placed, (*self.span(node), name)] if placed else []

    def _placed(self, node: ast.expr | ast.stmt, code: str) -> list[Change]:
        """The code of a node, put above the statement of the module that it is in, with what else must move; or else
        above the outermost loop or function that runs it again. [] if neither is safe."""
        needed, outer = self._needed(node), self._outermost(node)
        if needed is not None:
            return [*needed, self.above(node, code)]
        if outer is None:
            return []
        start, _ = self.lines(outer)
        return [(start, start, indent(code.rstrip("\n"), " " * outer.col_offset) + "\n")]

    def _outermost(self, node: ast.expr | ast.stmt) -> ast.stmt | None:
        """The outermost loop or function inside a function that runs a node again with all that it reads set above."""
        names = _names_read(ast.unparse(node)) - {getattr(node, "name", "")}
        repeats, found = False, None
        for one in self.around(node):
            repeats = repeats or isinstance(one, (*_FUNCTIONS, *_LOOPS))
            is_in_class = isinstance(self._parents[one], ast.ClassDef)
            if isinstance(one, ast.stmt) and one is not self.top(node) and repeats and not is_in_class:
                is_first = not self.text[self.lines(one)[0] : self.span(one)[0]].strip(" ")
                is_alone = is_first or isinstance(one, _DEFINITIONS)
                found = one if is_alone and all(self._is_set_above(name, node, one) for name in names) else found
        return found

    def _is_set_above(self, name: str, node: ast.AST, outer: ast.stmt) -> bool:
        """Whether a name that a node reads is set once, above a statement around it that does not change it."""
        made, around = self._binding(name, node), [*self.around(outer)]
        if made is None:
            return self.is_fixed(name, self.top(node))
        if made is self.tree or any(self._may_change(use) for use in self.all(ast.Name, outer) if use.id == name):
            return False
        if isinstance(made, ast.arg):
            return self._owner(made) in around
        at = next(one for one in (made, *self.around(made)) if isinstance(one, ast.stmt))
        is_certain = self._parents[at] in around and not isinstance(self._parents[at], ast.If | ast.Try)
        return at in around or (is_certain and self.span(at) < self.span(outer))

    def _may_change(self, use: ast.Name) -> bool:
        """Whether something is assigned inside an object, or a method of it is called."""
        part = self._parents[use]
        is_called = isinstance(self._parents.get(part), ast.Call) and getattr(self._parents[part], "func", None) is part
        is_set = isinstance(getattr(part, "ctx", None), ast.Store | ast.Del)
        return isinstance(part, ast.Attribute | ast.Subscript) and (is_called or is_set)

    def _moved(self, node: ast.FunctionDef) -> list[Change]:
        """A function that is defined inside another or in a loop, moved out of it."""
        start, end = self.lines(node)
        has_long_text = any(isinstance(one, ast.Constant) and one.lineno != one.end_lineno for one in ast.walk(node))
        is_set_again = len([one for one in ast.walk(self.tree) if node.name in _bound(one)]) > 1
        if has_long_text or is_set_again or self._parents[node] is self.tree:
            return []
        placed = self._placed(node, dedent(self.text[start:end]))
        return [*placed, self.without(node)] if placed else []

    def _needed(self, node: ast.AST) -> list[Change] | None:
        """What else must move so that a node means the same above; None if it reads what is set where it is."""
        changes: list[Change] = []
        for name in _names_read(ast.unparse(node)) - {getattr(node, "name", "")}:
            made = self._binding(name, node)
            if isinstance(made, ast.FunctionDef):
                moved = self._moved(made)
                if not moved:
                    return None
                changes += moved
            elif made is not None or not self.is_fixed(name, self.top(node)):
                return None
        return changes

    def _binding(self, name: str, at: ast.AST) -> ast.AST | None:
        """What binds a name where the functions around a node, or the statement of the module that it is in, set it."""
        found = [one for one in ast.walk(self.top(at)) if name in _bound(one) and one is not self.top(at)]
        owners = {owner for one in found if (owner := self._owner(one)) in (self.tree, *self.around(at))}
        inside = [one for one in found if self._owner(one) in owners]
        return inside[0] if len(inside) == 1 else self.tree if inside else None

    def _owner(self, node: ast.AST) -> ast.AST:
        """The function, class or module that a binding belongs to."""
        return next((one for one in self.around(node) if isinstance(one, (*_FUNCTIONS, ast.ClassDef))), self.tree)

    def set_above(self, name: str, call: ast.Call) -> int:
        """The last line above a call that sets a name which it reads, or a part of what that stands for; 0 if none."""
        owner = self._owner(call)
        if isinstance(owner, _FUNCTIONS) and any(one.arg == name for one in self.all(ast.arg, owner.args)):
            return 0
        lines: dict[bool, list[int]] = {True: [], False: []}  # by whether the function around the call sets it
        for one in self.all(ast.expr):
            is_set = isinstance(getattr(one, "ctx", None), ast.Store) and re.match(rf"{name}(?!\w)", self.of(one))
            if is_set and one.lineno < call.lineno and self._owner(one) in (owner, self.tree):
                lines[self._owner(one) is owner].append(one.lineno)
        return max(lines[True] or lines[False], default=0)

    def is_fixed(self, name: str, top: ast.stmt) -> bool:
        """Whether a name of the module is set once, above a statement."""
        found = self.bindings(name)
        if any(name in one.names for one in self.all(ast.Global)):
            return False
        if not found:
            return hasattr(builtins, name) or bool(cell_of(self.label))  # of another cell
        return len(found) == 1 and self.span(self.top(found[0])) < self.span(top)

    def bindings(self, name: str) -> list[ast.stmt]:
        """The statements that set a name of the module."""
        found = [one for one in ast.walk(self.tree) if name in _bound(one) and self._owner(one) is self.tree]
        return [next(up for up in (one, *self.around(one)) if isinstance(up, ast.stmt)) for one in found]


def source_at(recording: Recording, place: str) -> Source:
    """The source that a line is in.

    Raises:
        ValueError: it is not there, or is not Python.
    """
    label, _ = split_source(place)
    return _read(label, recording.facts.sources.get(label, b""))


@lru_cache(maxsize=16)
def _read(label: str, packed: bytes) -> Source:
    return Source(label, unpack(packed))


def _n_alike(some: list[str], others: list[str]) -> int:
    return len([*takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))])


def _bound(node: ast.AST) -> set[str]:
    """The names that a node itself binds."""
    if isinstance(node, ast.Name):
        return set() if isinstance(node.ctx, ast.Load) else {node.id}
    if isinstance(node, ast.alias):
        return {node.asname or node.name.partition(".")[0]}
    if isinstance(node, ast.arg):
        return {node.arg}
    return {node.name} if isinstance(node, (*_DEFINITIONS, ast.ExceptHandler)) and node.name else set()


def _names_read(code: str) -> set[str]:
    """The names that code, run in a module, takes from the module."""
    names: set[str] = set()
    tables = [symtable.symtable(code, "", "exec")]
    for table in tables:
        used = (one for one in table.get_symbols() if one.is_referenced())
        names |= {one.get_name() for one in used if table is tables[0] or one.is_global()}
        tables += table.get_children()
    return names
