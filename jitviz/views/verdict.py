"""The verdict: one plain sentence about a whole recording.

In: groups of rows and their totals.  Out: `Verdict`.
Must never: say more than the recording shows: if not all hits are seen it says "at least", and if none are seen it
counts none.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..findings import find, find_account
from ..findings.error_advice import advise
from ..findings.last_activity import STALL_S, lasts_s, tell_doing, tell_state
from ..findings.memory import tell_memory
from ..findings.on_disk import tell_disk
from ..findings.op_by_op import OpLine
from ..findings.slow_calls import tell_running
from ..model import Call, Compile, Finding, What, cell_of, count, first_of, listed, seconds
from ..model.counting import has_cause, has_compiled, is_ahead, is_avoidable, is_loaded, is_recompile
from ..recording import Recording
from ..recording.facts import LogFacts
from .bill import list_accounted
from .groups import RECOMPILES, Group, Totals, count_seen, covered_s, tell_rare
from .headline import tell_functions, tell_spent
from .schema import Level, Span, Verdict
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, Limits
from .words import plain, plain_all, plain_path, read_spans, share, times

_JITTED = "a function that is decorated with @jax.jit, @equinox.filter_jit or @jitviz.filter_jit"
_IN_CELL = ", or name one in the first line: %%filterjit -f NAME"
_UNJITTED = "While `jax_disable_jit` is set, no function is jitted."
_CHILDREN = "Child processes are recorded too, if `jitviz.pth` is in their site-packages: `pip install` puts it there."
_RECORDING = "this recording"
_COMPILING: tuple[What, ...] = ("trace", "lower", "compile", "load", "op_by_op")
_MINOR = 0.1  # of the wall time: smaller parts are not in the headline
_MUCH_S = 1.0  # outside any jit, where no finding does not mean that nothing could be better
_ROUNDING = 0.005  # of the seconds of compiling: what is missing from all of them
_FATES: dict[bool | None, str] = {True: "was still running when this was read", False: "was killed"}
_SHORT = 48  # characters of a value inside the sentence
_MOST_RUNNING = 3  # sentences about calls and waits
_MOST_NAMES = 4  # of processes
_MOMENT_S = 0.1  # a compile that has just begun has no meaningful time yet


def shape_verdict(
    recording: Recording, groups: Mapping[str, Group], totals: Totals, ops: Sequence[OpLine], limits: Limits
) -> Verdict:
    """Say the worst that happened: an error, a running compile, recompiles, first compiles, hits, nothing."""
    place = _place(recording)
    level, sentence, advice = _tell_compiles(recording, groups, totals, place)
    if ops and level != "running":
        is_alarming = ops[0].is_repeated and totals.op_by_op_s > totals.compile_s
        level = "recompile" if is_alarming or level == "recompile" else "first"
    old = _tell_stale(recording)
    if old and level != "running":
        level, sentence = "recompile", (Span(f"{old}; "), *sentence)
    top = (call for group in groups.values() for call, _ in group.calls if call.parent is None)
    last = max(top, key=lambda call: call.start_s, default=None)
    raised = _error(recording, groups, last, place)
    if raised:
        told = recording.raised[-1].advice if recording.raised else advise((last and last.error) or "")
        advice = told or ("" if level == "empty" else advice)
        level = "error"
        before = sentence if totals["compile"] else (Span(_tell_ops(totals)),) if ops else ()
        said = read_spans(raised[1])
        sentence = (*said, Span(". Before that, " if raised[1] else "Before that, "), *before) if before else said
    headline = _headline(recording) if level in ("first", "recompile") else (raised[0] if raised else "", "", "")
    if recording.is_cut and level != "running" and len(recording.facts.processes) < 2:
        headline = _state(recording), "", ", ".join(filter(None, headline))
    if old and headline[0]:
        headline = f"{old}; {headline[0]}", *headline[1:]
    notes = tuple(_notes(recording, groups, totals, limits))
    title = _title(recording, level, sentence)
    subline = tell_functions(groups, totals)
    if raised:
        title, subline = read_spans(raised[0]), read_spans(raised[1])
    if headline[0] and level != "error" and find(recording):
        return Verdict(level, (), "", notes, *headline, title, subline)
    is_much = totals.op_by_op_s > _MUCH_S
    if headline[0] and level != "error" and not (advice or notes or is_much or recording.is_live):
        sentence = (*sentence, Span(". Nothing worth changing was found"))
    return Verdict(level, (*sentence, Span(".")) if sentence else (), advice, notes, *headline, title, subline)


def _title(recording: Recording, level: Level, sentence: tuple[Span, ...]) -> tuple[Span, ...]:
    """What could be saved of how much; where that is not the point, what happened."""
    if recording.is_cut and level != "running" and len(recording.facts.processes) < 2:
        return read_spans(_state(recording))
    spent = tell_spent(recording) if level in ("first", "recompile") else ()
    stale = (Span(old, is_strong=True),) if (old := _tell_stale(recording)) else ()
    return (*stale, *([Span("; ")] if stale and spent else []), *spent) or sentence


def _tell_stale(recording: Recording) -> str:
    """ "1 function ran an old program", or ""."""
    stale = {(finding.home, finding.name) for finding in find(recording) if _is_wrong(finding)}
    return f"{count(len(stale), 'function')} ran an old program" if stale else ""


def _is_wrong(finding: Finding) -> bool:
    return finding.kind == "stale" and not finding.is_maybe


def _state(recording: Recording) -> str:
    """How long a recording without an end lasted, and what it was doing."""
    state = plain(tell_state(recording), SENTENCE_CHARS)
    return state[:1].upper() + state[1:]


def _headline(recording: Recording) -> tuple[str, str, str]:
    """ "66 of the 80 s were spent compiling", the avoidable part of it, and the rest; "" if nothing compiled. If other
    threads compiled as well, the seconds of all threads are added up, as in the findings."""
    account = find_account(recording)
    wall_s = account.wall_s
    spent = [part for part in (*account.parts, *account.beside) if part.what in _COMPILING]
    compiling_s = sum(part.seconds for part in spent)
    if not compiling_s:
        return "", "", ""
    headline = f"{share(compiling_s, wall_s)} were spent compiling"
    rows = list_accounted(recording)
    if any(part.what in _COMPILING for part in account.beside):
        n = len(recording.facts.processes)
        who = f"{n} processes" if n > 1 else "All threads"
        headline = f"{who} together spent {seconds(compiling_s)} compiling in the {seconds(wall_s)}"
        rows = list(recording.compiles)
    ops_s = sum(part.seconds for part in spent if part.what == "op_by_op")
    texts: dict[bool, list[str]] = {True: [], False: []}  # by whether it is avoidable
    for place, (part_s, what, is_lost) in enumerate(_parts(recording, rows, compiling_s, ops_s, _MINOR * wall_s)):
        part = seconds(part_s)
        if part == seconds(compiling_s):
            part = "All" if compiling_s - part_s < _ROUNDING * compiling_s else "Nearly all"
        texts[is_lost].append(f"{part} {'was' if place else 'of that was'} {what}")
    return headline, ", ".join(texts[True]), ", ".join(texts[False])


def _parts(
    recording: Recording, rows: Sequence[Compile], compiling_s: float, ops_s: float, minor_s: float
) -> list[tuple[float, str, bool]]:
    """The parts of the seconds of compiling that the headline names, each with whether it is avoidable: what is
    avoidable, however short, and before what is spent once in a run; and what is not minor of the rest."""
    until_s = recording.facts.wall_s
    lost_s = min(compiling_s, covered_s(list(filter(is_avoidable, rows)), until_s))
    firsts = [row for row in rows if has_compiled(row) and row.reasons and row.reasons[0].kind == "first"]
    first_s = covered_s(firsts, until_s)
    repeated_s = sum(finding.seconds for finding in find(recording) if finding.kind == "op_by_op")
    parts = [(lost_s, "avoidable", True)] if lost_s else []
    if ops_s > minor_s:
        parts.insert(0 if repeated_s > lost_s else len(parts), (ops_s, "outside any jit", repeated_s > 0))
    if first_s > minor_s:
        parts.append((first_s, "for first compiles", False))
    needed_s = covered_s([row for row in rows if is_recompile(row) and not is_avoidable(row)], until_s)
    if needed_s > minor_s:
        parts.append((needed_s, "for recompiles that may have been needed", False))
    return parts


def _place(recording: Recording) -> str:
    facts = recording.facts
    if len(facts.cells) > 1:
        return "these cells"
    return "this cell" if facts.cells or cell_of(facts.label) else _RECORDING


def _tell_compiles(
    recording: Recording, groups: Mapping[str, Group], totals: Totals, place: str
) -> tuple[Level, tuple[Span, ...], str]:
    rows = [row for group in groups.values() for row in group.compiles]
    running = next((row for row in reversed(rows) if row.status == "running"), None)
    if running is not None:
        spent_s = recording.facts.wall_s - running.start_s
        so_far = f", {seconds(spent_s)} so far" if spent_s > _MOMENT_S else ""
        told = (_code(running.function), Span(f" is still compiling{so_far}"))
        cause = (Span("; "), *_cause(running)) if has_cause(running) else ()
        return "running", (*(read_spans(_state(recording)) if recording.is_cut else told), *cause), ""
    ops = _tell_ops(totals)
    if recompiled := [row for row in rows if is_recompile(row)]:
        sentence, advice = _tell_recompiles(recompiled, totals)
        return "recompile", (*_subject(groups, totals), Span("; "), *sentence, Span(ops and f"; {ops}")), advice
    if totals["compile"]:
        rest = f"; {count_seen(totals['hit'], 'hit', totals.hits_seen)}" if totals["hit"] else ""
        return "first", (*_subject(groups, totals), Span(f"; no recompile{rest}{ops and f'; {ops}'}")), ""
    ahead = "tried to compile" if totals["failed compile"] else "traced or lowered ahead of time"
    what = _tell_calls(totals) if totals["call"] else f"{count(len(rows), 'program')} {ahead}" if rows else ""
    if what or ops:
        nothing = f"{ops}; no jitted function compiled in {place}" if ops else f"Nothing compiled in {place}"
        return "hits", (Span(": ".join(filter(None, (nothing, what)))),), ""
    if recording.facts.ended is not None:
        return "empty", *_tell_program(recording.facts, totals)
    what = f"{_JITTED}{'' if place == _RECORDING else _IN_CELL}. {_UNJITTED}"
    if totals.hits_seen == "none":
        return "empty", (Span(f"Nothing compiled in {place}"),), f"If nothing jitted was called yet, call {what}"
    seen = "ran" if totals.hits_seen == "all" else "was seen"
    return "empty", (Span(f"No jitted call {seen} in {place}"),), f"Call {what}"


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
    return (sentence,), f"{_CHILDREN} In this process, call {_JITTED}. {_UNJITTED}"


def _tell_ops(totals: Totals) -> str:
    """ "3 programs compiled outside any jit", or ""; the bill has their seconds."""
    return f"{count(totals['op'], 'program')} compiled outside any jit" if totals["op"] else ""


def _subject(groups: Mapping[str, Group], totals: Totals) -> tuple[Span, ...]:
    """ "`step` compiled 2 times (1 loaded from disk)", "4 compiles of 2 functions"; the bill has their seconds."""
    compiled = [group for group in groups.values() if any(map(has_compiled, group.compiles))]
    rows = [row for group in compiled for row in group.compiles if has_compiled(row)]
    numbers = ((sum(map(is_ahead, rows)), "ahead of time"), (sum(map(is_loaded, rows)), "loaded from disk"))
    hows = [how if number == totals["compile"] else f"{number:,} {how}" for number, how in numbers if number]
    how = f" ({', '.join(hows)})" if hows else ""
    if len(compiled) == 1:
        return _code(compiled[0].info.name), Span(f" compiled {times(totals['compile'])}{how}")
    return (Span(f"{count(totals['compile'], 'compile')}{how} of {count(len(compiled), 'function')}"),)


def _tell_recompiles(recompiled: list[Compile], totals: Totals) -> tuple[tuple[Span, ...], str]:
    """The recompiles. If all are expected, no finding explains them, so the cause of the most expensive one."""
    told = ", ".join(tell_rare(totals.counts, RECOMPILES))
    if totals["avoidable recompile"] or totals["maybe avoidable recompile"]:
        return (Span(told),), ""
    worst = max(recompiled, key=lambda row: row.duration_s)
    spans = [Span(told if len(recompiled) == 1 else f"{told}; the most expensive")]
    if totals["function"] > 1:
        spans += [Span(", of "), _code(worst.function)]
    return (*spans, Span(": "), *_cause(worst)), plain(worst.reasons[0].advice, SENTENCE_CHARS)


def _cause(row: Compile) -> tuple[Span, ...]:
    reason = row.reasons[0]
    if not reason.path:
        return read_spans(plain(reason.summary, SENTENCE_CHARS).rstrip("."))
    path = plain_path(reason.path, SENTENCE_CHARS)
    leaf = Span(plain_path(path, NAME_CHARS), is_code=True, path=path, compile=row.index)
    if not (reason.before or reason.after):
        return (leaf,)
    return leaf, Span(f" {plain(reason.before, _SHORT)} → {plain(reason.after, _SHORT)}")


def _tell_calls(totals: Totals) -> str:
    """ "at least 13 calls, all cache hits", "2 calls (1 hit, 1 inlined call)"."""
    many = count_seen(totals["call"], "call", totals.hits_seen)
    if totals["hit"] == totals["call"]:
        return f"{many}, {'a cache hit' if totals['call'] == 1 else 'all cache hits'}"
    hits = [count(totals["hit"], "hit")] if totals["hit"] else []
    return f"{many} ({', '.join([*hits, *tell_rare(totals.counts)])})"


def _error(recording: Recording, groups: Mapping[str, Group], last: Call | None, place: str) -> tuple[str, str] | None:
    """Who raised what, and what it says: of the last top-level call, after the time that it spent compiling, or else of
    the cell."""
    message = recording.facts.error
    explained = next((raised for raised in reversed(recording.raised) if raised.kind), None)
    if explained is not None:
        return plain(explained.summary.rstrip("."), SENTENCE_CHARS), plain(explained.detail.rstrip("."), SENTENCE_CHARS)
    if last is not None and last.error is not None:
        failed = (row for group in groups.values() for row in group.compiles if row.status == "failed")
        spent_s = sum(row.duration_s for row in failed if row.call is not None and row.call.index == last.index)
        after = f"After {seconds(spent_s)} of compiling, " if spent_s > _MOMENT_S else ""
        return _tell_error(f"{after}`{plain(last.function, NAME_CHARS)}`", last.error)
    place = "one of these cells" if place == "these cells" else place
    return _tell_error(place.capitalize(), message) if message else None


def _tell_error(who: str, error: str) -> tuple[str, str]:
    """ "`f` raised TypeError at train.py:7", and the message with the line that it came through."""
    said, _, where = error.partition(" At ")
    name, _, message = said.partition(": ")
    place, _, code = plain(where, 200).rstrip(".").partition(", ")
    told = ": ".join(filter(None, (plain(message, 200).rstrip(". "), code)))
    if told.partition(" ")[0].isalpha():  # no name in a program
        told = told[0].upper() + told[1:]
    return f"{who} raised {plain(name, NAME_CHARS)}{f' at {place}' if place else ''}", told


def are_limits_first(recording: Recording, groups: Mapping[str, Group]) -> bool:
    """Whether the limits come before the numbers, because they explain why some numbers are missing."""
    seen = [group.hits_seen(recording) for group in groups.values()]
    return "none" in (seen or [recording.hits_seen])


def _notes(recording: Recording, groups: Mapping[str, Group], totals: Totals, limits: Limits) -> Iterator[str]:
    facts = recording.facts
    if are_limits_first(recording, groups):
        yield from plain_all(facts.limits, SENTENCE_CHARS)
    yield from _last_run(recording)
    yield from _tell_end(recording)
    yield from plain_all(tell_disk(recording), SENTENCE_CHARS)
    if not recording.is_live:
        yield from plain_all((*tell_running(recording)[:_MOST_RUNNING], *tell_memory(recording)), SENTENCE_CHARS)
    yield from plain_all(facts.gaps[: limits.failures], SENTENCE_CHARS)
    if facts.failures:
        yield f"Capture incomplete: {count(len(facts.failures), 'failure')} inside jitviz, listed at the end."
    if totals["failed compile"] > totals["error"]:
        yield f"{count(totals['failed compile'], 'compile')} failed."
    if n_unread := len(recording.unread):
        were = "was" if n_unread == 1 else "were"
        yield f"{count(n_unread, 'program')} {were} not read yet, so causes may be missing."


def _tell_end(recording: Recording) -> Iterator[str]:
    """What runs now, and which processes left no end."""
    facts = recording.facts
    endless = [label for label, place in facts.processes.items() if label and place.lacks == "end"]
    if len(facts.processes) > 1:
        compiled = Counter(row.function_info.process for row in recording.compiles if has_compiled(row))
        named = [f"{label} ({times(n)})" for label, n in compiled.items()]
        who = f"{len(compiled)} of which" if compiled else "none of which"
        which = f": {listed(first_of(named, _MOST_NAMES))}" if named else ""
        of = f"{len(facts.processes)} processes, {who} compiled jitted functions{which}"
        yield f"Calls and compiles are those of {of}."
    if endless:
        who = listed(first_of(endless, _MOST_NAMES))
        how = "killed, as a pool kills its workers, ended by os._exit, or still running when this was read"
        yield f"{who} left no end: {how}."
        for label in endless[:_MOST_NAMES]:
            if (doing := tell_doing(recording, label)) and doing not in tell_state(recording):  # which the headline is
                yield f"{plain(label, NAME_CHARS)}, at its last heartbeat: {plain(doing, SENTENCE_CHARS)}."
    elif recording.is_cut:
        was = "was killed, or was still running when this was read"
        yield f"The recording is incomplete: its process {_FATES.get(recording.is_running, was)}."
    elif recording.is_live and lasts_s(recording) >= STALL_S:
        yield f"Now: {plain(tell_doing(recording, facts.thread), SENTENCE_CHARS)}."


def _last_run(recording: Recording) -> Iterator[str]:
    """The previous run of a cell and this one: "was 4 compiles, 2.1 s; now 1, 400 ms"."""
    cells = recording.facts.cells
    if len(cells) != 1 or not cells[0].last_run or recording.is_live:
        return
    from ..findings.comparison import tell_change, total  # most cells run once

    was, now = (cells[0].last_compiles, cells[0].last_s), total(recording)
    if was[0] or now[0]:
        yield f"{cells[0].last_run}, the last run of this cell, {tell_change(was, now)}."


def _code(text: str) -> Span:
    return Span(plain(text, 80), is_code=True)
