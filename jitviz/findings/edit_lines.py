"""The lines that a finding asks to change, where they are known.

In: a finding, and the recording that it is of.  Out: places, the first line of each stretch to change.
Must never: guess. Where the advice names no line and there is no edit, it gives none; of a library, it gives none.
"""

import ast
import builtins
import re
from collections.abc import Iterator

from ..model import Compile, Edit, Finding, root_of, split_source
from ..model.python_text import expression
from ..reasons.call_text import written_call
from ..reasons.kinds import KIND_OF
from ..recording import Recording
from .fixes.source_text import source_at
from .once_for_each_log import once_for_each_log

_PLACE = r"(In \[\d+\]:\d+|[^\s`,;()]+:\d+)"
_TOLD = re.compile(rf"\bat {_PLACE}")  # in advice and in code to paste
_DEFINED = re.compile(rf"\(defined at {_PLACE}\)")  # in a sentence: what is made anew, and is to be made once
_STATIC = re.compile(r"`static\w*_arg(nums|names)`")
_IN_THE_LINE = ("eager_loop", "op_by_op", "slow_trace", "traced_once", "unrolled")  # the line itself is the cause
_AT_THE_DEFINITION = ("constant", "donation", "stale")  # what the function takes, and how it is jitted


def edit_lines(finding: Finding, recording: Recording) -> tuple[str, ...]:
    """ "train.py:3", "In [4]:7", in the order in which they stand."""
    if finding.edit is not None:
        return tuple(f"{finding.edit.file}:{number}" for number in _changed(finding.edit))
    rows = [recording.compiles[index] for index in finding.compiles]
    is_inside_library = finding.advice.startswith("The library")  # which is called somewhere in the program
    told = [] if is_inside_library else _TOLD.findall(f"{finding.advice}\n{finding.code}")
    told += _DEFINED.findall(finding.summary)
    if finding.kind in _IN_THE_LINE and not finding.code:
        told.append(finding.source)
    if finding.kind in _AT_THE_DEFINITION or _STATIC.search(finding.advice):
        told += [row.function_info.defined_at for row in rows]
    if finding.kind == "recompile" and not told:
        told += [_made_at(finding, row, recording) for row in rows if row.source == finding.source][-1:]
    yours = _files(recording)
    return tuple(sorted({place for place in told if place and split_source(place)[0] in yours}, key=split_source))


@once_for_each_log
def _files(recording: Recording) -> set[str]:
    """The user's files and cells."""
    sources = [row.source for row in recording.compiles] + [op.source for op in recording.op_by_op]
    cells = (cell.label for cell in recording.facts.cells)
    return {*recording.facts.sources, *cells, *(split_source(source)[0] for source in sources)}


def _changed(edit: Edit) -> Iterator[int]:
    """The lines that are no longer there, the first of each stretch; where lines are only added, the one below them."""
    old, new = edit.old.split("\n"), edit.new.split("\n")
    gone = [line not in new for line in old]
    firsts = [at for at, is_gone in enumerate(gone) if is_gone and not (at and gone[at - 1])]
    return (edit.line + at for at in firsts or [0])


def _made_at(finding: Finding, row: Compile, recording: Recording) -> str:
    """Where the argument that changed gets its value: where the one name that the call passes was set last, else the
    call; "" where that is not known."""
    written, (file, line) = written_call(row), split_source(row.source)
    text = written.argument(root_of(finding.path)) if written is not None else ""
    try:
        source = source_at(recording, row.source)
    except ValueError:  # it is not there, or is not Python
        return ""
    calls = source.calls(line, row.written)
    if not text or not calls:
        return ""
    imported = {alias.asname or alias.name.partition(".")[0] for alias in source.all(ast.alias)}
    names = {node.id for node in ast.walk(expression(text)) if isinstance(node, ast.Name)}
    names -= {name for name in names if name in imported or hasattr(builtins, name)}
    if len(names) != 1 or (finding.reason in KIND_OF and KIND_OF[finding.reason].is_at_the_call):
        return row.source
    above = source.set_above(names.pop(), calls[0])
    return f"{file}:{above}" if above else ""
