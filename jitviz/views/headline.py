"""The lines on top of a screen: what could be saved of how much, and what compiled how often; and the notes beneath:
what is missing, what other processes did, what only the next one would gain.

In: a recording, its groups and their totals.  Out: spans, and sentences.
Must never: call a second avoidable that is not in the account, or count calls that were not seen.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from ..findings import find, find_account
from ..findings.last_activity import STALL_S, lasts_s, tell_doing, tell_state
from ..findings.memory import tell_memory
from ..findings.on_disk import tell_disk
from ..findings.slow_calls import tell_running
from ..model import What, count, first_of, has_compiled, is_avoidable, is_loaded, is_recompile, listed, seconds
from ..model.counting import is_ahead, may_be_avoidable
from ..recording import Recording
from .account_rows import list_accounted
from .groups import RARE, Group, Totals, count_seen, covered_s, tell_rare
from .schema import Span
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, Limits
from .words import plain, plain_all, share, times

COMPILING: tuple[What, ...] = ("trace", "lower", "compile", "load", "op_by_op")
_MOST_FUNCTIONS = 2  # that the second line names
_NAME_CHARS = 40
_MINOR = 0.1  # of the wall time: smaller parts are not told
_FATES: dict[bool | None, str] = {True: "was still running when this was read", False: "was killed"}
_MOST_RUNNING = 3  # sentences about calls and waits
_MOST_NAMES = 4  # of processes


def tell_spent(recording: Recording) -> tuple[Span, ...]:
    """ "3.2 s to save of 8.9 s", "1.9 of the 2.3 s compiling, nothing to save" or "1.2 s to save, estimated"; nothing
    if nothing compiled."""
    account = find_account(recording)
    beside = [part for part in account.beside if part.what in COMPILING]
    parts = [part for part in account.parts if part.what in COMPILING]
    compiling_s = sum(part.seconds for part in (*parts, *beside))
    if not compiling_s:
        return ()
    rows = list(recording.compiles) if beside else list_accounted(recording)
    # avoidable recompiles, and programs outside any jit that compile again and again
    repeated_s = sum(finding.saves_s for finding in find(recording) if finding.kind == "op_by_op")
    avoidable_s = covered_s(list(filter(is_avoidable, rows)), recording.facts.wall_s)
    saved_s = min(compiling_s, avoidable_s + repeated_s)
    told, whole = f"{share(compiling_s, account.wall_s)} compiling", seconds(account.wall_s)
    if beside:
        n = len(recording.facts.processes)
        where = f"{n} processes in {seconds(recording.facts.wall_s)}" if n > 1 else f"all threads in {whole}"
        told = whole = f"{seconds(compiling_s)} compiling in {where}"
    if saved_s:
        return Span(f"{seconds(saved_s)} to save", is_strong=True), Span(f" of {whole}")
    if estimated_s := _estimated(recording):
        return (Span(f"{told}, {seconds(estimated_s)} to save, estimated"),)
    return (Span(f"{told}{'' if any(map(may_be_avoidable, rows)) else ', nothing to save'}"),)


def _estimated(recording: Recording) -> float:
    """The most seconds that one finding is estimated to save in this process."""
    findings = (finding for finding in find(recording) if finding.kind != "slow_compile")
    return max((finding.saves_s for finding in findings if finding.is_estimated), default=0.0)


def tell_rest(recording: Recording) -> list[str]:
    """Where else the time of compiling went, as far as it is not minor: ["1.5 s for first compiles"]."""
    account, until_s = find_account(recording), recording.facts.wall_s
    are_beside = any(part.what in COMPILING for part in account.beside)
    rows = list(filter(has_compiled, recording.compiles if are_beside else list_accounted(recording)))
    is_repeated = any(finding.kind == "op_by_op" for finding in find(recording))
    ops_s = sum(part.seconds for part in (*account.parts, *account.beside) if part.what == "op_by_op")
    firsts = [row for row in rows if row.reasons and row.reasons[0].kind == "first"]
    maybe = [row for row in rows if is_recompile(row) and not is_avoidable(row)]
    rest = [
        (0.0 if is_repeated else ops_s, "outside any jit"),
        (covered_s(firsts, until_s), "for first compiles"),
        (covered_s(maybe, until_s), "for recompiles that may have been needed"),
    ]
    return [f"{seconds(part_s)} {what}" for part_s, what in rest if part_s > _MINOR * account.wall_s]


def tell_functions(groups: Mapping[str, Group], totals: Totals) -> tuple[Span, ...]:
    """ "`train_step` compiled 5 times in 300 calls; `evaluate` once", the most expensive first; what else happened."""
    compiled = [group for group in groups.values() if any(map(has_compiled, group.compiles))]
    compiled.sort(key=lambda group: -sum(row.duration_s for row in group.compiles))
    spans: list[Span] = []
    for number, group in enumerate(compiled[:_MOST_FUNCTIONS]):
        spans += [
            Span("; " if number else ""),
            code(group.info.name),
            Span(_tell_group(group, totals, is_first=not number)),
        ]
    n_more = len(compiled) - _MOST_FUNCTIONS
    rest = [f"{count(n_more, 'more function')}"] if n_more > 0 else []
    maybe = totals["maybe avoidable recompile"]
    rest += [f"{count(maybe, 'recompile')} that may have been needed"] if maybe else []
    rest += tell_rare(totals.counts, RARE)
    outside = [f"{count(totals['op'], 'program')} outside any jit"] if totals["op"] else []
    if not compiled:  # else the score of what ran outside says it
        rest = [*([tell_hits(totals)] if totals["call"] else rest), *outside]
    spans.append(Span(f"{'; ' if spans and rest else ''}{', '.join(rest)}{'.' if spans or rest else ''}"))
    return tuple(span for span in spans if span.text)


def _tell_group(group: Group, totals: Totals, *, is_first: bool) -> str:
    """ " compiled 5 times (1 loaded from disk) in 300 calls"."""
    rows = list(filter(has_compiled, group.compiles))
    hows = [(sum(map(is_ahead, rows)), "ahead of time"), (sum(map(is_loaded, rows)), "loaded from disk")]
    told = [how if n == len(rows) else f"{n:,} {how}" for n, how in hows if n]
    n_calls = sum(n for _, n in group.calls)
    seen = totals.hits_seen
    among = f" in {count_seen(n_calls, 'call', seen)}" if n_calls and is_first else ""
    among = " (hits not seen)" if seen == "none" and is_first else among
    return f"{' compiled' if is_first else ''} {times(len(rows))}{f' ({listed(told)})' if told else ''}{among}"


def tell_hits(totals: Totals) -> str:
    """ "at least 13 calls, all hits", "2 calls (1 hit, 1 inlined call)"."""
    many = count_seen(totals["call"], "call", totals.hits_seen)
    if totals["hit"] == totals["call"]:
        return f"{many}, {'a hit' if totals['call'] == 1 else 'all hits'}"
    kinds = [*([count(totals["hit"], "hit")] if totals["hit"] else []), *tell_rare(totals.counts)]
    return f"{many} ({', '.join(kinds)})" if kinds else many


def code(text: str) -> Span:
    return Span(plain(text, _NAME_CHARS), is_code=True)


def are_limits_first(recording: Recording, groups: Mapping[str, Group]) -> bool:
    """Whether the limits come first, because they explain why nothing is told. Else they are beneath all, or behind a
    tab: every panel of a notebook has the same."""
    return recording.hits_seen == "none" and not any(group.compiles for group in groups.values())


def list_notes(recording: Recording, groups: Mapping[str, Group], totals: Totals, limits: Limits) -> Iterator[str]:
    """What is missing first, what only the next process would gain last."""
    facts = recording.facts
    if are_limits_first(recording, groups):
        yield from plain_all(facts.limits, SENTENCE_CHARS)
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
    endless = [label for label, process in facts.processes.items() if label and process.lacks == "end"]
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
