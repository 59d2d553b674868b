"""All findings of a recording.

In: a `Recording`.  Out: `Finding`s, most seconds first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain

from ..model.finding import Finding
from ..recording import Recording
from .cache import once_for_each_log
from .causes import Cause, Lineage, find_causes
from .divergence import find_divergence
from .fixes import fix
from .fixes.ahead_of_time import warm
from .op_by_op import OpLine, by_cause, by_place, gather, line_of, tell_cause, tell_places
from .op_by_op import advise as advise_on_ops
from .plans import plan_of
from .programs import find_in_programs
from .sentences import advise, summarise

# Fewer programs than these, compiled outside any jit, are normal setup.
_MANY_OPS = 20


@once_for_each_log
def find(recording: Recording) -> tuple[Finding, ...]:
    """All findings, most seconds first; no cause is in two of them."""
    are_several = len(recording.facts.processes) > 1
    diverged = list(find_divergence(recording)) if are_several else []
    recompiles = _recompiles(recording, {number for one in diverged for number in one.compiles})
    covered = {number for one in (*diverged, *recompiles) for number in one.compiles}
    findings = [*recompiles, *find_in_programs(recording, covered), *_op_by_op(recording)]
    if are_several:
        findings = [*diverged, *_once(findings)]
    return tuple(sorted(findings, key=lambda one: -one.seconds))


def _once(findings: list[Finding]) -> Iterator[Finding]:
    """One finding for what several processes do, from the process where it took longest."""
    alike: dict[object, list[Finding]] = {}
    for one in sorted(findings, key=lambda one: -one.seconds):
        alike.setdefault((one.kind, one.home, one.name, one.path, one.reason, one.source), []).append(one)
    for costliest, *others in alike.values():
        n = len(others) + 1
        where = f", in {n} processes (the slowest is counted)" if others else ""
        yield replace(costliest, summary=costliest.summary + where)


def _op_by_op(recording: Recording) -> Iterator[Finding]:
    """Findings about lines that compile again for each size, by what varied; and one about all other such programs."""
    lines = gather(recording.op_by_op)
    for alike in by_cause(lines):
        yield _op_line(alike, tell_cause(alike), sum(line.count for line in alike))
    places = by_place([line for line in lines if not line.is_repeated])
    rest = list(chain.from_iterable(places))
    n_rest = sum(line.count for line in rest)
    if n_rest >= _MANY_OPS:
        yield _op_line(rest, tell_places(places), n_rest)


def _op_line(lines: list[OpLine], summary: str, n_programs: int) -> Finding:
    return Finding(
        kind="op_by_op",
        function=lines[0].name,
        source=lines[0].source,
        seconds=sum(line.seconds for line in lines),
        count=n_programs,
        summary=summary,
        advice=advise_on_ops(line_of(lines), n_programs),
        name=lines[0].name if lines[0].is_repeated else "",
    )


def _recompiles(recording: Recording, covered: Collection[int]) -> list[Finding]:
    lineages = find_causes(recording, covered).values()
    return [_recompile(cause, lineage) for lineage in lineages for cause in lineage.causes]


def _recompile(cause: Cause, lineage: Lineage) -> Finding:
    rows = cause.rows
    sources = Counter(row.source for row in rows if row.source)
    plan = plan_of(cause, lineage)
    if plan is not None:
        code = plan.choice.code
    else:
        code = warm(rows, cause.paths) if cause.is_warmed else fix(cause, lineage)
    return Finding.about(
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
        saves=None if cause.saved is None else len(cause.saved),
        saves_s=sum(row.duration_s for row in cause.saved or ()),
        stays=cause.stays,
        beside=cause.beside,
    )
