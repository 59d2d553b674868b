"""The bill: the wall time as a bar of kinds of work and their functions, and where on it each finding stands.

In: a recording.  Out: a `Bill`.
Must never: count a second twice; what several findings share stands at one place, so that their overlap is seen.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..findings import find_account
from ..model import WHATS, Compile, Finding, What, is_avoidable, is_loaded, seconds
from ..model.finding import WHAT_NAMES
from ..recording import Recording
from .groups import covered_s
from .schema import Spent, Stretch
from .screen_limits import NAME_CHARS
from .words import plain

NAMES = WHAT_NAMES
_NAMED = 0.04  # of the wall time: a smaller part of the bar has no room for a name
_WHOLE = 0.98  # of the seconds of its compiles: a finding that took so much took all


def list_accounted(recording: Recording) -> list[Compile]:
    """The compiles whose seconds are in the account: those of the thread that started the recording."""
    return [row for row in recording.compiles if row.thread == recording.facts.thread]


@dataclass
class Bill:
    """The stretches of a bar: `places` are those of each function, `compiles` those of each compile, in seconds."""

    wall_s: float
    bar: list[Spent] = field(default_factory=list)
    places: dict[tuple[What, str], Stretch] = field(default_factory=dict)
    compiles: defaultdict[int, list[Stretch]] = field(default_factory=lambda: defaultdict(list))
    lost: list[tuple[float, float]] = field(default_factory=list)  # where what was avoidable begins and ends

    @property
    def avoidable_at(self) -> tuple[Stretch, ...]:
        return tuple(_joined(self.lost, self.wall_s))

    @property
    def avoidable(self) -> str:
        """ "3.5 s: 3.0 s XLA, 500 ms tracing", or ""."""
        lost = sorted((row for row in self.bar if not row.depth and row.avoidable_s), key=lambda row: -row.avoidable_s)
        parts = ", ".join(f"{seconds(row.avoidable_s)} {row.name}" for row in lost)
        return f"{seconds(sum(row.avoidable_s for row in lost))}: {parts}" if len(lost) > 1 else parts

    def of(self, finding: Finding) -> tuple[Stretch, ...]:
        """Where a finding stands, as fractions of the wall time; at the beginning of compiles that it is a part of."""
        stretches = [stretch for index in finding.compiles for stretch in self.compiles.get(index, ())]
        if finding.kind == "op_by_op":
            places: list[tuple[What, str]] = [("op_by_op", finding.function), ("op_by_op", "")]
            stretches = [self.places[place] for place in places if place in self.places]
            stretches = [one for one in stretches[:-1] if one.width >= _WHOLE * finding.seconds] or stretches[-1:]
        whole_s = sum(stretch.width for stretch in stretches)
        if not whole_s or not finding.seconds:
            return ()
        share = min(1.0, finding.seconds / whole_s)
        share = 1.0 if share > _WHOLE else share
        return tuple(_joined([(one.start, one.start + share * one.width) for one in stretches], self.wall_s))


def shape_bill(recording: Recording) -> Bill:
    """Kinds of work in their order, their functions by seconds; in each, what could not be avoided comes first."""
    account, accounted = find_account(recording), list_accounted(recording)
    avoidable = {row.index: row for row in accounted if is_avoidable(row)}
    lost = _lost(list(avoidable.values()), recording.facts.wall_s)
    bill, start = Bill(account.wall_s), 0.0
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    for share in account.shares:
        if share.function:
            spent[share.what][share.function] += share.seconds
    rows: defaultdict[tuple[What, str], list[tuple[Compile, float]]] = defaultdict(list)
    for row, what, phase_s in _phases(accounted):
        rows[what, row.function].append((row, phase_s))
    for what in WHATS:
        part_s = account.part(what).seconds
        if part_s <= 0:
            continue
        bill.bar.append(Spent(what, 0, NAMES[what], part_s, min(part_s, sum(lost[what].values()))))
        bill.places[what, ""] = Stretch(start, part_s)
        at = start
        for function, spent_s in sorted(spent[what].items(), key=lambda item: (-item[1], item[0])):
            lost_s = min(spent_s, lost[what].get(function, 0.0))
            if spent_s >= _NAMED * account.wall_s:
                bill.bar.append(Spent(what, 1, plain(function, NAME_CHARS), spent_s, lost_s))
            bill.places[what, function] = Stretch(at, spent_s)
            bill.lost += [(at + spent_s - lost_s, at + spent_s)] if lost_s else []
            for is_lost, from_s, width_s in ((False, at, spent_s - lost_s), (True, at + spent_s - lost_s, lost_s)):
                phases = [pair for pair in rows[what, function] if (pair[0].index in avoidable) == is_lost]
                whole_s = sum(phase_s for _, phase_s in phases) or 1.0
                for row, phase_s in phases:
                    bill.compiles[row.index].append(Stretch(from_s, width_s * phase_s / whole_s))
                    from_s += width_s * phase_s / whole_s
            at += spent_s
        start += part_s
    return bill


def _phases(rows: Sequence[Compile]) -> Iterator[tuple[Compile, What, float]]:
    """The phases of compiles with their seconds, by kind of work."""
    for row in rows:
        for phase in row.phases:
            what: What = "load" if phase.name == "compile" and is_loaded(row) else phase.name
            yield row, what, phase.duration_s or 0.0


def _lost(avoidable: Sequence[Compile], wall_s: float) -> dict[What, dict[str, float]]:
    """Seconds of avoidable recompiles by kind of work and function; time in which several ran counts once."""
    spent: dict[What, dict[str, float]] = {what: defaultdict(float) for what in WHATS}
    for row, what, phase_s in _phases(avoidable):
        spent[what][row.function] += phase_s
    whole_s = sum(sum(functions.values()) for functions in spent.values())
    share = min(1.0, covered_s(avoidable, wall_s) / max(whole_s, 1e-9))
    return {what: {name: share * spent_s for name, spent_s in functions.items()} for what, functions in spent.items()}


def _joined(ends: Sequence[tuple[float, float]], wall_s: float) -> Iterator[Stretch]:
    """The stretches as fractions, with those that touch as one."""
    joined: list[tuple[float, float]] = []
    for start, end in sorted(ends):
        if joined and start <= joined[-1][1] + 1e-9:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    for start, end in joined:
        yield Stretch(round(start / wall_s, 4), round((end - start) / wall_s, 4))
