"""The text of a cell as an index: what each line compiled, and the findings about it.

In: a `Recording`, its groups and findings.  Out: `CellView`s.
Must never: count a second twice for a line, or call what another line caused its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..model import Compile, OpByOp
from ..model.finding import Finding
from ..model.quantities import count, seconds
from ..recording import Recording
from .function_views import call_sites
from .groups import Group, covered_s
from .schema import CellLine, CellView
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .words import plain

_NEAR = 2  # lines of context around a line that compiled something
_LEAST_S = 1e-6  # less is a rounding error


@dataclass
class _Below:
    """What compiled at a line and beneath it."""

    rows: list[Compile] = field(default_factory=list)
    ops: list[OpByOp] = field(default_factory=list)

    def seconds(self, source: str, until_s: float) -> tuple[float, float]:
        """Altogether, and what other lines called."""
        rows = [row for row in self.rows if row.source != source]
        ops = [op for op in self.ops if op.source != source]
        return covered_s(self.rows, until_s, self.ops), covered_s(rows, until_s, ops)


def shape_cells(
    recording: Recording, groups: Mapping[str, Group], findings: Sequence[Finding], limits: Limits
) -> tuple[CellView, ...]:
    """The cells that compiled something and whose text is known."""
    if not limits.cells or not any(one.text for one in recording.facts.cells):
        return ()
    spent, told, blamed = _spent(recording), _told(recording, groups), defaultdict(list)
    for place, found in enumerate(findings[: limits.findings]):
        blamed[found.source].append(place)
    views = []
    for cell in {one.label: one for one in recording.facts.cells if one.text}.values():
        texts = cell.text.rstrip().split("\n")
        lines = [
            CellLine(
                number,
                plain(text.expandtabs(4), VALUE_CHARS),
                spent_s,
                plain(" · ".join([*told[source], *_tell_own(spent_s, beneath_s)]), SENTENCE_CHARS),
                tuple(blamed[source]),
                beneath_s,
            )
            for number, text in enumerate(texts, 1)
            for source in [f"{cell.label}:{number}"]
            for spent_s, beneath_s in [spent.get(source, (0.0, 0.0))]
        ]
        kept = _near([line for line in lines if line.seconds or line.told or line.findings], lines, limits)
        if any(line.seconds for line in kept):
            views.append(CellView(plain(cell.label, NAME_CHARS), kept, len(lines) - len(kept)))
    # If not all fit, the most expensive are shown, in the order in which they ran.
    by_cost = sorted(views, key=lambda view: -max(line.seconds for line in view.lines))
    costliest = {view.label for view in by_cost[: limits.cells]}
    return tuple(view for view in views if view.label in costliest)


def _near(marked: Sequence[CellLine], lines: Sequence[CellLine], limits: Limits) -> tuple[CellLine, ...]:
    if len(lines) <= limits.cell_lines:
        return tuple(lines)
    near: set[int] = set()
    for line in sorted(marked, key=lambda line: -line.seconds):
        around = range(max(1, line.number - _NEAR), min(len(lines), line.number + _NEAR) + 1)
        if len(near.union(around)) <= limits.cell_lines:
            near.update(around)
    return tuple(line for line in lines if line.number in near)


def _spent(recording: Recording) -> dict[str, tuple[float, float]]:
    """By line, the seconds of compiling that it caused, and those that lines beneath it called."""
    below: dict[str, _Below] = defaultdict(_Below)
    for row in recording.compiles:
        for source in {row.source, *row.stack}:
            below[source].rows.append(row)
    for op in recording.op_by_op:
        for source in {op.source, *op.stack}:
            below[source].ops.append(op)
    until_s = recording.facts.wall_s
    return {source: mine.seconds(source, until_s) for source, mine in below.items()}


def _tell_own(spent_s: float, beneath_s: float) -> Iterator[str]:
    """ "60 ms its own", where lines beneath it called the rest."""
    if beneath_s:
        own_s = spent_s - beneath_s
        yield f"{seconds(own_s)} its own" if own_s >= _LEAST_S else "all beneath it"


def _told(recording: Recording, groups: Mapping[str, Group]) -> dict[str, list[str]]:
    """The outcomes of the calls from each line, with the function's name if the line calls several."""
    sites = [(mine, site) for mine in groups.values() for site in call_sites(mine, mine.hits_seen(recording))]
    n_called = Counter(site.source for _, site in sites)
    told: dict[str, list[str]] = defaultdict(list)
    for mine, site in sites:
        told[site.source].append(site.told if n_called[site.source] == 1 else f"{mine.info.name}: {site.told}")
    for source, number in Counter(op.source for op in recording.op_by_op).items():
        told[source].append(f"{count(number, 'program')} outside any jit")
    return told
