"""Whether who reads a finding can do what it advises: every finding passes here before it is shown.

In: a finding, and the recording that it is of.  Out: the finding; without advice, code and promise where only the
author of a library could follow it. Of recompiles, `reasons.owners` has said so already, since they are counted.
"""

from dataclasses import replace

from ..model import Finding, FindingKind
from ..reasons.owners import only_its_author_can
from ..recording import Recording

_IN_THE_FUNCTION: tuple[FindingKind, ...] = ("constant", "donation")  # advice that changes what a function takes


def followable(finding: Finding, recording: Recording) -> Finding:
    """The finding as the user can follow it."""
    author = _author(finding, recording)
    if not author:
        return finding
    advice = f"`{finding.function}` belongs to a library, whose author could change it, at {author}."
    return replace(finding, advice=advice, code="", edit=None, saves_s=0.0)


def _author(finding: Finding, recording: Recording) -> str:
    """The line of the library that would have to change; "" if the user's can."""
    if finding.kind in _IN_THE_FUNCTION:
        return only_its_author_can(recording.compiles[finding.compiles[-1]])
    if finding.kind == "op_by_op":
        at_line = [op for op in recording.op_by_op if op.source == finding.source]
        has_stacks = any(op.stack for op in recording.op_by_op)
        return finding.source if has_stacks and not any(op.source in op.stack for op in at_line) else ""
    return ""
