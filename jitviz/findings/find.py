"""All findings of a recording.

In: a `Recording`.  Out: `Finding`s, in the order of what fixing each saves.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ..model.finding import Finding, FindingKind
from ..recording import Recording
from .cache import once_for_each_log
from .causes import Cause, Lineage, find_causes
from .divergence import find_divergence
from .eager_loops import find_eager_loops
from .fixes import fix
from .fixes.ahead_of_time import warm
from .fixes.decisions import tell_decision
from .fixes.edit import edit_of
from .on_disk import find_for_disk
from .op_by_op import OpLine, by_cause, gather_by_process, in_processes, line_of, tell_cause
from .op_by_op import advise as advise_on_ops
from .plans import plan_of
from .program_findings import find_in_programs
from .sentences import advise, summarise
from .stale import find_stale

_FIRST: tuple[FindingKind, ...] = ("stale", "diverged")  # a wrong result, and what may hang a job


@once_for_each_log
def find(recording: Recording) -> tuple[Finding, ...]:
    """All findings, in the order of what fixing each alone saves, unknown last; first what is wrong and not only slow.
    No cause is in two of them."""
    are_several = len(recording.facts.processes) > 1
    diverged = list(find_divergence(recording)) if are_several else []
    lineages = find_causes(recording, {number for one in diverged for number in one.compiles}).values()
    recompiles = [_recompile(cause, lineage, recording) for lineage in lineages for cause in lineage.causes]
    covered = {number for one in (*diverged, *recompiles) for number in one.compiles}
    loops = find_eager_loops(recording)
    findings = [*find_stale(recording), *recompiles, *find_in_programs(recording, covered)]
    for loop in loops:
        compiled_s = sum(op.span_s for op in recording.op_by_op if op.source in loop.sources)
        findings.append(loop.finding(compiled_s, recording.facts.wall_s))
    in_loops = {source for loop in loops for source in loop.sources}
    # What compiles once would not gain in a jitted function, and is left to the cache on disk.
    rows = (op for op in recording.op_by_op if op.source not in in_loops)
    again = by_cause(gather_by_process(rows, recording.facts.processes))
    findings += map(_op_line, again)
    on_disk = find_for_disk(recording, covered, in_loops.union(*(line.sources for alike in again for line in alike)))
    if on_disk is not None:
        findings = [*(one for one in findings if one.kind != "slow_compile"), on_disk]
    if are_several:
        findings = [*diverged, *_once(findings)]
    return tuple(sorted(findings, key=lambda one: (one.kind not in _FIRST, -one.saves_s, one.is_maybe, -one.seconds)))


def _once(findings: list[Finding]) -> Iterator[Finding]:
    """One finding for what several processes do, from the process where it took longest."""
    alike: dict[object, list[Finding]] = {}
    for one in sorted(findings, key=lambda one: -one.seconds):
        alike.setdefault((one.kind, one.home, one.name, one.path, one.reason, one.source), []).append(one)
    for costliest, *others in alike.values():
        yield replace(costliest, summary=costliest.summary + in_processes(len(others) + 1))


def _op_line(lines: list[OpLine]) -> Finding:
    n_programs, spent_s = sum(line.count for line in lines), sum(line.seconds for line in lines)
    varied = line_of(lines).varied
    return Finding(
        kind="op_by_op",
        function=lines[0].name,
        source=lines[0].source,
        seconds=spent_s,
        count=n_programs,
        summary=tell_cause(lines),
        advice=advise_on_ops(line_of(lines), n_programs),
        saves_s=spent_s * (1 - 1 / varied.count) if varied is not None else 0.0,  # with one size instead of many
        is_estimated=varied is not None,
        name=lines[0].name,
    )


def _recompile(cause: Cause, lineage: Lineage, recording: Recording) -> Finding:
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
    edit, advice = edit_of(finding, pasted, recording), finding.advice + tell_decision(finding, recording)
    return replace(finding, edit=edit, advice=advice)
