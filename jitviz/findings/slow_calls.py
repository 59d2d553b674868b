"""What stands out among the calls that ran: some that took long, pauses between two of them, and waits for results.

In: a `Recording`.  Out: sentences, most seconds first.
Must never: say what was not counted or sampled, or go through more than the newest calls.

Calls are counted where they are seen, and their times are exact. What a thread did between them was sampled.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..model import Share, What, count, listed, median, seconds
from ..recording import Recording
from ..recording.calls import Timed
from .accounting import TimeSpan, account_between, waits_between
from .once_for_each_log import once_for_each_log
from .program.slow_runs import HostCalls
from .program_findings import program_of

_MOST_CALLS = 1 << 17
_LEAST_S = 0.05
_LEAST_SHARE = 0.02  # of the wall time
_MUCH = 0.1  # of the wall time: less waiting is not worth a sentence
_TIMES = 10  # the median: a call that stands out
_FEWEST = 5  # calls that have a median
_MANY_LEAVES, _LEAST_PER_LEAF_S = 500, 1e-7  # to flatten one and pass it on, as measured on a CPU
_RARE = 0.1  # of the calls, at most, stand out
_MOST_NAMED = 3  # calls by number, and kinds of work in a pause
_MOST_OF_IT = 0.8
_DOING: dict[What, str] = {"trace": "tracing", "lower": "lowering", "compile": "compiling", "load": "loading"}
_DOING |= {"op_by_op": "compiling outside any jit:", "run": "waiting for a result", "python": "Python"}
_COMPILING = ("trace", "lower", "compile", "load", "op_by_op")  # the rows of what compiled tell such a pause
_Told = tuple[float, str]


@once_for_each_log
def tell_running(recording: Recording) -> tuple[str, ...]:
    # Between two cells, the user thinks.
    calls = recording.facts.calls.timed(_MOST_CALLS) if len(recording.facts.cells) < 2 else []
    by_site: dict[tuple[str, str, str, str], list[Timed]] = defaultdict(list)
    for call in calls:
        by_site[call.function.lineage, call.function.name, call.source, call.thread].append(call)
    told = [*_waits(recording, calls), *_waits_for_compiles(recording, calls)]
    leaves = leaves_passed(recording)
    for (lineage, *_), some in by_site.items():
        told += _stand_out(recording, some)
        told += _every_hit(recording, some, leaves.get(lineage, 0))
    return tuple(text for _, text in sorted(told, reverse=True))


def leaves_passed(recording: Recording) -> dict[str, int]:
    """By lineage, how many leaves each call passes, if that takes time: JAX flattens them in each call, hits too."""
    most: dict[str, int] = {}
    for row in (*recording.earlier, *recording.compiles):
        most[row.lineage] = max(most.get(row.lineage, 0), len(row.signature.leaves))
    return {lineage: n for lineage, n in most.items() if n >= _MANY_LEAVES}


def _every_hit(recording: Recording, calls: Sequence[Timed], n_leaves: int) -> Iterator[_Told]:
    """ "`step` at t.py:20: 200 hits took 286 ms, 1.4 ms each (median), and each flattens and passes 3,001 leaves"."""
    spans = [call.end_s - call.start_s for call in calls if call.is_hit]
    if sum(spans) < max(_LEAST_S, _MUCH * recording.facts.wall_s):
        return
    costs = _costs(recording, calls[0].function.lineage)
    if n_leaves and median(spans) >= n_leaves * _LEAST_PER_LEAF_S:
        fewer = "Pass fewer: stack them in one array, or pass only what changes"
        costs = f", and each flattens and passes {n_leaves:,} leaves. {fewer}{costs}"
    if costs:
        at = f" at {calls[0].source}" if calls[0].source else ""
        took = f"{count(len(spans), 'hit')} took {seconds(sum(spans))}, {seconds(median(spans))} each (median)"
        yield sum(spans), f"`{calls[0].function.name}`{at}: {took}{costs}."


def _costs(recording: Recording, lineage: str) -> str:
    """What makes each run of a function slow, as sentences behind another one."""
    rows = (row for row in recording.compiles if row.lineage == lineage)
    programs = [program_of(recording, row) for row in rows if (row.index, "equations") in recording.facts.texts]
    host_calls = max((program.host_calls for program in programs), default=HostCalls())
    lines = sorted({line for program in programs for line in program.all_run})
    calls = (
        f". Its program calls Python {host_calls} in each run: return the values instead, and use them after the call"
    )
    branches = (
        f". Under `jax.vmap`, the `cond` at {listed(lines)} runs all its branches for each element: `jax.lax.map` runs "
        "the one that is needed, an element after the other"
    )
    return calls * bool(host_calls.n) + branches * bool(lines)


def _stand_out(recording: Recording, calls: Sequence[Timed]) -> Iterator[_Told]:
    """The few calls of a line that took far longer than their median, and the few that came long after the last one."""
    hits = [call for call in calls if call.is_hit]
    gaps = [
        timed._replace(start_s=before.end_s, end_s=max(before.end_s, timed.start_s))
        for before, timed in pairwise(calls)
    ]
    for some, text in (
        (hits, "{} took {}, each of the other {:,} took {} (median)"),
        (gaps, "before {}, {} passed, before each of the other {:,} it was {} (median)"),
    ):
        usual_s = median(timed.end_s - timed.start_s for timed in some) if len(some) >= _FEWEST else float("inf")
        least_s = max(_LEAST_S, _LEAST_SHARE * recording.facts.wall_s, _TIMES * usual_s)
        long = [timed for timed in some if timed.end_s - timed.start_s >= least_s]
        if long and len(long) <= max(1, _RARE * len(some)):
            spent_s = sum(timed.end_s - timed.start_s for timed in long)
            spent = f"{seconds(spent_s)}{' in all' if len(long) > 1 else ''}"
            said = text.format(_named(recording, long), spent, len(some) - len(long), seconds(usual_s))
            at = f" at {calls[0].source}" if calls[0].source else ""
            at += f" in {calls[0].thread}" if calls[0].thread != recording.facts.thread else ""
            spans = [TimeSpan(call.start_s, call.end_s, "python") for call in long]
            shares = account_between(recording, calls[0].thread, spans).shares
            if sum(share.seconds for share in shares if share.what in _COMPILING) < spent_s / 2:
                known = f"{_meanwhile(shares, spent_s)}{_compiled_beside(recording, long, spent_s)}"
                yield spent_s, f"`{calls[0].function.name}`{at}: {said}{known}."


def _compiled_beside(recording: Recording, long: Sequence[Timed], spent_s: float) -> str:
    """What another thread compiled in most of this time: ", while `g` compiled in Thread-2, called at t.py:20"."""
    beside: dict[int, float] = {}
    for row in recording.compiles:
        end_s = row.start_s + row.duration_s
        both = (min(end_s, call.end_s) - max(row.start_s, call.start_s) for call in long if call.thread != row.thread)
        beside[row.index] = sum(max(0.0, both_s) for both_s in both)
    index = max(beside, key=lambda index: beside[index], default=-1)
    if index < 0 or beside[index] < spent_s / 2:
        return ""
    row = recording.compiles[index]
    return f", while `{row.function}` compiled in {row.thread}{f', called at {row.source}' if row.source else ''}"


def _waits(recording: Recording, calls: Sequence[Timed]) -> Iterator[_Told]:
    """ "t.py:12 waited 8.0 s for results, after call 100 of `step` (sampled); the call itself took 0.2 ms"."""
    facts = recording.facts
    in_thread = [call for call in calls if call.thread == facts.thread]
    ends = [*(call.start_s for call in in_thread[1:]), facts.wall_s]
    pairs = zip(in_thread, ends, strict=True) if in_thread and recording.hits_seen != "none" else ()
    pauses = ((call.end_s, end_s, place) for place, (call, end_s) in enumerate(pairs))
    gaps = [TimeSpan(began_s, end_s, "python", row=place) for began_s, end_s, place in pauses if began_s < end_s]
    spent: dict[tuple[str, str, str], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for place, source, waited_s in waits_between(recording, gaps):
        spent[source, in_thread[place].function.lineage, in_thread[place].source][place] += waited_s
    for (source, *_), waits in spent.items():
        whole_s, (place, longest_s) = sum(waits.values()), max(waits.items(), key=lambda item: item[1])
        if whole_s < max(_LEAST_S, _MUCH * facts.wall_s):
            continue
        which, its = _named(recording, [in_thread[place]]), "its result"
        itself = seconds(median(in_thread[index].end_s - in_thread[index].start_s for index in waits))
        if longest_s < _MOST_OF_IT * whole_s:
            which, its, itself = f"{len(waits):,} calls", "their results", f"{itself} each (median)"
        after = f"after {which} of `{in_thread[place].function.name}`, which had returned before {its}, in {itself}"
        costs = _costs(recording, in_thread[place].function.lineage)
        yield whole_s, f"{source} waited {seconds(whole_s)} for results (sampled) {after}{costs}."


def _waits_for_compiles(recording: Recording, calls: Sequence[Timed]) -> Iterator[_Told]:
    """ "3 calls of `f` in other threads waited for its compile in Thread-1: 567 ms in all"."""
    hits: dict[tuple[str, int | None, str], list[Timed]] = defaultdict(list)
    for call in calls:
        if call.is_hit:
            hits[call.function.lineage, call.version, call.function.process].append(call)
    for row in recording.compiles:
        ends = [phase.start_s + phase.duration_s for phase in row.phases if phase.start_s and phase.duration_s]
        waited = [
            max(ends) - call.start_s
            for call in hits.get((row.lineage, row.version, row.function_info.process), ())
            if ends
            if call.thread != row.thread and row.start_s <= call.start_s < max(ends) <= call.end_s
        ]
        if sum(waited) >= max(_LEAST_S, _LEAST_SHARE * recording.facts.wall_s):
            who = f"{count(len(waited), 'call')} of `{row.function}` in other threads"
            yield sum(waited), f"{who} waited for its compile in {row.thread}, {seconds(sum(waited))} in all."


def _named(recording: Recording, some: Sequence[Timed]) -> str:
    """ "calls 100, 200 and 300"; "5 calls (100, 200, 300, …)"."""
    numbers = [f"{recording.facts.calls.number_of(call.number):,}" for call in some[:_MOST_NAMED]]
    many = f"{len(some):,} calls ({', '.join(numbers)}, …)"
    return many if len(some) > _MOST_NAMED else f"call{'s' if len(some) > 1 else ''} {listed(numbers)}"


def _meanwhile(shares: Sequence[Share], whole_s: float) -> str:
    """What the thread did meanwhile, ": 300 ms collecting garbage at t.py:8 (sampled)", as far as it is known."""
    known, told = [share for share in shares if share.seconds >= _RARE * whole_s][:_MOST_NAMED], []
    for share in known:
        doing = f"{_DOING.get(share.what, share.what)}{f' `{share.function}`' if share.function else ''}"
        if share.what == "python" and share.function:  # operations, or the collector
            doing = share.function
        told.append(f"{seconds(share.seconds)} {doing}{f' at {share.source}' if share.source else ''}")
    sampled = " (sampled)" if any(share.what in ("python", "run") for share in known) else ""
    return f": {listed(told)}{sampled}" if told else ""
