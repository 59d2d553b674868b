"""The rows of a recording, function by function.

In: a `Recording`.  Out: one `Group` per function, in order of appearance; counts and times of its rows, in words too.
Must never: count what was not seen; if no hit is seen, neither hits nor calls have a number.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..findings import find_account
from ..model import Call, Compile, Function, HitsSeen, count
from ..model.counting import has_compiled, hits_seen, verdict_of
from ..recording import Recording
from .schema import PHASES, PhaseTime
from .screen_limits import Limits

RECOMPILES = ("avoidable recompile", "maybe avoidable recompile", "expected recompile")
RARE = ("retrace", "inlined call", "error")


def at_least(number: int, seen: HitsSeen) -> str:
    """A number of calls or hits for a chip: "≥ 3" if there may have been more, unseen."""
    if seen == "none":
        return "not seen"
    if seen == "all":
        return f"{number:,}"
    return f"≥ {number:,}" if number else "none seen"


def count_seen(number: int, noun: str, seen: HitsSeen) -> str:
    """A number of calls or hits for a sentence: "at least 3 calls"."""
    return ("" if seen == "all" else "at least ") + count(number, noun)


def tell_calls(counts: Counter[str], seen: HitsSeen) -> str:
    """ "12 calls: 10 hits, 2 compiles, 1 avoidable recompile"; if no hits are seen, "2 compiles; hits not seen"."""
    kinds = [count(counts["hit"], "hit")] if counts["hit"] or (seen == "all" and counts["call"]) else []
    kinds += [count(counts["compile"], "compile"), *tell_rare(counts)]
    if seen == "none":
        return f"{', '.join(kinds)}; hits not seen"
    if not counts["call"]:
        return ", ".join(kinds)
    return f"{count_seen(counts['call'], 'call', seen)}: {', '.join(kinds)}"


def tell_rare(counts: Counter[str], nouns: Sequence[str] = (*RECOMPILES, *RARE)) -> list[str]:
    """What there is any of: ["1 avoidable recompile", "2 errors"]."""
    return [count(counts[noun], noun) for noun in nouns if counts[noun]]


def tell_site(counts: Counter[str], seen: HitsSeen) -> str:
    """ "3 calls, 2 hits, 1 compile", for one line. A line that only traced or lowered made no call."""
    if counts["inlined call"] and counts["inlined call"] == counts["call"]:
        return count_seen(counts["call"], "inlined call", seen)
    told = [count(counts["compile"], "compile")] if counts["compile"] else []
    if not counts["call"]:
        return told[0] if told else "ahead of time only"
    if counts["hit"]:
        told.insert(0, count(counts["hit"], "hit"))
    if seen != "none":
        told.insert(0, count_seen(counts["call"], "call", seen))
    return ", ".join(told)


_OUTCOMES = {"hit": "hit", "inlined": "inlined call"}


@dataclass(frozen=True)
class Totals:
    """Sums over a recording."""

    counts: Counter[str]  # as in `count_outcomes`, and of more
    hits_seen: HitsSeen  # whether all hits were seen, some, or none
    compile_s: float  # seconds in which a jitted function was traced, lowered or compiled
    op_by_op_s: float  # seconds in which programs were compiled outside any jit

    def __getitem__(self, noun: str) -> int:
        return self.counts[noun]


@dataclass
class Group:
    """Everything of one lineage, which a person would call one function. Each of `calls` comes with the number of calls
    it represents: similar hits are one, with their total time."""

    info: Function
    calls: list[tuple[Call, int]] = field(default_factory=list)
    compiles: list[Compile] = field(default_factory=list)
    earlier: list[Compile] = field(default_factory=list)

    @cached_property
    def hits(self) -> Counter[int | None]:
        """The hits of each version; under None, those that ran an unknown one."""
        hits = Counter[int | None]()
        for call, n in self.calls:
            hits[call.version] += n if call.outcome == "hit" else 0
        return hits

    @property
    def used_before(self) -> list[Compile]:
        """The versions that were compiled before the recording and ran in it."""
        ran = {call.version for call, _ in self.calls}
        return [row for row in self.earlier if row.version in ran]

    def hits_seen(self, recording: Recording) -> HitsSeen:
        """Whether the recording has all of its hits, some, or none."""
        return hits_seen(self.info, recording.hits_seen)


def group_rows(recording: Recording) -> dict[str, Group]:
    """The functions that were called or compiled, by lineage, in the order of their first row."""
    groups: dict[str, Group] = {}
    calls = list(recording.facts.calls.alike())
    rows: list[Call | Compile] = [*recording.compiles, *(call for call, _ in calls)]
    for row in sorted(rows, key=lambda row: row.start_s):
        groups.setdefault(row.lineage, Group(row.function_info))
    for call, n in calls:
        groups[call.lineage].calls.append((call, n))
    for compile in recording.compiles:
        groups[compile.lineage].compiles.append(compile)
    for row in recording.earlier:
        if row.lineage in groups:
            groups[row.lineage].earlier.append(row)
    return groups


def costliest(groups: Mapping[str, Group], limits: Limits) -> dict[str, Group]:
    """If not all functions fit, the most expensive, in the order of their first row."""
    by_cost = sorted(groups, key=lambda key: -sum(row.duration_s for row in groups[key].compiles))
    costliest = set(by_cost[: limits.functions])
    return {key: group for key, group in groups.items() if key in costliest}


def count_outcomes(calls: Sequence[tuple[Call, int]], compiles: Sequence[Compile]) -> Counter[str]:
    """How many there are, by the noun for it in the glossary: "hit", "avoidable recompile"."""
    counts = Counter[str]()
    for call, n in calls:
        is_retrace = call.outcome == "trace" and (call.compile is None or call.compile.status != "running")
        counts["call"] += n
        counts["retrace" if is_retrace else _OUTCOMES.get(call.outcome, "")] += n
        counts["error"] += n if call.error is not None else 0
    for row in compiles:
        counts["compile"] += has_compiled(row)
        if (verdict := verdict_of(row)) is not None:
            counts["recompile"] += 1
            counts[f"{'maybe avoidable' if verdict == 'maybe' else verdict} recompile"] += 1
        counts[f"{row.status} compile"] += 1  # failed or running
    return counts


def add_up(recording: Recording, groups: Mapping[str, Group]) -> Totals:
    """The sums over a recording."""
    counts = count_outcomes([pair for group in groups.values() for pair in group.calls], recording.compiles)
    counts["function"], counts["op"] = len(groups), len(recording.op_by_op)
    seen = {group.hits_seen(recording) for group in groups.values()} or {recording.hits_seen}
    account = find_account(recording)
    return Totals(
        counts,
        hits_seen=seen.pop() if len(seen) == 1 else "some",
        compile_s=covered_s(recording.compiles, recording.facts.wall_s),
        op_by_op_s=sum(part.seconds for part in (*account.parts, *account.beside) if part.what == "op_by_op"),
    )


def covered_s(compiles: Sequence[Compile], until_s: float) -> float:
    """Seconds in which at least one phase was running, added up over threads; overlaps in a thread (one compile
    inside another) count once.

    An unfinished phase of a running compile counts up to `until_s`. A phase that started at an unknown time counts in
    full.
    """
    total, spans = 0.0, list[tuple[str, float, float]]()
    for row in compiles:
        for phase in row.phases:
            if phase.start_s is None:
                total += phase.duration_s or 0.0
            elif phase.duration_s is not None:
                spans.append((row.thread, phase.start_s, phase.start_s + phase.duration_s))
            elif row.status == "running":
                spans.append((row.thread, phase.start_s, until_s))
    ends: dict[str, float] = {}
    for thread, start, stop in sorted(spans):
        end = ends.get(thread, float("-inf"))
        total += max(0.0, stop - max(start, end))
        ends[thread] = max(end, stop)
    return total


def phase_times(compiles: Sequence[Compile]) -> tuple[PhaseTime, ...]:
    """Seconds by phase, in the order of the phases; None if no phase of that name has a known time."""
    times = []
    for name in PHASES:
        spent = [phase.duration_s for row in compiles for phase in row.phases if phase.name == name]
        known = [duration for duration in spent if duration is not None]
        if spent:
            times.append(PhaseTime(name, sum(known) if known else None))
    return tuple(times)
