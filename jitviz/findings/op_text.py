"""What the text of a user's line shows of an operation that compiled there.

In: `OpByOp` rows, with the text of their line.  Out: the argument that an input came from, names, whether it slices.
Must never: guess where the line does not show it.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from ..model import OpByOp

_MODULES = {"jnp", "np", "numpy", "jax", "lax", "nn", "random", "linalg", "fft", "scipy", "special", "image", "ops"}
_MOST_CHARS = 40  # of an argument that is named


def names_in(line: str) -> frozenset[str]:
    """The names that a line holds."""
    return frozenset(one.id for one in ast.walk(_tree(line)) if isinstance(one, ast.Name))


def assigned(row: OpByOp) -> str:
    """The name that the user's line gives to what it works out."""
    targets = [one.targets[0] for one in _tree(row.line).body if isinstance(one, ast.Assign)]
    return next((one.id for one in targets if isinstance(one, ast.Name)), "")


def is_sliced(row: OpByOp) -> bool:
    """Whether the line takes a slice whose bounds are worked out: each pair of bounds is a program of its own."""
    node = _node(row)
    bounds = (
        [one for one in ast.walk(node.slice) if isinstance(one, ast.Slice)] if isinstance(node, ast.Subscript) else []
    )
    return any(not isinstance(one, ast.Slice | ast.expr_context | ast.Constant) for b in bounds for one in ast.walk(b))


def argument_of(row: OpByOp, place: int) -> str:
    """The expression in the user's line that input number `place` came from, where the line shows it; else ""."""
    node = _node(row)
    inputs = _inputs(node) if node is not None else []
    if place >= len(inputs) or (place and len(inputs) != len(row.inputs)):
        return ""
    shown = inputs[place]
    text = ast.unparse(shown) if isinstance(shown, ast.Name | ast.Attribute | ast.Subscript) else ""
    return text if len(text) <= _MOST_CHARS else ""


def _node(row: OpByOp) -> ast.AST | None:
    """The one place in the user's line where the public function is called."""
    found = [node for node in ast.walk(_tree(row.line)) if _is_of(node, row.name)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=64)
def _tree(line: str) -> ast.Module:
    """The user's line, empty where it is no whole statement; asked for several times by each line that compiled."""
    try:
        return ast.parse(_whole(line))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _whole(line: str) -> str:
    """The first line of a block is no statement by itself."""
    if line.startswith(("elif ", "else:")):
        line = line[2:] if line.startswith("elif ") else "if True:" + line[5:]
    return f"{line} pass" if line.endswith(":") else line


def _is_of(node: ast.AST, name: str) -> bool:
    if name == "x[...]":
        return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return called == name.rpartition(".")[2]


def _inputs(node: ast.AST) -> list[ast.expr]:
    """What a call or an index is given, in order; the object first where it is a method."""
    if isinstance(node, ast.Subscript):  # what picks single elements is an input as well
        return [node.value] if _has_slices_only(node.slice) else []
    if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
        return []
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    is_method = owner is not None and not _is_module(owner)
    return [one for one in ([owner] if is_method and owner else []) + node.args if not _is_function(one)]


def _has_slices_only(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(one, ast.Slice | ast.Constant | ast.UnaryOp) for one in parts)


def _is_module(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] in _MODULES


def _is_function(node: ast.expr) -> bool:
    """Whether an argument is no array but what a loop is to run: `jnp.add` of `associative_scan(jnp.add, x)`."""
    return isinstance(node, ast.Lambda) or (isinstance(node, ast.Attribute) and _is_module(node.value))
