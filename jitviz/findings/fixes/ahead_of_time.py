"""Code that compiles ahead of time what the existing ahead-of-time calls left out.

In: the compiles of a function that these calls left out.  Out: code, "" if none is known to be safe.
Must never: run other user code than the call itself: its other arguments are names, attributes and literals.
"""

import ast
from collections.abc import Sequence

from ...model import Compile, Leaf
from ...model.patterns import pattern
from ..call_text import written_call
from .pasting import rewritten, whole

_MOST = 6  # sizes
_DTYPE = pattern(r"[a-z]+\d*")
_HEAD = "import jax\nimport jax.numpy as jnp\n\n# next to the other calls that compile ahead of time:\n"


def warm(rows: Sequence[Compile], paths: Sequence[str]) -> str:
    """Each call as an ahead-of-time call, with shapes and dtypes in place of the arrays at `paths`."""
    lines = dict.fromkeys(_line(row, paths) for row in rows)
    return _HEAD + "".join(f"{line}\n" for line in lines) if "" not in lines and len(lines) <= _MOST else ""


def _line(row: Compile, paths: Sequence[str]) -> str:
    written = written_call(row)
    arrays = {leaf.path: leaf for leaf in row.signature.leaves if leaf.path in paths and _is_plain(leaf)}
    if row.transform or written is None or len(arrays) != len(paths) or not row.function_info.wrapper.takes_shapes:
        return ""
    call = written.call
    named = [*zip(written.parameters, call.args, strict=False), *((part.arg, part.value) for part in call.keywords)]
    shapes = {path: f"jax.ShapeDtypeStruct({leaf.shape}, jnp.{leaf.dtype})" for path, leaf in arrays.items()}
    text = rewritten(row, {path: whole(shape) for path, shape in shapes.items()})
    if text is None or not all(_is_still(node) for name, node in named if name not in paths):
        return ""
    ahead = ast.parse(text, mode="eval").body
    assert isinstance(ahead, ast.Call)
    ahead.func = ast.Attribute(ahead.func, "lower")
    return f"{ast.unparse(ahead)}.compile()"


def _is_plain(leaf: Leaf) -> bool:
    """Whether shape and dtype describe the array completely."""
    is_placed = leaf.committed or leaf.weak_type or leaf.variable
    return leaf.role == "traced" and not is_placed and _DTYPE.fullmatch(leaf.dtype or "") is not None


def _is_still(node: ast.expr) -> bool:
    """Whether evaluating the expression once more has no effect."""
    return isinstance(node, ast.Constant | ast.Name) or (isinstance(node, ast.Attribute) and _is_still(node.value))
