"""The edit of a finding, as data: what its advice says, made in the user's source.

In: a finding, and the source that the recording holds.  Out: an `Edit`, None where it is not certain what to write.
Must never: read a file, or write what `jitviz try` could not take back.
"""

import ast
import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from ...model import Compile, Edit, Finding, split_source
from ...reasons.call_text import written_call
from ...reasons.pasting import JNP, Paste, at_leaves, leaves_of
from ...recording import Recording
from .decisions import need_of, needs_in
from .pasted import edit_of_paste
from .source_text import Change, Source, source_at

_STATICS = ("static_argnums", "static_argnames")
_STATIC_FIELD = ("static=True", "pytree_node=False", "metadata=dict(static=True)", "metadata={'static': True}")
# A function of a library's that another one made; that it holds no state is what `jitviz try` finds out.
_MADE_AT = re.compile(r"new function with the same code \(defined at ((\w+)/[^:)]*)")
_FILTERED = re.compile(r"eqx\.filter\(\w+, eqx\.is_inexact_array\)")


def edit_of(finding: Finding, paste: Paste | None, recording: Recording) -> Edit | None:
    """The edit that does what the finding advises: the code that it has to paste, or another change."""
    if finding.plan is not None:
        return None
    write = _WRITERS.get(finding.reason)
    try:
        found = edit_of_paste(paste, recording) if paste is not None and write is not _typed_keys else None
        row = recording.compiles[finding.compiles[-1]]
        return write(finding, row, recording) if found is None and write is not None else found
    except ValueError:  # from a source that is not there, or is not Python
        return None


def _traced(finding: Finding, row: Compile, recording: Recording) -> Edit | None:
    """A static number that the function only computes with, traced."""
    name, info, difference = finding.path, row.function_info, row.judgement.difference
    if difference is None or not (difference.is_arithmetic or difference.kind == "same"):
        return None
    if info.wrapper.is_static_by_leaf or any(leaf.is_metadata for leaf in leaves_of(row, [name])):
        return _an_array(finding, row, recording)
    if not difference.is_arithmetic:
        return None
    source = source_at(recording, info.defined_at)
    functions = [one for one in source.all(ast.FunctionDef) if one.name == info.qualname]
    jits = [one for one in source.all(ast.Call) if functions and _is_static_jit(one, functions[0])]
    if len(functions) != 1 or len(jits) != 1 or "\\" in source.of(jits[0]):
        return None
    arguments = [one.arg for one in (*functions[0].args.posonlyargs, *functions[0].args.args)]
    if not name.isidentifier() or any(needs_in(source, functions[0], name)):  # what is inside one stays static with it
        return None
    text = _without_static(source.of(jits[0]), name, arguments.index(name) if name in arguments else -1)
    return source.edit([(*source.span(jits[0]), text)]) if text else None


def _an_array(finding: Finding, row: Compile, recording: Recording) -> Edit | None:
    """Static numbers inside arguments, made arrays at the call; those of a static field, with the field not static."""
    compiles = [recording.compiles[index] for index in finding.compiles]
    rows = [*dict.fromkeys(one for row in compiles for one in (row.compared_with, row) if one is not None)]
    paths = (finding.path, *finding.also)
    leaves = [leaf for one in rows for leaf in leaves_of(one, paths)]
    if len(leaves) < len(rows) * len(paths) or any(leaf.type not in ("int", "float") for leaf in leaves):
        return None
    source = source_at(recording, row.function_info.defined_at)
    functions = source.functions(row.function_info.name)
    for path in paths:
        fields = [one for one in source.all(ast.Attribute) if path.endswith(f".{one.attr}")]
        needs = (need for one in fields if isinstance(one.ctx, ast.Load) for need in need_of(source, one))
        if len(functions) != 1 or "[" in path or any(needs) or any(needs_in(source, functions[0], path)):
            return None
    if any(leaf.is_metadata for leaf in leaves):
        return None if row.function_info.wrapper.is_static_by_leaf else _not_static(source, row, finding.path)
    made = at_leaves(rows, dict.fromkeys(paths, "None"), "jnp.asarray({0})", JNP)
    return edit_of_paste(made, recording) if made is not None else None


def _not_static(source: Source, row: Compile, path: str) -> Edit | None:
    """The field of a class of the file, declared without what makes it static."""
    holder, _, name = path.rpartition(".")
    types = {node.type.rpartition(".")[2] for node in row.signature.nodes if node.path == holder}
    fields = [
        one.value
        for made in source.all(ast.ClassDef)
        for one in made.body
        if made.name in types and isinstance(one, ast.AnnAssign) and source.of(one.target) == name
    ]
    if len(fields) != 1 or not isinstance(fields[0], ast.Call):
        return None
    before = source.of(fields[0])
    declared: Any = ast.parse(before, mode="eval").body
    declared.keywords = [one for one in declared.keywords if ast.unparse(one) not in _STATIC_FIELD]
    return source.edit([(*source.span(fields[0]), ast.unparse(declared))])


