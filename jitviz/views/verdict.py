"""The verdict: what a whole recording comes to, in one line, and in a second one what happened.

In: groups of rows and their totals.  Out: `Verdict`.
Must never: say more than the recording shows: if not all hits are seen it says "at least", and if none are seen it
counts none.
"""

from collections.abc import Mapping, Sequence

from ..findings import find
from ..findings.comparison import total
from ..findings.last_activity import tell_state
from ..findings.op_by_op import OpLine
from ..model import Call, Compile, Raised, arrow, cell_of, count, first_of, is_recompile, listed, seconds
from ..model.counting import has_cause
from ..recording import Recording
from ..recording.facts import LogFacts
from .groups import Group, Totals
from .headline import code, list_notes, tell_functions, tell_hits, tell_spent
from .schema import Level, Span, Verdict
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, Limits
from .words import plain, plain_path, read_spans

_JITTED = "a function that is decorated with @jax.jit, @equinox.filter_jit or @jitviz.filter_jit"
_IN_CELL = ", or name one in the first line: %%filterjit -f NAME"
_CHILDREN = "Child processes are recorded too, if `jitviz.pth` is in their site-packages: `pip install` puts it there."
_RECORDING = "this recording"
_SHORT = 48  # characters of a value inside the sentence
_MOMENT_S = 0.1  # a compile that has just begun has no meaningful time yet
_MOST_CAUSES = 3


def shape_verdict(
    recording: Recording, groups: Mapping[str, Group], totals: Totals, ops: Sequence[OpLine], limits: Limits
) -> Verdict:
    """Say the worst that happened: an error, a running compile, recompiles, first compiles, hits, nothing."""
    rows = [row for group in groups.values() for row in group.compiles]
    running = next((row for row in reversed(rows) if row.status == "running"), None)
    level = _level(recording, rows, totals, ops) if running is None else "running"
    subline, advice = tell_functions(groups, totals), ""
    if running is not None:
        title = _tell_running(recording, running)
    elif level == "empty":
        title, advice = _tell_nothing(recording, totals)
    elif level == "hits":
        title, subline = (Span(f"Nothing compiled in {_where(recording)}: {_tell_hits(rows, totals)}"),), ()
    else:
        title = _tell_stale(recording, tell_spent(recording)) or subline
        why, advice = _tell_expected(rows, totals)
        subline = (*subline, *why)
    if recording.is_cut and running is None and len(recording.facts.processes) < 2:
        title = _state(recording)
    top = (call for group in groups.values() for call, _ in group.calls if call.parent is None)
    last = max(top, key=lambda call: call.start_s, default=None)
    if raised := _error(recording, groups, last):
        explained = _explained(recording, last)
        advice = explained.advice if explained is not None else ""
        said = (*read_spans(raised[1]), Span(". " if subline else ".")) if raised[1] else ()
        level, title, subline = "error", read_spans(raised[0]), (*said, *subline)
    notes = tuple(list_notes(recording, groups, totals, limits))
    return Verdict(level, title, subline, tell_last_run(recording), plain(advice, SENTENCE_CHARS), notes)


def _level(recording: Recording, rows: Sequence[Compile], totals: Totals, ops: Sequence[OpLine]) -> Level:
    is_alarming = bool(ops) and ops[0].is_repeated and totals.op_by_op_s > totals.compile_s
    if is_alarming or any(map(is_recompile, rows)) or any(finding.is_wrong for finding in find(recording)):
        return "recompile"
    if totals["compile"] or ops:
        return "first"
    return "hits" if totals["call"] or rows else "empty"


def _tell_stale(recording: Recording, spent: tuple[Span, ...]) -> tuple[Span, ...]:
    """ "`loss` ran an old program", which is wrong and not only slow, before what was spent."""
    stale = {(finding.home, finding.name): finding.function for finding in find(recording) if finding.is_wrong}
    if not stale:
        return spent
    who = [code(name) for name in stale.values()] if len(stale) == 1 else [Span(count(len(stale), "function"))]
    return (*who, Span(f" ran an old program{'; ' * bool(spent)}"), *spent)


def _state(recording: Recording) -> tuple[Span, ...]:
    """How long a recording without an end lasted, and what it was doing."""
    state = plain(tell_state(recording), SENTENCE_CHARS)
    return read_spans(state[:1].upper() + state[1:])


def _where(recording: Recording) -> str:
    facts = recording.facts
    if len(facts.cells) > 1:
        return "these cells"
    return "this cell" if facts.cells or cell_of(facts.label) else _RECORDING


def _tell_running(recording: Recording, running: Compile) -> tuple[Span, ...]:
    """ "`step` is still compiling, 12 s so far; `x` f32[3] → f32[4]"."""
    spent_s = recording.facts.wall_s - running.start_s
    so_far = f", {seconds(spent_s)} so far" if spent_s > _MOMENT_S else ""
    told = (code(running.function), Span(f" is still compiling{so_far}"))
    cause = (Span("; "), *_cause(running)) if has_cause(running) else ()
    return (*(_state(recording) if recording.is_cut else told), *cause)


def _tell_nothing(recording: Recording, totals: Totals) -> tuple[tuple[Span, ...], str]:
    """That there was no jitted call, and what to do."""
    if recording.facts.ended is not None:
        return _tell_program(recording.facts, totals)
    where = _where(recording)
    what = f"{_JITTED}{'' if where == _RECORDING else _IN_CELL}."
    if totals.hits_seen == "none":
        return (Span(f"Nothing compiled in {where}"),), f"If nothing jitted was called yet, call {what}"
    seen = "ran" if totals.hits_seen == "all" else "was seen"
    return (Span(f"No jitted call {seen} in {where}"),), f"Call {what}"


