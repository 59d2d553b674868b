"""What compiling cost, summed per function, per cause and per call site, and what became of each version.

In: compiles and calls of a recording.  Out: totals, most seconds first.
Must never: count hits of a version that is not known; the number is None then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .. import wrappers
from ..model import Call, Compile, HitsSeen, PhaseName


@dataclass(frozen=True)
class Total:
    """Sums over the compiles that share a function, a cause or a call site; times in seconds.

    `compiles` counts what an executable came out of; the time of attempts that failed or only traced is in the sums.
    `ahead` are those that were asked for ahead of time, `loaded` those that came from JAX's cache on disk, `recompiles`
    those of calls with a version before, `avoidable` those of them that nobody would expect.
    `is_time_complete` is False where JAX did not tell the time of some phase.
    """

    name: str
    compiles: int
    recompiles: int
    avoidable: int
    trace_s: float
    lower_s: float
    compile_s: float
    is_time_complete: bool = True
    ahead: int = 0
    loaded: int = 0

    @property
    def duration_s(self) -> float:
        """Tracing, lowering and compiling together."""
        return self.trace_s + self.lower_s + self.compile_s


@dataclass(frozen=True)
class Version:
    """One compiled version of a function. `hits` is None where it is not known which version some hits ran; it is as
    many as were seen: `hits_seen`."""

    function: str
    version: int
    duration_s: float
    hits: int | None
    hits_seen: HitsSeen = "all"


def hits_seen(api: str, elsewhere: HitsSeen) -> HitsSeen:
    """Which hits were seen of a function that was jitted by `api`; `elsewhere` holds where JAX answers them in C++."""
    return "all" if wrappers.named(api).has_all_hits else elsewhere


def has_compiled(compile: Compile) -> bool:
    """Whether an executable came out, and not only a trace or a lowering."""
    return compile.status == "done" and (not compile.phases or any(phase.name == "compile" for phase in compile.phases))


def is_ahead(compile: Compile) -> bool:
    """Whether it was asked for ahead of time (`f.lower(...)`): a warm-up, and no call."""
    return compile.stage != "call"


def is_loaded(compile: Compile) -> bool:
    """Whether XLA was spared the work: the executable came from JAX's cache on disk."""
    return compile.origin == "loaded"


def has_cause(compile: Compile) -> bool:
    """Whether a call asked for it though there was a version before: something changed."""
    return not is_ahead(compile) and bool(compile.reasons) and compile.reasons[0].kind != "first"


def is_recompile(compile: Compile) -> bool:
    """Whether an executable came out for a call, and not the first one of its function."""
    return has_compiled(compile) and has_cause(compile)


def is_avoidable(compile: Compile) -> bool:
    """Whether it is a recompile that nobody would expect: one inherent reason alone would have caused it."""
    return is_recompile(compile) and not any(reason.inherent for reason in compile.reasons)


def per_function(compiles: Iterable[Compile]) -> list[Total]:
    """One total per function, by its name."""
    return _totals(compiles, lambda compile: compile.function)


def per_cause(compiles: Iterable[Compile]) -> list[Total]:
    """One total per kind of the first reason."""
    return _totals(compiles, lambda compile: compile.reasons[0].kind if compile.reasons else "unexplained")


def per_call_site(compiles: Iterable[Compile]) -> list[Total]:
    """One total per place of the user's code that caused compiles."""
    return _totals(compiles, lambda compile: compile.source or "unknown")


def versions(compiles: Sequence[Compile], calls: Iterable[Call]) -> list[Version]:
    """Every version with its hits, in the order they were compiled."""
    return list(versions_by_lineage(compiles, calls).values())


def versions_by_lineage(
    compiles: Sequence[Compile], calls: Iterable[Call], seen: HitsSeen = "all"
) -> dict[tuple[str, int], Version]:
    """Every version with its hits, by the lineage of its function and by number: two functions may share a name.

    A hit whose version is not told can only have run the one version that its function has; with several, the hits of
    all of them are unknown.
    """
    rows = {(lineage_of(compile), compile.version): compile for compile in compiles}
    numbers: dict[str, list[int]] = {}
    for lineage, number in rows:
        numbers.setdefault(lineage, []).append(number)
    hits: dict[tuple[str, int], int] = {}
    unknown: set[str] = set()
    for call in calls:
        if call.outcome != "hit":
            continue
        lineage = lineage_of(call)
        known = numbers.get(lineage, [])
        ran = call.version if call.version is not None else 1 if known == [1] else None
        if ran is None:
            unknown.add(lineage)
        else:
            hits[lineage, ran] = hits.get((lineage, ran), 0) + 1
    return {
        key: Version(
            row.function,
            row.version,
            row.duration_s,
            None if key[0] in unknown else hits.get(key, 0),
            hits_seen(row.function_info.api if row.function_info else "", seen),
        )
        for key, row in rows.items()
    }


def lineage_of(row: Compile | Call) -> str:
    """What is equal for all that a person would call the same function; versions are counted inside it."""
    return row.function_info.lineage if row.function_info else row.function


def _totals(compiles: Iterable[Compile], name_of: Callable[[Compile], str]) -> list[Total]:
    groups: dict[str, list[Compile]] = {}
    for compile in compiles:
        groups.setdefault(name_of(compile), []).append(compile)
    totals = [_total(name, rows) for name, rows in groups.items()]
    return sorted(totals, key=lambda total: -total.duration_s)


def _total(name: str, rows: list[Compile]) -> Total:
    phases = [phase for row in rows for phase in row.phases]
    compiled = [row for row in rows if has_compiled(row)]

    def seconds(wanted: PhaseName) -> float:
        return sum(phase.duration_s or 0.0 for phase in phases if phase.name == wanted)

    return Total(
        name=name,
        compiles=len(compiled),
        recompiles=sum(map(is_recompile, compiled)),
        avoidable=sum(map(is_avoidable, compiled)),
        trace_s=seconds("trace"),
        lower_s=seconds("lower"),
        compile_s=seconds("compile"),
        is_time_complete=all(phase.duration_s is not None for phase in phases),
        ahead=sum(map(is_ahead, compiled)),
        loaded=sum(map(is_loaded, compiled)),
    )
