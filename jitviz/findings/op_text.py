"""What the text of a line of user code shows about an operation that compiled there.

In: `OpByOp` rows, with the text of their line.  Out: the argument for an input, names, whether the line slices.
"""

import ast
from functools import lru_cache

from ..model import OpByOp
from ..model.python_text import parse

_MODULES = {"jnp", "np", "numpy", "jax", "lax", "nn", "random", "linalg", "fft", "scipy", "special", "image", "ops"}
_MOST_CHARS = 40  # of an argument that is named


def names_in(line: str) -> frozenset[str]:
    """The names in a line."""
    return frozenset(node.id for node in ast.walk(_tree(line)) if isinstance(node, ast.Name))


def assigned(row: OpByOp) -> str:
    """The name that the line assigns its result to, or ""."""
    targets = [statement.targets[0] for statement in _tree(row.line).body if isinstance(statement, ast.Assign)]
    return next((node.id for node in targets if isinstance(node, ast.Name)), "")


def is_sliced(row: OpByOp) -> bool:
    """Whether the line takes a slice with computed bounds: each pair of bounds has its own program."""
    node = _node(row)
    indices = ast.walk(node.slice) if isinstance(node, ast.Subscript) else ()
    bounds = (node for node in indices if isinstance(node, ast.Slice))
    return any(
        not isinstance(node, ast.Slice | ast.expr_context | ast.Constant) for b in bounds for node in ast.walk(b)
    )


def is_called(row: OpByOp) -> bool:
    """Whether the line itself calls the public function, as far as its text is known."""
    return not row.line or any(_is_of(node, row.name) for node in ast.walk(_tree(row.line)))


def argument_of(row: OpByOp, place: int) -> str:
    """The expression in the line that input number `place` came from, "" if the line does not show it."""
    node = _node(row)
    inputs = _inputs(node) if node is not None else []
    if place >= len(inputs) or (place and len(inputs) != len(row.inputs)):
        return ""
    shown = inputs[place]
    text = ast.unparse(shown) if isinstance(shown, ast.Name | ast.Attribute | ast.Subscript) else ""
    return text if len(text) <= _MOST_CHARS else ""


def _node(row: OpByOp) -> ast.AST | None:
    """The call of the public function in the line, if there is exactly one."""
    nodes = [node for node in ast.walk(_tree(row.line)) if _is_of(node, row.name)]
    return nodes[0] if len(nodes) == 1 else None


@lru_cache(maxsize=64)
def _tree(line: str) -> ast.Module:
    """The syntax tree of the line, empty if it is not a whole statement; needed several times per line."""
    if line.startswith(("elif ", "else:")):
        line = line[2:] if line.startswith("elif ") else "if True:" + line[5:]
    whole = f"{line} pass" if line.endswith(":") else line  # the first line of a block is no statement
    return parse(whole) or ast.Module([], [])


def _is_of(node: ast.AST, name: str) -> bool:
    if name == "x[...]":
        return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return called == name.rpartition(".")[2]


def _inputs(node: ast.AST) -> list[ast.expr]:
    """The arguments of a call or an index, in order; the object first if it is a method call."""
    if isinstance(node, ast.Subscript):  # an index that picks single elements is an input as well
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        has_slices_only = all(isinstance(node, ast.Slice | ast.Constant | ast.UnaryOp) for node in parts)
        return [node.value] if has_slices_only else []
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return []
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    is_method = owner is not None and not _is_module(owner)
    return [one for one in ([owner] if is_method and owner else []) + node.args if not _is_function(one)]


def _is_module(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] in _MODULES


def _is_function(node: ast.expr) -> bool:
    """Whether an argument is not an array but a function: `jnp.add` in `associative_scan(jnp.add, x)`."""
    return isinstance(node, ast.Lambda) or (isinstance(node, ast.Attribute) and _is_module(node.value))