def _tell_program(facts: LogFacts, totals: Totals) -> tuple[tuple[Span, ...], str]:
    """What is true of a program without a jitted call, and what to do."""
    has_jax = any(name == "jax" for name, _ in facts.versions)
    seen = "ran" if totals.hits_seen == "all" and not facts.failures else "was seen"
    if facts.ended:
        before = f"a jitted call {seen}" if has_jax else "it imported jax"
        return (Span(f"The program ended with {plain(facts.ended, NAME_CHARS)} before {before}"),), ""
    if not has_jax:
        return (Span("The program did not import jax"),), _CHILDREN
    sentence = Span(f"jax was imported, but no jitted call {seen} in this process")
    return (sentence,), f"{_CHILDREN} In this process, call {_JITTED}."


def _tell_hits(rows: Sequence[Compile], totals: Totals) -> str:
    """ "at least 13 calls, all hits", "1 program traced or lowered ahead of time"."""
    if totals["call"]:
        return tell_hits(totals)
    ahead = "tried to compile" if totals["failed compile"] else "traced or lowered ahead of time"
    return f"{count(len(rows), 'program')} {ahead}"


def _tell_expected(rows: Sequence[Compile], totals: Totals) -> tuple[tuple[Span, ...], str]:
    """If all recompiles are expected, no finding explains them: the cause of the most expensive one, and its advice."""
    recompiled = list(filter(is_recompile, rows))
    if not recompiled or totals["avoidable recompile"] or totals["maybe avoidable recompile"]:
        return (), ""
    worst = max(recompiled, key=lambda row: row.duration_s)
    which = "" if len(recompiled) == 1 else "Most expensive: "
    return (Span(f" {which}"), *_cause(worst), Span(".")), worst.reasons[0].advice


def _cause(row: Compile) -> tuple[Span, ...]:
    reason = row.reasons[0]
    if not reason.path:
        return read_spans(plain(reason.summary, SENTENCE_CHARS).rstrip("."))
    path = plain_path(reason.path, SENTENCE_CHARS)
    leaf = Span(plain_path(path, NAME_CHARS), is_code=True, path=path, compile=row.index)
    if not (reason.before or reason.after):
        return (leaf,)
    return leaf, Span(f" {plain(reason.before, _SHORT)} → {plain(reason.after, _SHORT)}")


def _error(recording: Recording, groups: Mapping[str, Group], last: Call | None) -> tuple[str, str] | None:
    """Who raised what, and what it says: of the last top-level call, after the time that it spent compiling, or else of
    the cell."""
    message = recording.facts.error
    explained = _explained(recording, last)
    if explained is not None:
        return plain(explained.summary.rstrip("."), SENTENCE_CHARS), plain(explained.detail.rstrip("."), SENTENCE_CHARS)
    if last is not None and last.error is not None:
        failed = (row for group in groups.values() for row in group.compiles if row.status == "failed")
        spent_s = sum(row.duration_s for row in failed if row.call is not None and row.call.index == last.index)
        after = f"After {seconds(spent_s)} of compiling, " if spent_s > _MOMENT_S else ""
        return _tell_error(f"{after}`{plain(last.function, NAME_CHARS)}`", last.error)
    where = "one of these cells" if _where(recording) == "these cells" else _where(recording)
    return _tell_error(where.capitalize(), message) if message else None


def _explained(recording: Recording, last: Call | None) -> Raised | None:
    """What left the recording, or else what the last top-level call raised, if it is explained."""
    left = next((raised for raised in reversed(recording.raised) if raised.kind), None)
    return left or (recording.facts.explanation(last.error) if last is not None else None)


def _tell_error(who: str, error: str) -> tuple[str, str]:
    """ "`f` raised TypeError at train.py:7", and the message with the line that it came through."""
    said, _, where = error.partition(" At ")
    name, _, message = said.partition(": ")
    source, _, code = plain(where, 200).rstrip(".").partition(", ")
    told = ": ".join(filter(None, (plain(message, 200).rstrip(". "), code)))
    if told.partition(" ")[0].isalpha():  # no name in a program
        told = told[0].upper() + told[1:]
    return f"{who} raised {plain(name, NAME_CHARS)}{f' at {source}' if source else ''}", told


def tell_last_run(recording: Recording) -> tuple[Span, ...]:
    """ "Since the last run: 9 → 5 compiles, 19 → 12 s; gone: `opt_state.count`; new: none", or nothing."""
    cells = recording.facts.cells
    if len(cells) != 1 or not cells[0].last_run or recording.is_live:
        return ()
    was, now = (cells[0].last_compiles, cells[0].last_s), total(recording)
    if not (was[0] or now[0]):
        return ()
    compiles = f"{was[0]:,} → {now[0]:,} compile{'s' * (now[0] != 1)}"
    spans = [Span(f"Since the last run: {compiles}, {arrow(was[1], now[1])}")]
    before = recording.last_run
    if before is not None:
        old, new = _causes(before), _causes(recording)
        for word, causes in (("gone", old.keys() - new.keys()), ("new", new.keys() - old.keys())):
            named = dict.fromkeys((old | new)[cause] for cause in old | new if cause in causes)
            spans += [Span(f"; {word}: "), *read_spans(listed(first_of([*named], _MOST_CAUSES)) or "none")]
    return tuple(spans)


def _causes(recording: Recording) -> dict[tuple[str, str, str], str]:
    """What made functions compile again: the leaf, or the kind of what is none."""
    causes: dict[tuple[str, str, str], str] = {}
    for row in filter(is_recompile, recording.compiles):
        reason = row.reasons[0]
        named = f"`{plain_path(reason.path, NAME_CHARS)}`" if reason.path else plain(reason.kind.replace("_", " "), 40)
        causes.setdefault((row.function, reason.kind, reason.path), named)
    return causes
