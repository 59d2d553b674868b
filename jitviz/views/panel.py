"""The whole panel of a recording, and the questions to answer before looking at it.

In: a `Recording`, live, finished or loaded.  Out: `Panel`; or `Explanation`, which takes much less time.
Must never: give away an answer in a question.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..findings import find
from ..findings.op_by_op import OpLine, gather_by_process
from ..model import Finding
from ..recording import Recording
from .account_rows import shape_account
from .cells import shape_cells
from .findings import advice_by_change, shape_findings, tell_also
from .function_views import shape_function
from .groups import Totals, add_up, costliest, group_rows
from .headline import are_limits_first
from .schema import (
    FindingView,
    FunctionView,
    OpRow,
    Panel,
    Quiz,
    QuizQuestion,
    RaisedView,
    Score,
    ScoreRow,
)
from .score import shape_scores
from .screen_limits import NAME_CHARS, SAVED, SENTENCE_CHARS, VALUE_CHARS, Limits
from .timeline import shape_timeline
from .verdict import shape_verdict
from .words import plain, plain_all, plain_path, read_spans, times

_LINES = 40  # of what the exception itself says


class Explanation(NamedTuple):
    """The causes of compiles: findings, and functions whose versions have neither trees nor programs."""

    findings: tuple[FindingView, ...]
    n_more_findings: int
    functions: tuple[FunctionView, ...]
    op_by_op: tuple[OpRow, ...]
    n_more_op_by_op: int


def shape_explanation(recording: Recording, limits: Limits) -> Explanation:
    """Why each version was compiled, within `limits`."""
    with recording.held_still():
        groups, findings, facts = group_rows(recording), find(recording), recording.facts
        shown, advice = costliest(groups, limits), advice_by_change(recording)
        ops, edits = gather_by_process(recording.op_by_op, facts.processes), _edits(recording, findings, limits)
        return Explanation(
            shape_findings(findings, edits, limits, facts.label),
            max(0, len(findings) - limits.findings),
            tuple(shape_function(recording, group, limits, advice, rows=0) for group in shown.values()),
            tuple(map(_shape_op, ops[: limits.op_by_op])),
            max(0, len(ops) - limits.op_by_op),
        )


def shape_panel(recording: Recording, limits: Limits = SAVED, *, has_quiz: bool = False) -> Panel:
    """Everything that is shown of a recording, within `limits`; with `has_quiz`, also the quiz that comes first."""
    with recording.held_still():
        facts, last = recording.facts, recording.last_run
        groups = group_rows(recording)
        totals = add_up(recording, groups)
        shown = costliest(groups, limits)
        rows = max(limits.children, limits.rows // max(1, len(shown)))
        ops, findings = gather_by_process(recording.op_by_op, facts.processes), find(recording)
        edits = _edits(recording, findings, limits)
        scores = shape_scores(recording, shown, limits)
        advice = advice_by_change(recording)
        return Panel(
            label=plain(facts.label, NAME_CHARS),
            is_finished=facts.is_finished or recording.is_cut,
            verdict=shape_verdict(recording, groups, totals, ops, limits),
            compiles=totals["compile"],
            timeline=shape_timeline(recording, limits, {key: place for place, key in enumerate(shown)}),
            scores=scores,
            n_more_scores=len(groups) - len(shown),
            last_scores=shape_scores(last, costliest(group_rows(last), limits), limits) if last is not None else (),
            raised=shape_raised(recording),
            findings=shape_findings(findings, edits, limits, facts.label),
            n_more_findings=max(0, len(findings) - limits.findings),
            also=tell_also(recording, findings),
            account=shape_account(recording, limits),
            cells=shape_cells(recording, groups, findings, edits, limits),
            functions=tuple(shape_function(recording, group, limits, advice, rows=rows) for group in shown.values()),
            n_more_functions=len(groups) - len(shown),
            op_by_op=tuple(map(_shape_op, ops[: limits.op_by_op])),
            n_more_op_by_op=max(0, len(ops) - limits.op_by_op),
            stages=tuple(_stages(recording, limits)),
            limits=() if are_limits_first(recording, groups) else plain_all(_limits(recording, totals), SENTENCE_CHARS),
            failures=plain_all(facts.failures[: limits.failures], SENTENCE_CHARS),
            n_more_failures=max(0, len(facts.failures) - limits.failures),
            made_with=" · ".join(
                f"{plain(name, 40)} {plain(version, 40)}" for name, version in facts.versions if name != "process"
            ),
            quiz=shape_quiz(scores, limits) if has_quiz else None,
        )


def _edits(recording: Recording, findings: Sequence[Finding], limits: Limits) -> list[tuple[str, ...]]:
    """The lines that each finding asks to change."""
    if not findings:
        return []
    from ..findings.edit_lines import edit_lines  # it parses Python, and few cells need that

    return [edit_lines(finding, recording) for finding in findings[: limits.findings]]


def _limits(recording: Recording, totals: Totals) -> tuple[str, ...]:
    """What was not seen; the meaning of 'at least' only if the numbers may say so."""
    return tuple(limit for limit in recording.facts.limits if totals.hits_seen != "all" or "'at least'" not in limit)


def _shape_op(line: OpLine) -> OpRow:
    told = line.summary.partition(" compiled ")[2] + (f" ({line.disk})" if line.disk else "")
    name, source = plain(line.name, NAME_CHARS), plain_path(line.source, VALUE_CHARS)
    return OpRow(name, source, line.seconds, line.count, plain(told, SENTENCE_CHARS))


def _stages(recording: Recording, limits: Limits) -> Iterator[str]:
    for (function, stage, source), number in recording.facts.stages.most_common(limits.stages):
        often = f" {times(number)}" if number > 1 else ""
        place = f" at {plain_path(source, VALUE_CHARS)}" if source else ""
        yield f"{plain(stage, NAME_CHARS)} of `{plain(function, NAME_CHARS)}`{often}{place}; no call"


def shape_raised(recording: Recording) -> RaisedView | None:
    """The last exception: explained, or with its own text alone."""
    if not recording.raised:
        return None
    raised = recording.raised[-1]
    message = "\n".join(plain(line, SENTENCE_CHARS) for line in raised.message.splitlines()[:_LINES])
    return RaisedView(
        kind=raised.kind,
        error=plain(raised.error, NAME_CHARS),
        message=message,
        source=plain_path(raised.source, NAME_CHARS),
        line=plain(raised.line, SENTENCE_CHARS),
        function=plain(raised.function, NAME_CHARS),
        path=plain_path(raised.path, SENTENCE_CHARS),
        also=tuple(plain_path(path, SENTENCE_CHARS) for path in raised.also),
        summary=read_spans(plain(raised.summary, SENTENCE_CHARS)),
        detail=read_spans(plain(raised.detail, SENTENCE_CHARS)),
        advice=read_spans(plain(raised.advice, SENTENCE_CHARS)),
        code="\n".join(plain(line, SENTENCE_CHARS) for line in raised.code.splitlines()),
    )


def shape_quiz(scores: Sequence[Score], limits: Limits) -> Quiz | None:
    """Ask about the first score in which something changed, a question for each call that compiled for it."""
    for number, score in enumerate(scores):
        if questions := [_ask(score, column) for column in range(len(score.columns)) if _causes(score, column)]:
            # The paths to choose from: what changed and some others, in the order of the rows.
            rows = [row for row in score.rows if row.kind in ("leaf", "cause")]
            chosen = sorted(rows, key=lambda row: not row.has_changed)[: limits.questions]
            paths = tuple(row.path or row.name for row in rows if row in chosen)
            return Quiz(number, tuple(questions[: limits.questions]), paths)
    return None


def _causes(score: Score, column: int) -> dict[ScoreRow, str]:
    """The rows that made one call compile, each with what changed; nothing of a column that stands for several."""
    if score.columns[column].kind != "compile":
        return {}
    cells = [(row, cell) for row in score.rows for cell in row.cells if cell.column == column and cell.is_cause]
    told = {row: cell.told for row, cell in cells}
    return {row: text for row, text in told.items() if row.kind in ("leaf", "cause")} or told


def _ask(score: Score, column: int) -> QuizQuestion:
    told = [f"`{row.path or row.name}` {text}".rstrip() for row, text in _causes(score, column).items()]
    asked = score.columns[column]
    name = f"call {asked.first:,}" if asked.first else f"version {asked.version}"
    return QuizQuestion(column, f"what made {name} compile", plain("; ".join(told), SENTENCE_CHARS))
