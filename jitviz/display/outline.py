"""A panel, or its quiz, as an outline, which text and static HTML draw.

In: a `Panel`, or a `Quiz`.  Out: lines.
Must never: give away an answer in a question, wait for input, or need a script to hide an answer.

HTML folds the answers of a quiz below their questions. Text cannot hide them, so a gap keeps them off the first screen.
"""

from collections.abc import Iterator, Sequence

from ..model.quantities import count, listed, seconds, shortened
from ..recording import Recording
from ..views import AccountView, FindingView, OpRow, Panel, RaisedView, Verdict, as_text
from ..views.schema import Quiz
from .access import IN_HAND, Access
from .function_outline import outline_function
from .score_text import outline_scores, outline_table
from .wrapped_lines import OutlineLine, after_gap, say, strong

_FEW_FUNCTIONS = 3  # that are not folded
_COUNTS = 0.05  # of the wall time: smaller findings are not in the overview
_MOST_IN_OVERVIEW = 9
_GAP = 20  # lines before the answers of a quiz


def outline_panel(
    panel: Panel, width: int, recording: Recording | None = None, access: Access = IN_HAND
) -> Iterator[OutlineLine]:
    """All of a panel. Given the recording, an overview of the findings and what is known of the programs as well.
    `access` says how its reader gets what it leaves out."""
    yield from outline_verdict(panel.verdict)
    yield from outline_raised(panel.raised)
    yield from after_gap(outline_overview(panel, width) if recording is not None else ())
    yield from after_gap(outline_scores(panel.scores, panel.n_more_scores, width))
    counted = [finding for finding in panel.findings if not finding.is_also]
    yield from after_gap(outline_findings(counted, panel.n_more_findings, access))
    yield from after_gap(outline_notes(panel))
    yield from outline_details(panel, width, recording, access)


def outline_details(
    panel: Panel, width: int, recording: Recording | None = None, access: Access = IN_HAND
) -> Iterator[OutlineLine]:
    """What follows the findings: where the time went, all of the functions, and the rest."""
    scores = {score.place: score for score in panel.scores[1:]}  # the first is above
    yield from after_gap(outline_findings([finding for finding in panel.findings if finding.is_also], 0, access))
    yield from after_gap(outline_account(panel.account))
    for place, function in enumerate(panel.functions):
        is_open = len(panel.functions) <= _FEW_FUNCTIONS and not panel.findings
        score = outline_table(scores[place], width - 2) if place in scores and recording is not None else ()
        yield from after_gap(outline_function(function, score, recording, access, is_open=is_open))
    if panel.n_more_functions:
        yield from after_gap([say(0, count(panel.n_more_functions, "more function"))])
    yield from after_gap(_outline_rest(panel))


def outline_raised(raised: RaisedView | None) -> Iterator[OutlineLine]:
    """The line that raised and how it could be written, which the verdict explains; what another exception says."""
    if raised is None:
        return
    if raised.source:
        yield say(0, f"at {raised.source}: {raised.line}" if raised.line else f"at {raised.source}")
    for line in raised.code.splitlines() if raised.kind else raised.message.splitlines()[1:]:
        yield say(2, line)


def outline_verdict(verdict: Verdict) -> Iterator[OutlineLine]:
    """The title, the line below it, what changed since the last run, the advice."""
    yield say(0, verdict.title, hang=0, look="headline")
    for line in filter(None, (verdict.subline, verdict.since)):
        yield say(0, line, hang=0)
    if verdict.advice:
        yield say(0, f"→ {verdict.advice}")


def outline_notes(panel: Panel) -> Iterator[OutlineLine]:
    """What is no counted cause, and what a reader should know besides."""
    if panel.also:
        yield say(0, f"Also: {panel.also}", look="aside")
    for note in panel.verdict.notes:
        yield say(0, note, hang=0, look="note")


def outline_overview(panel: Panel, width: int) -> Iterator[OutlineLine]:
    """A line for each finding that counts, so that all of them are on the first screen."""
    wall_s = panel.account.wall_s if panel.account is not None else 0.0
    texts = [
        f"{number}. {seconds(finding.saves_s or finding.seconds):>7}  {_tell_briefly(finding)}"
        for number, finding in enumerate(panel.findings[:_MOST_IN_OVERVIEW], 1)
        if finding.seconds >= _COUNTS * wall_s
    ]
    for text in texts:
        yield say(0, shortened(text, width))


def _tell_briefly(finding: FindingView) -> str:
    """The sentence of a finding with its function: "`step`: `x` changed its shape from f32[4] to f32[3]"."""
    text, name = as_text(finding.cause or finding.summary), f"`{finding.function}`"
    text = text if name in text or not finding.function else f"{name}: {text}"
    is_nameless = finding.function.endswith("<lambda>") and finding.source
    return text.replace(name, f"{name} at {finding.source}", 1) if is_nameless else text


