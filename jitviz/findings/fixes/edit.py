"""The edit of a finding, as data: what its advice says, made in the user's source.

In: a finding, and the source that the recording holds.  Out: an `Edit` of single expressions or a decorator, None where
that is not enough, or where it is not certain what to write.
Must never: read a file.
"""

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from ...model import Compile, Edit, Finding, split_source
from ...model.python_text import expression
from ...reasons.pasting import JNP, Paste, at_leaves, leaves_of
from ...recording import Recording
from .decisions import need_of, needs_in
from .source_text import source_at

_STATICS = ("static_argnums", "static_argnames")
_FILTERED = re.compile(r"eqx\.filter\(\w+, eqx\.is_inexact_array\)")


def edit_of(finding: Finding, paste: Paste | None, recording: Recording) -> Edit | None:
    """The edit that does what the finding advises: the code that it has to paste, or another change."""
    if finding.plan is not None:
        return None
    write = _WRITERS.get(finding.reason)
    try:
        found = _pasted(paste, recording) if paste is not None and write is not _typed_keys else None
        row = recording.compiles[finding.compiles[-1]]
        return write(finding, row, recording) if found is None and write is not None else found
    except ValueError:  # from a source that is not there, or is not Python
        return None


def _pasted(paste: Paste, recording: Recording) -> Edit | None:
    """Calls as the code to paste writes them; None if it is more than calls, or they are not all in one file."""
    labels = {split_source(line)[0] for line, *_ in paste.calls}
    if len(labels) != 1 or paste.name or paste.helper:
        return None
    source = source_at(recording, f"{labels.pop()}:1")
    found = [(source.calls(split_source(line)[1], old), new) for line, old, new in paste.calls]
    if not all(here for here, _ in found) or not all(source.imports(line.split()[-1]) for line in paste.imports):
        return None
    return source.edit([(call, new) for here, new in found for call in here])


def _traced(finding: Finding, row: Compile, recording: Recording) -> Edit | None:
    """A static number that the function only computes with, traced."""
    name, info, difference = finding.path, row.function_info, row.judgement.difference
    if difference is None or not (difference.is_arithmetic or difference.kind == "same"):
        return None
    if info.wrapper.is_static_by_leaf:
        return _an_array(finding, row, recording)
    source = source_at(recording, info.defined_at)
    functions = [node for node in source.all(ast.FunctionDef) if node.name == info.qualname]
    jits = [call for call in source.all(ast.Call) if functions and _is_static_jit(call, functions[0])]
    is_inside = any(leaf.is_metadata for leaf in leaves_of(row, [name]))
    if is_inside or not difference.is_arithmetic or len(functions) != 1 or len(jits) != 1:
        return None
    arguments = [argument.arg for argument in (*functions[0].args.posonlyargs, *functions[0].args.args)]
    if not name.isidentifier() or any(needs_in(source, functions[0], name)):  # what is inside one stays static with it
        return None
    text = _without_static(source.of(jits[0]), name, arguments.index(name) if name in arguments else -1)
    return source.edit([(jits[0], text)]) if text else None


def _an_array(finding: Finding, row: Compile, recording: Recording) -> Edit | None:
    """Static numbers inside arguments, made arrays at the call."""
    compiles = [recording.compiles[index] for index in finding.compiles]
    rows = [*dict.fromkeys(version for row in compiles for version in (row.compared_with, row) if version is not None)]
    paths = (finding.path, *finding.also)
    leaves = [leaf for version in rows for leaf in leaves_of(version, paths)]
    if len(leaves) < len(rows) * len(paths) or any(leaf.type not in ("int", "float") for leaf in leaves):
        return None
    source = source_at(recording, row.function_info.defined_at)
    functions = source.functions(row.function_info.name)
    if len(functions) != 1 or any(leaf.is_metadata for leaf in leaves):
        return None
    for path in paths:
        fields = [node for node in source.all(ast.Attribute) if path.endswith(f".{node.attr}")]
        needs = (need for node in fields if isinstance(node.ctx, ast.Load) for need in need_of(source, node))
        if "[" in path or any(needs) or any(needs_in(source, functions[0], path)):
            return None
    made = at_leaves(rows, dict.fromkeys(paths, "None"), "jnp.asarray({0})", JNP)
    return _pasted(made, recording) if made is not None else None


def _is_static_jit(call: ast.Call, function: ast.FunctionDef) -> bool:
    is_of = call in function.decorator_list or any(isinstance(a, ast.Name) and a.id == function.name for a in call.args)
    return is_of and any(keyword.arg in _STATICS for keyword in call.keywords)


def _without_static(text: str, name: str, number: int) -> str:
    """A call of `jit` without one static argument; "" if it does not name it.

    Raises:
        ValueError: it does not write them out.
    """
    jit: Any = expression(text)
    before = ast.unparse(jit)
    for keyword in [keyword for keyword in jit.keywords if keyword.arg in _STATICS]:
        given = ast.literal_eval(keyword.value)
        statics = given if isinstance(given, tuple | list) else (given,)
        left = tuple(static for static in statics if static not in (name, number))
        keyword.value = ast.Constant(left[0] if len(left) == 1 else left)  # type: ignore[arg-type]
        if not left:
            jit.keywords.remove(keyword)
    is_partial = ast.unparse(jit.func).endswith("partial")
    if not jit.keywords and len(jit.args) == is_partial:
        jit = jit.args[0] if is_partial else jit.func
    after = ast.unparse(jit)
    return after if after != before else ""


def _filtered(finding: Finding, row: Compile, recording: Recording) -> Edit | None:
    """The optimiser state, made for only the leaves that have gradients."""
    source = source_at(recording, row.source)
    calls = (call for call in source.all(ast.Call) if ast.unparse(call.func).endswith(".init"))
    inits = [call.args[0] for call in calls if len(call.args) == 1]
    if not _FILTERED.search(finding.advice) or len(inits) != 1 or "eqx" not in source.text:
        return None
    given = source.of(inits[0])
    new = re.sub(r"\bis_array\)$", "is_inexact_array)", given)
    return source.edit([(inits[0], f"eqx.filter({given}, eqx.is_inexact_array)" if given.isidentifier() else new)])


def _typed_keys(_: Finding, row: Compile, recording: Recording) -> Edit | None:
    """Keys that are typed where they are created: converting one at a call compiles, too."""
    source = source_at(recording, row.source)
    makers = [call.func for call in source.all(ast.Call) if ast.unparse(call.func).endswith("random.PRNGKey")]
    return source.edit([(maker, f"{source.of(maker).removesuffix('PRNGKey')}key") for maker in makers])


_WRITERS: Mapping[str, Callable[[Finding, Compile, Recording], Edit | None]] = {
    "static_value": _traced,
    "prng_key_type": _typed_keys,
    "treedef": _filtered,
}