def _is_static_jit(call: ast.Call, function: ast.FunctionDef) -> bool:
    is_of = call in function.decorator_list or any(isinstance(a, ast.Name) and a.id == function.name for a in call.args)
    return is_of and any(keyword.arg in _STATICS for keyword in call.keywords)


def _without_static(text: str, name: str, place: int) -> str:
    """A call of `jit` without one static argument; "" if it does not name it.

    Raises:
        ValueError: it does not write them out.
    """
    jit: Any = ast.parse(text, mode="eval").body
    before = ast.unparse(jit)
    for keyword in [one for one in jit.keywords if one.arg in _STATICS]:
        given = ast.literal_eval(keyword.value)
        statics = given if isinstance(given, tuple | list) else (given,)
        left = tuple(one for one in statics if one not in (name, place))
        keyword.value = ast.Constant(left[0] if len(left) == 1 else left)  # type: ignore[arg-type]
        if not left:
            jit.keywords.remove(keyword)
    is_partial = ast.unparse(jit.func).endswith("partial")
    if not jit.keywords and len(jit.args) == is_partial:
        jit = jit.args[0] if is_partial else jit.func
    after = ast.unparse(jit)
    return after if after != before else ""


def _once(finding: Finding, row: Compile, recording: Recording) -> Edit | None:
    """What is made anew for each call, made once: the jitted function, or a static argument."""
    source = source_at(recording, row.source)
    changes: list[Change] = []
    differences = (recording.compiles[index].judgement.difference for index in finding.compiles)
    if any(one is not None and one.kind != "same" for one in differences):
        return None
    for call in source.calls(split_source(row.source)[1], row.written):
        nodes: list[ast.expr] = [call.func]
        if finding.reason == "static_identity":
            written = written_call(row)
            text = written.argument(finding.path) if written is not None else ""
            arguments = (*call.args, *(keyword.value for keyword in call.keywords))
            nodes = [node for node in arguments if text and source.of(node) == text]
        elif row.function_info.wrapper.is_loop:
            nodes = [node for node in call.args if source.is_made(node, call)]
        made = [source.made_once(node, call) for node in nodes]
        changes += chain(*made) if all(made) else ()  # a loop whose condition stays compiles each time
    maker = _MADE_AT.search(finding.summary)
    if not changes and maker and finding.reason == "static_identity" and maker[1] not in recording.facts.sources:
        changes = source.made_by(maker[2])
    return source.edit(changes) if changes else None


def _uncleared(_: Finding, row: Compile, recording: Recording) -> Edit | None:
    """The line that clears the caches, removed."""
    source = source_at(recording, row.source)
    found = [one for one in source.all(ast.Expr) if re.fullmatch(r"[\w.]+\.clear_caches?\(\)", ast.unparse(one))]
    return source.edit([source.without(found[0])]) if len(found) == 1 else None


def _filtered(finding: Finding, row: Compile, recording: Recording) -> Edit | None:
    """The optimiser state, made for only the leaves that have gradients."""
    source = source_at(recording, row.source)
    calls = (one for one in source.all(ast.Call) if ast.unparse(one.func).endswith(".init"))
    inits = [one.args[0] for one in calls if len(one.args) == 1]
    if not _FILTERED.search(finding.advice) or len(inits) != 1 or "eqx" not in source.text:
        return None
    given = source.of(inits[0])
    new = re.sub(r"\bis_array\)$", "is_inexact_array)", given)
    if given.isidentifier():
        new = f"eqx.filter({given}, eqx.is_inexact_array)"
    return source.edit([(*source.span(inits[0]), new)])


def _typed_keys(_: Finding, row: Compile, recording: Recording) -> Edit | None:
    """Keys that are typed where they are created: converting one at a call compiles, too."""
    source = source_at(recording, row.source)
    makers = [one.func for one in source.all(ast.Call) if ast.unparse(one.func).endswith("random.PRNGKey")]
    return source.edit([(*source.span(one), f"{source.of(one).removesuffix('PRNGKey')}key") for one in makers])


_WRITERS: Mapping[str, Callable[[Finding, Compile, Recording], Edit | None]] = {
    "static_value": _traced,
    "new_function": _once,
    "static_identity": _once,
    "cache_cleared": _uncleared,
    "prng_key_type": _typed_keys,
    "treedef": _filtered,
}