def outline_findings(
    findings: Sequence[FindingView], n_more: int, access: Access | None = None
) -> Iterator[OutlineLine]:
    """What is worth doing, in the order of what it saves. Without `access`, the code to paste stands below."""
    for finding in findings:
        number = finding.number
        yield say(0, f"{number}. ", finding.summary, hang=3, look="finding")
        yield say(3, tell_cost(finding), hang=0, look="aside")
        if finding.advice:
            yield say(3, f"→ {finding.advice}")
        if finding.edits and finding.edits != (finding.source,):
            yield say(
                3, f"{'line' if len(finding.edits) == 1 else 'lines'} to edit: {listed(finding.edits)}", look="aside"
            )
        if finding.effect:
            yield say(3, finding.effect, look="aside")
        for choice in finding.choices:
            run = f", {choice.run}" if choice.run else ""
            costs = f"{count(choice.compiles, 'compile')}, {choice.padding} more elements{run}, {choice.saved} saved"
            text = f"{choice.name} ({choice.sizes}): {costs}"
            yield say(3, strong(text) if choice.is_best else text)
        if finding.code:
            how = f"code to paste: {access.to_code(number)}" if access else "code to paste"
            yield say(3, how, listing=finding.code)
    if n_more:
        yield say(0, count(n_more, "more finding"))


def tell_cost(finding: FindingView) -> str:
    """ "39 s, 39 recompiles of `step` at train.py:7"."""
    return ", ".join(filter(None, (seconds(finding.seconds) if finding.seconds else "", finding.cost)))


def outline_account(account: AccountView | None) -> Iterator[OutlineLine]:
    if account is None:
        return
    yield say(0, f"Where {seconds(account.wall_s)} went:", is_open=False)
    if account.avoidable:
        yield say(2, f"avoidable: {account.avoidable}")
    for row in account.rows:
        part = f", {row.seconds / account.wall_s:.0%}" if row.depth == 0 else ""
        yield say(2 * row.depth + 2, f"{seconds(row.seconds)}{part}: {row.name}")
    if account.n_more:
        yield say(2, count(account.n_more, "more row"))
    if account.beside:
        yield say(2, account.beside)
    for text in account.processes:
        yield say(2, text)


def outline_ops(rows: Sequence[OpRow], n_more: int) -> Iterator[OutlineLine]:
    """ "`jnp.median` at train.py:12 compiled 12 times, once per length of `rewards`: 4.1 s"."""
    texts = [
        f"`{row.name}`{f' at {row.source}' if row.source else ''} compiled {row.told}: {seconds(row.seconds)}"
        for row in rows
    ]
    more = [count(n_more, "more line")] if n_more else []
    yield from _under("outside any jit", [*texts, *more])


def _outline_rest(panel: Panel) -> Iterator[OutlineLine]:
    """Everything below the functions."""
    more_failures = [f"{panel.n_more_failures:,} more"] if panel.n_more_failures else []
    yield from outline_ops(panel.op_by_op, panel.n_more_op_by_op)
    yield from _under("ahead of time", panel.stages)
    yield from _under("limits", panel.limits)
    yield from _under("capture failed", [*panel.failures, *more_failures])
    yield from _under("left out", [panel.not_kept])
    yield from _under("environment", [panel.made_with])


def _under(heading: str, texts: Sequence[str]) -> Iterator[OutlineLine]:
    """Texts below a heading; a single one stands beside it."""
    said = list(filter(None, texts))
    if said:
        yield say(0, strong(heading), f": {said[0]}" if len(said) == 1 else "", look="aside")
    for text in said if len(said) > 1 else ():
        yield say(2, text, look="aside")


def outline_quiz(quiz: Quiz) -> Iterator[OutlineLine]:
    """The numbered questions, a gap, and the answers with the same numbers."""
    yield _heading(quiz)
    for number, question in enumerate(quiz.questions, 1):
        yield say(0, f"{number}. {_ask(question.text)}", hang=3)
    for text in ("", "The answers are below.", *["⋮"] * _GAP, ""):
        yield say(0, text)
    for number, question in enumerate(quiz.questions, 1):
        yield say(0, f"{number}. {question.answer}", hang=3)


def outline_folded_quiz(quiz: Quiz) -> Iterator[OutlineLine]:
    """The questions, each with its answer folded below it."""
    yield _heading(quiz)
    for number, question in enumerate(quiz.questions, 1):
        yield say(0, f"{number}. {_ask(question.text)}", is_open=False)
        yield say(3, question.answer)


def _heading(quiz: Quiz) -> OutlineLine:
    choices = ", ".join(f"`{path}`" for path in quiz.choices)
    return say(0, f"Quiz: one of {choices}. Answer first, then look.", hang=0, look="headline")


def _ask(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}?"
