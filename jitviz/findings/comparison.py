"""The comparison of two recordings: which causes are gone, which are new, which cost more or less.

In: two `Recording`s.  Out: `Comparison`.
Must never: distinguish what users consider the same (an address, the number of a cell, a line that moved), or report a
cause as more expensive because the machine was slower.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from ..conveniences import offered
from ..model import Compile
from ..model.counting import has_compiled
from ..model.finding import Change, Finding, FindingKind
from ..model.quantities import count, seconds
from ..model.quick_dataclass import dataclass
from ..recording import Recording
from ..recording.recording import check_recordings
from .causes import home_of
from .find import find
from .on_disk import tell_misses
from .run_changes import find_lines, find_phases, find_programs, find_same, pair_versions, tell_settings
from .sentences import NOUNS, tell

# With the same number of compiles, so many more seconds and this factor are not noise.
_MUCH_S = 2.0
_MUCH = 2.0
_CAUSES = ("gone", "new", "more expensive", "cheaper")
_MOST_AGREE = 3  # the median of so many causes shows how fast the machine was
# These depend on seconds alone; their compiles are compared as compiles.
_BY_SECONDS: frozenset[FindingKind] = frozenset({"slow_trace", "slow_compile"})
_RECOMPILES: frozenset[FindingKind] = frozenset({"recompile", "not_warmed"})

_Key: TypeAlias = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Cost:
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

    before: Cost
    after: Cost

    def __str__(self) -> str:
        return f"{self.after}, was {self.before.amount}"


@dataclass(frozen=True)
class Comparison:
    """What differs between two recordings; false if nothing does."""

    gone: tuple[Cost, ...] = ()
    new: tuple[Cost, ...] = ()
    dearer: tuple[Shift, ...] = ()
    cheaper: tuple[Shift, ...] = ()
    was: tuple[int, float] = (0, 0.0)  # the compiles of the first recording, and their seconds
    now: tuple[int, float] = (0, 0.0)  # of the second
    phases: tuple[Change, ...] = ()  # of the same versions: seconds of tracing, lowering, compiling
    lines: tuple[Change, ...] = ()  # numbers of programs outside any jit
    programs: tuple[Change, ...] = ()  # other programs for the same functions and arguments
    same: tuple[Change, ...] = ()  # the versions that both runs compiled, and nothing above is about
    changed: tuple[str, ...] = ()  # sentences about software, flags, devices and settings
    missed: tuple[str, ...] = ()  # sentences about programs that were no longer in JAX's cache on disk
    incomplete: tuple[str, ...] = ()  # about recordings that lack something: what is not in them may have happened
    is_after_incomplete: bool = False
    recordings: tuple[Recording, ...] = field(default=(), repr=False, compare=False)

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __str__(self) -> str:
        rows = [(f"{one.kind}: " if one.kind in _CAUSES else "", one) for one in self.rows]
        lines = [f"{kind}{one.text}" + (f" → {one.advice}" if one.advice else "") for kind, one in rows]
        nothing = f"{'' if self.incomplete else 'no difference: '}{self.headline}"
        return "\n".join([*(lines or [nothing]), *self.changed, *self.missed, *self.incomplete])

    def _repr_html_(self) -> str:
        notes = [self.headline, *self.changed, *self.missed, *self.incomplete]
        return str(offered["draw_comparison"](self.title, self.recordings, [*self.rows, *self.same], notes))

    @property
    def rows(self) -> list[Change]:
        """All that changed, the causes first."""
        causes = [_row("gone", one, one.seconds) for one in self.gone] + [_row("new", one) for one in self.new]
        causes += [_row("more expensive", one.after, one.before.seconds, str(one)) for one in self.dearer]
        causes += [_row("cheaper", one.after, one.before.seconds, str(one)) for one in self.cheaper]
        return [*causes, *self.phases, *self.lines, *self.programs]

    @property
    def title(self) -> str:
        """ "This run compiled 2.1 s less: 1 cause gone, 1 new"."""
        kinds = [one.kind if one.kind in _CAUSES[:2] else "changed" for one in self.rows]
        told = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in dict.fromkeys(kinds))
        more_s = self.now[1] - self.was[1]
        return f"This run compiled {seconds(abs(more_s))} {'more' if more_s > 0 else 'less'}: {told or 'no difference'}"

    @property
    def is_worse(self) -> bool:
        """Whether there are avoidable recompiles that were not there before."""
        more = (*self.new, *(one.after for one in self.dearer if one.after.count > one.before.count))
        return any(cost.kind in _RECOMPILES for cost in more)

    @property
    def headline(self) -> str:
        """ "was 4 compiles, 2.1 s; now 1, 400 ms"."""
        return tell_change(self.was, self.now)


def _row(kind: Any, one: Cost, was_s: float = 0.0, text: str = "") -> Change:
    """A cause with its line, and what to do about it if it is still there."""
    now_s, text = one.seconds, (text or str(one)) + (f", at {one.source}" if one.source else "")
    if kind in ("gone", "cheaper"):
        return Change(kind, text, was_s, 0.0 if kind == "gone" else now_s, one.source)
    return Change(kind, text, was_s, now_s, one.source, advice=one.advice, code=one.code)


def tell_change(was: tuple[int, float], now: tuple[int, float]) -> str:
    """The headline of two numbers of compiles and their seconds."""
    return f"was {count(was[0], 'compile')}, {seconds(was[1])}; now {now[0]:,}, {seconds(now[1])}"


def compare(before: Recording, after: Recording) -> Comparison:
    """Say what changed from one recording to another: causes of compiles that are gone, new, more expensive or
    cheaper.

    >>> print(jitviz.compare(before, after))

    Functions and causes are the same where their names, paths and kinds are, wherever they stand in the source. Of a
    leaf that changed in several ways, each recompile counts for itself. Nothing is gone from a recording that was cut
    or has lost lines.
    """
    check_recordings((before, after), "compare")
    recompiles = _recompiles(before)
    old = _costs(before, [(one.key, one) for one in recompiles])
    new = _costs(after, _in_terms_of(recompiles, _recompiles(after)))
    advice = {cost.source: cost.advice for cost in new.values() if cost.kind == "op_by_op"}
    lines = [replace(one, advice=advice.get(one.source, "")) for one in find_lines(before, after)]
    counted = {one.source for one in lines if not one.is_whole}
    for key in [key for some in (old, new) for key, cost in some.items() if cost.source in counted]:
        if key[2] == "op_by_op":  # its line says more
            old.pop(key, None), new.pop(key, None)
    pairs = pair_versions(before, after)
    phases = tuple(find_phases(before, after, pairs))
    told = {(name, "compile") for one in phases for name in one.functions}
    shifts = [Shift(old[key], new[key]) for key in old if key in new]
    slower = _times_slower(shifts)
    shifts = [
        one for one in shifts if one.before.count != one.after.count or (one.after.function, one.after.kind) not in told
    ]
    settings = tell_settings(before, after, pairs)
    causes = {(old.get(key) or new[key]).source for key in old.keys() ^ new.keys()}
    is_other_jax = any(text.startswith(("jax changed", "jaxlib changed", "backend changed")) for text in settings)
    dearer = tuple(one for one in shifts if _is_dearer(one.before, one.after, slower))
    cheaper = tuple(one for one in shifts if not after.is_incomplete and _is_dearer(one.after, one.before, 1 / slower))
    named = {name for name, _ in told} | {one.after.function for one in (*dearer, *cheaper)}
    return Comparison(
        gone=() if after.is_incomplete else _costliest(cost for key, cost in old.items() if key not in new),
        new=_costliest(cost for key, cost in new.items() if key not in old),
        dearer=dearer,
        cheaper=cheaper,
        was=total(before),
        now=total(after),
        phases=phases,
        lines=tuple(one for one in lines if one.source not in causes),
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
    def changes(self) -> list[tuple[str, str]]:
        """The kind and the leaf of each of its reasons, the cause first."""
        return [(reason.kind, home_of(reason)) for reason in self.row.reasons]

    @property
    def key(self) -> _Key:
        return (*self.function, *self.changes[0])


def _recompiles(recording: Recording) -> list[_Recompile]:
    rows = recording.compiles
    found = (one for one in find(recording) if one.kind in _RECOMPILES)
    return [_Recompile(one, rows[number]) for one in found for number in one.compiles]


def _in_terms_of(before: Sequence[_Recompile], after: Sequence[_Recompile]) -> list[tuple[_Key, _Recompile]]:
    """The later recompiles under the keys of the earlier ones.

    One with a new cause counts for an earlier one that had this cause, too: the other, which came first, is mended.
    """
    left = Counter(one.key for one in before)
    alike: dict[object, dict[_Key, None]] = defaultdict(dict)
    for one in before:
        for change in one.changes:
            alike[one.function, change][one.key] = None
    keyed: list[tuple[_Key, _Recompile]] = []
    for one in sorted(after, key=lambda one: left[one.key] == 0):
        others = (key for key in alike[one.function, one.changes[0]] if left[key] > 0)
        key = one.key if left[one.key] > 0 else next(others, one.key)
        left[key] -= 1
        keyed.append((key, one))
    return keyed


def _costs(recording: Recording, recompiles: Iterable[tuple[_Key, _Recompile]]) -> dict[_Key, Cost]:
    """The costs by cause; what users consider the same cause has one key."""
    alike: dict[_Key, list[_Recompile]] = defaultdict(list)
    for key, recompile in recompiles:
        alike[key].append(recompile)
    costs = {key: _cost(recompiles) for key, recompiles in alike.items()}
    for home, name, cost in _other_costs(recording, {one.row.index for some in alike.values() for one in some}):
        key = home, name, cost.kind, cost.reason, cost.path
        if (known := costs.get(key)) is not None:
            cost = replace(known, count=known.count + cost.count, seconds=known.seconds + cost.seconds)
        costs[key] = cost
    return costs


def _cost(recompiles: Sequence[_Recompile]) -> Cost:
    """Recompiles of one cause. If they are not all that their finding names, their own reasons say what changed."""
    one, first = recompiles[0].finding, recompiles[0].row.reasons[0]
    is_whole = {recompile.row.index for recompile in recompiles} == set(one.compiles)
    reasons = [of.row.reasons[0] for of in recompiles if of.row.reasons[0].kind == first.kind]
    summary = one.summary if is_whole else tell(reasons, one.path)
    spent_s = sum(of.row.duration_s for of in recompiles)
    row = recompiles[0].row
    told = summary, one.source or row.source, one.advice, one.code if is_whole else ""
    return Cost(one.function, one.kind, one.path, first.kind, len(recompiles), spent_s, *told)


def _other_costs(recording: Recording, covered: Collection[int]) -> Iterator[tuple[str, str, Cost]]:
    """The module and the name of a function, with one of its costs that is not about the `covered` compiles."""
    for one in find(recording):
        if one.kind not in _BY_SECONDS | _RECOMPILES:
            told = one.summary, one.source, one.advice, one.code
            cost = Cost(one.function, one.kind, one.path, one.reason, one.count, one.seconds, *told)
            yield one.home, one.name, cost
    for row in recording.compiles:
        if has_compiled(row) and row.index not in covered:
            info = row.function_info
            yield info.module, info.qualname, Cost(row.function, "compile", "", "", 1, row.duration_s, "", row.source)


def _costliest(costs: Iterator[Cost]) -> tuple[Cost, ...]:
    return tuple(sorted(costs, key=lambda cost: -cost.seconds))


def _times_slower(shifts: list[Shift]) -> float:
    """How many times slower the machine was in the second run: the median over causes that occurred equally often."""
    pairs = [(one.before.seconds, one.after.seconds) for one in shifts if one.before.count == one.after.count]
    ratios = [after_s / before_s for before_s, after_s in pairs if before_s > 0 and after_s > 0]
    return median(ratios) if len(ratios) >= _MOST_AGREE else 1.0


def _is_dearer(before: Cost, after: Cost, slower: float) -> bool:
    if before.count != after.count:
        return after.count > before.count
    return after.seconds > _MUCH * before.seconds * max(1.0, slower) + _MUCH_S


def total(recording: Recording) -> tuple[int, float]:
    rows = [row for row in recording.compiles if has_compiled(row)]
    return len(rows), sum(row.duration_s for row in rows)
