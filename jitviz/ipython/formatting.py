"""Text of traced values: a compiled cell would keep "JitTracer(float32[3])" where a plain cell has the numbers.

In: the syntax tree of a cell, and the values that it formats.  Out: the tree with a check around each of them.
Must never: touch a function of the cell, which may run when the check is gone, or run a user's code.
"""

import ast
import copy
from typing import Any

from jax.core import Tracer

from ..jaxcompat import raw
from ..model.patterns import pattern

ADVICE = (
    "the text of a traced value has no numbers, since they are not known while the cell is traced. Format it in a "
    "later cell, or print it with `jax.debug.print`."
)
_TEXT = pattern(r"\b\w*Tracer[(<]|\bTraced<")
_DEPTH = 8  # of lists in lists


def with_checks(tree: ast.Module, hook: str) -> ast.Module:
    """A copy of the tree in which the method `check` of a variable is called with each formatted value and its line."""
    copied = copy.deepcopy(tree)
    _Checks(hook).visit(copied)
    return ast.fix_missing_locations(copied)


def shows_traced(value: Any, depth: int = _DEPTH) -> bool:
    """Whether the text of a value shows a traced one: it is one, or a list, tuple or dict that holds one."""
    return raw.is_a(value, Tracer) or (depth > 0 and any(shows_traced(part, depth - 1) for part in raw.items_of(value)))


def is_text_of_traced(value: Any) -> bool:
    """Whether a value is a string with the text of a traced value in it, as a function of the user's may return."""
    return type(value) is str and _TEXT.search(value) is not None


class _Checks(ast.NodeTransformer):
    def __init__(self, hook: str) -> None:
        self._hook = hook

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return node
        self.generic_visit(node)
        match node:
            case ast.FormattedValue():
                node.value = self._checked(node.value)
            case ast.BinOp(left=ast.Constant(value=str()) | ast.JoinedStr(), op=ast.Mod()):
                node.right = self._checked(node.right)
            case ast.Call(ast.Name("ascii" | "format" | "repr" | "str")) | ast.Call(
                ast.Attribute(ast.Constant(str()) | ast.JoinedStr(), "format" | "format_map")
            ):
                node.args = [part if isinstance(part, ast.Starred) else self._checked(part) for part in node.args]
                for keyword in node.keywords:
                    keyword.value = self._checked(keyword.value) if keyword.arg else keyword.value
        return node

    def _checked(self, value: ast.expr) -> ast.expr:
        check = ast.Attribute(ast.Name(self._hook, ast.Load()), "check", ast.Load())
        return ast.copy_location(ast.Call(check, [value, ast.Constant(value.lineno)], []), value)
