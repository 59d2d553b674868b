"""A call as it is written, with some of its arguments changed.

In: the text of a call and the signature that it was called with.  Out: the text with changed arguments.
Must never: change a call that may not be the one that was recorded: it must give the same arguments in the same form.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ..model import Compile, last_name, root_of
from ..model.python_text import parse

# Maps the text of an argument, and the place in it where the argument starts ("[1]" of `*args`), to the new text.
Rewrite = Callable[[str, str], str]


@dataclass(frozen=True)
class Written:
    """A call: its text, the node, and the parameter of each positional argument."""

    text: str
    call: ast.Call
    parameters: tuple[str, ...]

    def argument(self, root: str) -> str:
        """The text of the argument for a parameter, "" if it is unknown which argument that is."""
        node, place = self._node_of(root)
        return "" if node is None or place else self.text[slice(*self._span(node))]

    def with_argument(self, root: str, change: Rewrite) -> str | None:
        """The call with the argument for a parameter changed; None if it is unknown which argument that is."""
        node, place = self._node_of(root)
        if node is None:
            return None
        start, end = self._span(node)
        new = change(self.text[start:end], place)
        return self.text[:start] + new + self.text[end:] if new else None

    def by_keyword(self, names: Sequence[str], defaults: Mapping[str, str]) -> str | None:
        """The call with `names` and `defaults` given by keyword; None if they are not the last arguments."""
        first = len(self.parameters) - sum(name in names for name in self.parameters)
        values = [*self.call.args, *(keyword.value for keyword in self.call.keywords)]
        is_last = all(name in names for name in self.parameters[first:])
        is_starred = any(isinstance(part, ast.Starred) for part in self.call.args)
        if is_starred or not is_last or (defaults and not values):
            return None
        text = self.text
        if defaults:
            end = max(self._span(value)[1] for value in values)
            text = text[:end] + "".join(f", {name}={value}" for name, value in defaults.items()) + text[end:]
        for name, node in reversed([*zip(self.parameters, self.call.args, strict=True)][first:]):
            start, _ = self._span(node)
            text = f"{text[:start]}{name}={text[start:]}"
        return text

    def _node_of(self, root: str) -> tuple[ast.expr | None, str]:
        """The expression that a parameter gets, and the place in it that is the argument: "[1]" of `*args`."""
        for keyword in self.call.keywords:
            if keyword.arg == root:
                return keyword.value, ""
        if root not in self.parameters:
            return None, ""
        number, first = self.parameters.index(root), self.call.args[0]
        return (first.value, f"[{number}]") if isinstance(first, ast.Starred) else (self.call.args[number], "")

    def _span(self, node: ast.expr) -> tuple[int, int]:
        """The start and end of a node in the text; columns of the syntax tree count bytes."""
        lines = self.text.splitlines(keepends=True)

        def at(line: int, column: int) -> int:
            return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())

        return at(node.lineno, node.col_offset), at(node.end_lineno or 0, node.end_col_offset or 0)


@cache
def template(name: str) -> str:
    """Code to paste, with places for what `format` puts in, from a file beside this one."""
    return (files(__package__) / f"{name}.py.txt").read_text(encoding="utf-8")


def written_call(row: Compile) -> Written | None:
    """The call that a version was compiled for; None if it was not read, or does not match the recorded arguments."""
    tree = parse(row.written)
    body = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    if not isinstance(body, ast.Expr) or not isinstance(body.value, ast.Call):
        return None
    call = body.value
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name != last_name(row.function):  # `reduce(step, batches)`, or the function under another name
        return None
    parameters = _parameters(row, call)
    return None if parameters is None else Written(row.written, call, parameters)


def _parameters(row: Compile, call: ast.Call) -> tuple[str, ...] | None:
    """The parameter of each positional argument, None if they do not match."""
    form = dict(row.signature.form)
    keywords = [part.arg for part in call.keywords]
    names = list(form or dict.fromkeys(root_of(leaf.path) for leaf in row.signature.leaves))
    if not form and any(root_of(node.path) not in names for node in row.signature.nodes):
        return None  # of arguments without leaves, the position among the others is unknown
    is_bound = names[:1] == ["self"] and isinstance(call.func, ast.Attribute)
    positional = [name for name in names if form.get(name) != "keyword" and name not in keywords][is_bound:]
    if None in keywords or (form and set(keywords) != {name for name in form if form[name] == "keyword"}):
        return None
    if any(isinstance(part, ast.Starred) for part in call.args):
        return tuple(positional) if len(call.args) == 1 else None
    return tuple(positional) if len(call.args) == len(positional) else None
