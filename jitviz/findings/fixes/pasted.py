"""Code to paste, as an edit of the source that a recording holds.

In: a `Paste`.  Out: an `Edit`.
"""

import ast
from textwrap import indent

from ...model import Edit, split_source
from ...reasons.pasting import Paste
from ...recording import Recording
from .source_text import Source, source_at


def edit_of_paste(paste: Paste, recording: Recording) -> Edit | None:
    """The code pasted where it belongs; None if that is not there, or is there twice, or not all in one file."""
    labels = {split_source(place)[0] for place, *_ in paste.calls} or set(recording.facts.sources)
    if len(labels) != 1:
        return None
    source = source_at(recording, f"{labels.pop()}:1")
    found = [(source.calls(split_source(place)[1], old), new) for place, old, new in paste.calls]
    named = source.bindings(paste.name) if paste.name else []
    if not all(here for here, _ in found) or len(named) != bool(paste.name):
        return None
    changes = [(*source.span(node), new) for here, new in found for node in here]
    for node in named:  # at the end of a class, or below a function
        column = (node.body[0] if isinstance(node, ast.ClassDef) else node).col_offset
        end = source.span(node)[1]
        changes.append((end, end, "\n\n" + indent(paste.code.rstrip("\n"), " " * column)))
    nodes: list[ast.expr | ast.stmt] = [*named, *(node for here, _ in found for node in here)]
    first = min(nodes, key=lambda node: node.lineno)
    lacking = [f"{one}\n" for one in paste.imports if not _is_there(source, one.split()[-1], first)]
    above = "".join(lacking) + f"\n\n{paste.helper}" * bool(paste.helper)
    return source.edit([*changes, *([source.above(first, above)] if above else [])])


def _is_there(source: Source, name: str, first: ast.AST) -> bool:
    """Whether the module imports a name above the statement that `first` is in, or has it from another cell."""
    is_known = bool(source.bindings(name)) or any(one.id == name for one in source.all(ast.Name))
    return is_known and source.is_fixed(name, source.top(first))
