"""Findings about recompiles: a finding for each cause, with a plan or code to paste, and an edit.

In: a cause, and the function that it is of.  Out: a `Finding`.
"""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..model import Compile, Finding, Leaf
from ..model.python_text import expression
from ..reasons.call_text import written_call
from ..reasons.pasting import rewritten, whole
from ..recording import Recording
from .callers import callers_of
from .cause import Cause, Lineage
from .fixes import fix
from .fixes.decisions import with_decision
from .fixes.edit import edit_of
from .plans import plan_of
from .savings import can_save_alone
from .sentences import advise, summarise


def recompile(cause: Cause, lineage: Lineage, recording: Recording) -> Finding:
    """The finding about a cause of recompiles."""
    rows, pasted = cause.rows, None
    sources = Counter(row.source for row in rows if row.source)
    plan = plan_of(cause, lineage)
    saves = None if cause.saved is None else len(cause.saved)
    saves_s = sum(row.duration_s for row in cause.saved or ())
    if plan is not None:  # which may keep some compiles, to pad less
        saves, saves_s = plan.compiles - plan.choice.compiles, plan.choice.saved_s
        code = plan.choice.code
    elif cause.is_warmed:
        code = warm(rows, cause.paths)
    else:
        pasted = fix(cause, lineage)
        code = str(pasted or "")
    source = max(sources, key=sources.__getitem__, default="")
    versions = {row.version for row in (*rows, *(row.compared_with for row in rows)) if row is not None}
    finding = Finding.about(
        rows,
        "not_warmed" if cause.is_warmed else "recompile",
        summarise(cause),
        advise(cause, plan),
        path=cause.path,
        reason=cause.reason.kind,
        source=source,
        seconds=cause.seconds,
        count=len(rows),
        code=code,
        plan=plan,
        also=cause.also,
        saves=saves,
        saves_s=saves_s,
        is_maybe=cause.is_maybe,
        shared=cause.shared,
        stays=cause.stays,
        beside=cause.beside,
        callers=callers_of([row for row in lineage.rows if row.version in versions], source),
    )
    edit = edit_of(finding, pasted, recording) if can_save_alone(cause) else None
    return replace(finding, edit=edit, advice=with_decision(finding, recording))


_MOST = 6  # sizes
_DTYPE = re.compile(r"[a-z]+\d*")
_HEAD = "import jax\nimport jax.numpy as jnp\n\n# next to the other calls that compile ahead of time:\n"


def warm(rows: Sequence[Compile], paths: Sequence[str]) -> str:
    """Each call as an ahead-of-time call, with shapes and dtypes in place of the arrays at `paths`; "" if no code is
    known to be safe: besides the call itself, it runs only names, attributes and literals."""
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
    ahead = expression(text)
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
