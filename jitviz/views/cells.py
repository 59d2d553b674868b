"""The text of a cell as an index: what each line compiled, and the findings about it.

In: a `Recording`, its groups and findings.  Out: `CellView`s.
Must never: charge a line with a call that another line made.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ..model import Compile
from ..model.finding import Finding
from ..recording import Recording
from .functions import call_sites
from .groups import Group, covered_s
from .limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .schema import CellLine, CellView
from .words import count, plain

_NEAR = 2  # lines of context around a line that compiled something


def shape_cells(
    recording: Recording, groups: Mapping[str, Group], findings: Sequence[Finding], limits: Limits
) -> tuple[CellView, ...]:
    """The cells that compiled something and whose text is known."""
    if not limits.cells:
        return ()
    spent_s, told, blamed = _spent(recording), _told(recording, groups), defaultdict(list)
    for place, found in enumerate(findings[: limits.findings]):
        blamed[found.source].append(place)
    views = []
    for cell in {one.label: one for one in recording.facts.cells if one.text}.values():
        texts = cell.text.rstrip().split("\n")
        lines = [
            CellLine(
                number,
                plain(text.expandtabs(4), VALUE_CHARS),
                spent_s.get(source, 0.0),
                plain(" · ".join(told[source]), SENTENCE_CHARS),
                tuple(blamed[source]),
            )
            for number, text in enumerate(texts, 1)
            if (source := f"{cell.label}:{number}")
        ]
        kept = _near([line for line in lines if line.seconds or line.told or line.findings], lines, limits)
        if any(line.seconds for line in kept):
            views.append(CellView(plain(cell.label, NAME_CHARS), kept, len(lines) - len(kept)))
    return tuple(views[: limits.cells])


def _near(marked: Sequence[CellLine], lines: Sequence[CellLine], limits: Limits) -> tuple[CellLine, ...]:
    if len(lines) <= limits.cell_lines:
        return tuple(lines)
    near = {line.number + step for line in marked for step in range(-_NEAR, _NEAR + 1)}
    return tuple(line for line in lines if line.number in near)[: limits.cell_lines]


def _spent(recording: Recording) -> dict[str, float]:
    """Seconds of compiling by calling line, inside and outside jitted functions."""
    rows: dict[str, list[Compile]] = defaultdict(list)
    for row in recording.compiles:
        rows[row.source].append(row)
    spent_s = {source: covered_s(mine, recording.facts.wall_s) for source, mine in rows.items()}
    for op in recording.op_by_op:
        spent_s[op.source] = spent_s.get(op.source, 0.0) + op.duration_s
    return spent_s


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
