"""All findings of a recording.

In: a `Recording`.  Out: `Finding`s, in the order of what fixing each saves.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..model.finding import Finding, FindingKind
from ..recording import Recording
from .causes import find_causes
from .eager_loops import find_eager_loops
from .followable import followable
from .once_for_each_log import once_for_each_log
from .op_by_op import OpLine, by_cause, gather_by_process, in_processes, line_of, takes_apart, tell_cause
from .op_by_op import advise as advise_on_ops
from .program_findings import find_in_programs
from .stale import find_stale
from .table import Findings
from .traced_once import find_traced_once

_LAST: tuple[FindingKind, ...] = ("slow_compile",)  # what only the next process would gain
_FIRST: tuple[FindingKind, ...] = ("stale", "traced_once", "diverged")  # a wrong result, and what may hang a job


@once_for_each_log
def find(recording: Recording) -> Findings:
    """All findings, in the order of what fixing each alone saves, unknown last; first what is wrong and not only slow.
    No cause is in two of them."""
    are_several = len(recording.facts.processes) > 1
    diverged: list[Finding] = []
    if are_several:
        from .divergence import find_divergence  # only jobs of several processes need it

        diverged += find_divergence(recording)
    lineages = find_causes(recording, {number for finding in diverged for number in finding.compiles}).values()
    causes = [(cause, lineage) for lineage in lineages for cause in lineage.causes]
    recompiles: list[Finding] = []
    if causes:
        from .recompiles import recompile  # few cells need advice, and it takes long to import

        recompiles += (recompile(cause, lineage, recording) for cause, lineage in causes)
    covered = {number for finding in (*diverged, *recompiles) for number in finding.compiles}
    loops = find_eager_loops(recording)
    findings = [
        *find_stale(recording),
        *find_traced_once(recording),
        *recompiles,
        *find_in_programs(recording, covered),
    ]
    for loop in loops:
        # What takes an array apart compiles also where the body is jitted.
        ops = (op for op in recording.op_by_op if op.source in loop.sources and not takes_apart(op))
        compiled_s = sum(op.span_s for op in ops)
        findings.append(loop.finding(compiled_s, recording.facts.wall_s))
    in_loops = {source for loop in loops for source in loop.sources}
    # What compiles once would not gain in a jitted function, and is left to the cache on disk.
    rows = (op for op in recording.op_by_op if op.source not in in_loops or takes_apart(op))
    again = by_cause(gather_by_process(rows, recording.facts.processes))
    findings += map(_op_line, again)
    if are_several:
        findings = [*diverged, *_once(findings)]
    return Findings(
        sorted(
            (followable(finding, recording) for finding in findings),
            key=lambda finding: (
                finding.kind not in _FIRST or finding.is_maybe,
                finding.kind in _LAST,
                -finding.saves_s,
                finding.is_maybe,
                -finding.seconds,
            ),
        )
    )


def _once(findings: list[Finding]) -> Iterator[Finding]:
    """One finding for what several processes do, from the process where it took longest."""
    alike: dict[object, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: -finding.seconds):
        alike.setdefault(
            (finding.kind, finding.home, finding.name, finding.path, finding.reason, finding.source), []
        ).append(finding)
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
        saves_s=spent_s if lines[0].is_wide else spent_s * (1 - 1 / max(1, varied.count)),
        is_estimated=lines[0].is_wide or varied.count > 0,
        name=lines[0].name,
    )
