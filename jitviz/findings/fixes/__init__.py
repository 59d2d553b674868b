"""Code that fixes a cause, to be pasted in place of the calls that it shows, and as an edit of the source.

In: a cause, and all versions of its function.  Out: code, None if none is known to be safe: the versions that become
one must have the same outputs. Each kind of reason says in `reasons.kinds` what to paste.
"""

from dataclasses import replace

from ...reasons.kinds import KIND_OF, Recompiles
from ...reasons.pasting import Paste
from ..cause import Cause, Lineage


def fix(cause: Cause, lineage: Lineage) -> Paste | None:
    """What to paste for a cause."""
    if "shape" in cause.kinds and len(cause.kinds) > 1:  # no cast fixes a shape as well
        return None
    kind, unknown = cause.reason.kind, _unknown_lines(lineage)
    of_kind = [((cause.reason.path, *cause.also), cause.rows) for cause in lineage.causes if cause.reason.kind == kind]
    found = KIND_OF[kind].paste(Recompiles(cause.reason, cause.rows, lineage.rows, cause.paths, of_kind, unknown))
    return found and replace(found, check=tuple(unknown))


def _unknown_lines(lineage: Lineage) -> list[str]:
    """Lines whose calls were all hits: neither their arguments nor the versions that they ran are known."""
    known = {row.source for row in lineage.rows}
    return [line for line in lineage.lines if line and line not in known]
