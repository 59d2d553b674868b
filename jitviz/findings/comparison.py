"""The comparison of two recordings: which causes are gone, which are new, which cost more or less.

In: two `Recording`s.  Out: `Comparison`.
Must never: distinguish what users consider the same (an address, the number of a cell, a line that moved), or report a
cause as more expensive because the machine was slower.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from ..model import Compile, Finding, FindingKind, Reason, RunChange, count, has_compiled, median, seconds
from ..model.printable import Readable, printed
from ..recording import Recording
from ..recording.recording import check_recordings
from .cause import home_of
from .find import find
from .on_disk import tell_misses
from .run_changes import find_lines, find_phases, find_programs, find_same, pair_versions, tell_settings
from .sentences import NOUNS, tell

# With the same number of compiles, so many more seconds and this factor are not noise.
_MUCH_S = 2.0
_MUCH = 2.0
_COMPILING = ("trace", "lower", "compile", "load", "op_by_op")  # of an account
_CAUSES = ("gone", "new", "more expensive", "cheaper")
_MOST_AGREE = 3  # the median of so many causes shows how fast the machine was
# These depend on seconds alone; their compiles are compared as compiles.
_BY_SECONDS: frozenset[FindingKind] = frozenset({"slow_trace", "slow_compile"})
_RECOMPILES: frozenset[FindingKind] = frozenset({"recompile", "not_warmed"})

_Key: TypeAlias = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class CauseCost:
    """One cause in one recording. `kind` is that of a finding, or "compile" for compiles that no finding covers."""

    function: str
    kind: str
    path: str
    reason: str
    count: int
    seconds: float
    summary: str
    source: str = ""  # its line
    advice: str = ""  # what to do
    code: str = ""  # to paste

    def __str__(self) -> str:
        return f"`{self.function}`: " + (f"{self.summary} ({self.amount})" if self.summary else self.amount)

    @property
    def amount(self) -> str:
        """ "3 recompiles, 1.2 s"."""
        often = count(self.count, NOUNS.get(self.kind, "compile"))
        return f"{often}, {seconds(self.seconds)}" if self.seconds else often


@dataclass(frozen=True)
class Shift:
    """A cause that is in both recordings."""

    before: CauseCost
    after: CauseCost

    def __str__(self) -> str:
        return f"{self.after}, was {self.before.amount}"


@dataclass(frozen=True, repr=False)
class Comparison(Readable):
    """What differs between two recordings; false if nothing does."""

    gone: tuple[CauseCost, ...] = ()
    new: tuple[CauseCost, ...] = ()
    dearer: tuple[Shift, ...] = ()
    cheaper: tuple[Shift, ...] = ()
    was: tuple[int, float] = (0, 0.0)  # the compiles of the first recording, and their seconds
    now: tuple[int, float] = (0, 0.0)  # of the second
    phases: tuple[RunChange, ...] = ()  # of the same versions: seconds of tracing, lowering, compiling
    lines: tuple[RunChange, ...] = ()  # numbers of programs outside any jit
    programs: tuple[RunChange, ...] = ()  # other programs for the same functions and arguments
    same: tuple[RunChange, ...] = ()  # the versions that both runs compiled, and nothing above is about
    changed: tuple[str, ...] = ()  # sentences about software, flags, devices and settings
    missed: tuple[str, ...] = ()  # sentences about programs that were no longer in JAX's cache on disk
    incomplete: tuple[str, ...] = ()  # about recordings that lack something: what is not in them may have happened
    is_after_incomplete: bool = False
    recordings: tuple[Recording, ...] = field(default=(), repr=False, compare=False)

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __str__(self) -> str:
        rows = [(f"{change.kind}: " if change.kind in _CAUSES else "", change) for change in self.rows]
        lines = [f"{kind}{row.text}" + (f" → {row.advice}" if row.advice else "") for kind, row in rows]
        nothing = f"{'' if self.incomplete else 'no difference: '}{self.headline}"
        return "\n".join([*(lines or [nothing]), *self.changed, *self.missed, *self.incomplete])

    def __repr__(self) -> str:
        return printed("\n".join([self.title, self.headline, str(self)] if self else [str(self)]))

    def _repr_html_(self) -> str:
        from ..display.html import draw_comparison  # a layer above

        notes = [self.headline, *self.changed, *self.missed, *self.incomplete]
        return draw_comparison(self.title, self.recordings, [*self.rows, *self.same], notes)

    @property
    def rows(self) -> list[RunChange]:
        """All that changed, the causes first."""
        causes = [_row("gone", cost, cost.seconds) for cost in self.gone] + [_row("new", cost) for cost in self.new]
        causes += [_row("more expensive", shift.after, shift.before.seconds, str(shift)) for shift in self.dearer]
        causes += [_row("cheaper", shift.after, shift.before.seconds, str(shift)) for shift in self.cheaper]
        return [*causes, *self.phases, *self.lines, *self.programs]

    @property
    def title(self) -> str:
        """ "This run compiled 2.1 s less: 1 cause gone, 1 new", by the accounts that are drawn below it."""
        kinds = [row.kind if row.kind in _CAUSES[:2] else "changed" for row in self.rows]
        text = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in dict.fromkeys(kinds)) or "no difference"
        spent = [[part.seconds for part in rec.account.parts if part.what in _COMPILING] for rec in self.recordings]
        more_s = sum(spent[1]) - sum(spent[0]) if spent else 0.0
        return f"This run compiled {seconds(abs(more_s))} {'more' if more_s > 0 else 'less'}: {text}"

    @property
    def is_worse(self) -> bool:
        """Whether there are avoidable recompiles that were not there before."""
        more = (*self.new, *(shift.after for shift in self.dearer if shift.after.count > shift.before.count))
        return any(cost.kind in _RECOMPILES for cost in more)

    @property
    def headline(self) -> str:
        """ "was 4 compiles, 2.1 s; now 1, 400 ms"."""
        return tell_change(self.was, self.now)


def _row(kind: Any, cost: CauseCost, was_s: float = 0.0, text: str = "") -> RunChange:
    """A cause with its line, and what to do about it if it is still there."""
    now_s, text = cost.seconds, (text or str(cost)) + (f", at {cost.source}" if cost.source else "")
    if kind in ("gone", "cheaper"):
        return RunChange(kind, text, was_s, 0.0 if kind == "gone" else now_s, cost.source)
    return RunChange(kind, text, was_s, now_s, cost.source, advice=cost.advice, code=cost.code)


def tell_change(was: tuple[int, float], now: tuple[int, float]) -> str:
    """The headline of two numbers of compiles and their seconds."""
    return f"was {count(was[0], 'compile')}, {seconds(was[1])}; now {now[0]:,}, {seconds(now[1])}"


def compare(before: Recording, after: Recording) -> Comparison:
    """Say what changed from one recording to another: causes of compiles that are gone, new, more expensive or
    cheaper.

    >>> print(jitviz.compare(before, after))

    A function or cause is the same in both if its name, path and kind are the same, wherever it stands in the source.
    If a leaf changed in several ways, each recompile counts by itself. If `after` was cut or has lost lines, nothing
    counts as gone.

    Raises:
        TypeError: one of them is not a recording.
    """
    check_recordings((before, after), "compare")
    recompiles = _recompiles(before)
    old = _costs(before, [(recompile.key, recompile) for recompile in recompiles])
    new = _costs(after, _in_terms_of(recompiles, _recompiles(after)))
    advice = {cost.source: cost.advice for cost in new.values() if cost.kind == "op_by_op"}
    lines = [replace(line, advice=advice.get(line.source, "")) for line in find_lines(before, after)]
    counted = {line.source for line in lines if not line.is_whole}
    for key in [key for costs in (old, new) for key, cost in costs.items() if cost.source in counted]:
        if key[2] == "op_by_op":  # its line says more
            old.pop(key, None), new.pop(key, None)
    pairs = pair_versions(before, after)
    phases = tuple(find_phases(before, after, pairs))
    in_phases = {(name, "compile") for phase in phases for name in phase.functions}
    shifts = [Shift(old[key], new[key]) for key in old if key in new]
    slower = _times_slower(shifts)
    shifts = [
        row
        for row in shifts
        if row.before.count != row.after.count or (row.after.function, row.after.kind) not in in_phases
    ]
    settings = tell_settings(before, after, pairs)
    causes = {(old.get(key) or new[key]).source for key in old.keys() ^ new.keys()}
    is_other_jax = any(text.startswith(("jax changed", "jaxlib changed", "backend changed")) for text in settings)
    dearer = tuple(row for row in shifts if _is_dearer(row.before, row.after, slower))
    cheaper = tuple(row for row in shifts if not after.is_incomplete and _is_dearer(row.after, row.before, 1 / slower))
    named = {name for name, _ in in_phases} | {row.after.function for row in (*dearer, *cheaper)}
    return Comparison(
        gone=() if after.is_incomplete else _costliest(cost for key, cost in old.items() if key not in new),
        new=_costliest(cost for key, cost in new.items() if key not in old),
        dearer=dearer,
        cheaper=cheaper,
        was=total(before),
        now=total(after),
        phases=phases,
        lines=tuple(line for line in lines if line.source not in causes),
        programs=tuple(find_programs(before, after, pairs, is_other_jax=is_other_jax)),
        same=tuple(find_same(pairs, named)),
        changed=tuple(settings),
        missed=tuple(tell_misses(before, after, pairs)),
        incomplete=tuple(_tell_incomplete(before, after)),
        is_after_incomplete=after.is_incomplete,
        recordings=(before, after),
    )


def _tell_incomplete(before: Recording, after: Recording) -> Iterator[str]:
    how = "is incomplete (its process was killed or still ran, or its file has lost lines)"
    if before.is_incomplete:
        yield f"The first recording {how}: what is new may have been there."
    if after.is_incomplete:
        yield f"The second recording {how}: what it lacks is not known to be gone."


class _Recompile(NamedTuple):
    """A recompile, with the finding that names it."""

    finding: Finding
    row: Compile

    @property
    def function(self) -> tuple[str, str, str]:
        return self.finding.home, self.finding.name, self.finding.kind

    @property
    def reasons(self) -> list[Reason]:
        """Its reasons, the cause first: what its finding is about, if it has that."""
        paths = self.finding.path, *self.finding.also
        return sorted(
            self.row.reasons, key=lambda reason: reason.kind != self.finding.reason or reason.path not in paths
        )

    @property
    def changes(self) -> list[tuple[str, str]]:
        """The kind and the leaf of each of its reasons, the cause first."""
        return [(reason.kind, home_of(reason)) for reason in self.reasons]

    @property
    def key(self) -> _Key:
        return (*self.function, *self.changes[0])


def _recompiles(recording: Recording) -> list[_Recompile]:
    rows = recording.compiles
    findings = (finding for finding in find(recording) if finding.kind in _RECOMPILES)
    return [_Recompile(finding, rows[number]) for finding in findings for number in finding.compiles]


def _in_terms_of(before: Sequence[_Recompile], after: Sequence[_Recompile]) -> list[tuple[_Key, _Recompile]]:
    """The later recompiles under the keys of the earlier ones. One with a new cause counts for an earlier one that had
    this cause, too: the other, which came first, is mended."""
    left = Counter(recompile.key for recompile in before)
    alike: dict[object, dict[_Key, None]] = defaultdict(dict)
    for recompile in before:
        for change in recompile.changes:
            alike[recompile.function, change][recompile.key] = None
    keyed: list[tuple[_Key, _Recompile]] = []
    for recompile in sorted(after, key=lambda recompile: left[recompile.key] == 0):
        others = (key for key in alike[recompile.function, recompile.changes[0]] if left[key] > 0)
        key = recompile.key if left[recompile.key] > 0 else next(others, recompile.key)
        left[key] -= 1
        keyed.append((key, recompile))
    return keyed


def _costs(recording: Recording, recompiles: Iterable[tuple[_Key, _Recompile]]) -> dict[_Key, CauseCost]:
    """The costs by cause; what users consider the same cause has one key."""
    alike: dict[_Key, list[_Recompile]] = defaultdict(list)
    for key, recompile in recompiles:
        alike[key].append(recompile)
    costs = {key: _cost(recompiles) for key, recompiles in alike.items()}
    for home, name, cost in _other_costs(
        recording, {recompile.row.index for some in alike.values() for recompile in some}
    ):
        key = home, name, cost.kind, cost.reason, cost.path
        if (known := costs.get(key)) is not None:
            cost = replace(known, count=known.count + cost.count, seconds=known.seconds + cost.seconds)
        costs[key] = cost
    return costs


def _cost(recompiles: Sequence[_Recompile]) -> CauseCost:
    """Recompiles of one cause. If they are not all that their finding names, their own reasons say what changed."""
    finding, first = recompiles[0].finding, recompiles[0].reasons[0]
    is_whole = {recompile.row.index for recompile in recompiles} == set(finding.compiles)
    reasons = [recompile.reasons[0] for recompile in recompiles if recompile.reasons[0].kind == first.kind]
    summary = finding.summary if is_whole else tell(reasons, finding.path)
    spent_s = sum(recompile.row.duration_s for recompile in recompiles)
    row = recompiles[0].row
    texts = summary, finding.source or row.source, finding.advice, finding.code if is_whole else ""
    return CauseCost(finding.function, finding.kind, finding.path, first.kind, len(recompiles), spent_s, *texts)


def _other_costs(recording: Recording, covered: Collection[int]) -> Iterator[tuple[str, str, CauseCost]]:
    """The module and the name of a function, with one of its costs that is not about the `covered` compiles."""
    for finding in find(recording):
        if finding.kind not in _BY_SECONDS | _RECOMPILES:
            texts = finding.summary, finding.source, finding.advice, finding.code
            cause = finding.function, finding.kind, finding.path, finding.reason
            yield finding.home, finding.name, CauseCost(*cause, finding.count, finding.seconds, *texts)
    for row in recording.compiles:
        if has_compiled(row) and row.index not in covered:
            info = row.function_info
            yield (
                info.module,
                info.qualname,
                CauseCost(row.function, "compile", "", "", 1, row.duration_s, "", row.source),
            )


def _costliest(costs: Iterator[CauseCost]) -> tuple[CauseCost, ...]:
    return tuple(sorted(costs, key=lambda cost: -cost.seconds))


def _times_slower(shifts: list[Shift]) -> float:
    """How many times slower the machine was in the second run: the median over causes that occurred equally often."""
    pairs = [(shift.before.seconds, shift.after.seconds) for shift in shifts if shift.before.count == shift.after.count]
    ratios = [after_s / before_s for before_s, after_s in pairs if before_s > 0 and after_s > 0]
    return median(ratios) if len(ratios) >= _MOST_AGREE else 1.0


def _is_dearer(before: CauseCost, after: CauseCost, slower: float) -> bool:
    if before.count != after.count:
        return after.count > before.count
    return after.seconds > _MUCH * before.seconds * max(1.0, slower) + _MUCH_S


def total(recording: Recording) -> tuple[int, float]:
    rows = [row for row in recording.compiles if has_compiled(row)]
    return len(rows), sum(row.duration_s for row in rows)
