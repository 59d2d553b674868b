"""Findings about recompiles: a finding for each cause, with a plan or code to paste, and an edit.

In: a cause, and the function that it is of.  Out: a `Finding`.
"""

from collections import Counter
from dataclasses import replace

from ..model.finding import Finding
from ..recording import Recording
from .causes import Cause, Lineage, can_save_alone
from .fixes import fix
from .fixes.ahead_of_time import warm
from .fixes.decisions import tell_decision
from .fixes.edit import edit_of
from .plans import plan_of
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
    finding = Finding.about(
        rows,
        "not_warmed" if cause.is_warmed else "recompile",
        summarise(cause),
        advise(cause, plan),
        path=cause.path,
        reason=cause.reason.kind,
        source=max(sources, key=sources.__getitem__, default=""),
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
    )
    edit = edit_of(finding, pasted, recording) if can_save_alone(cause) else None
    return replace(finding, edit=edit, advice=finding.advice + tell_decision(finding, recording))
