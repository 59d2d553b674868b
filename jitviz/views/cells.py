"""The text of a cell as an index: what each line compiled, and the findings about it.

In: a `Recording`, its groups and findings.  Out: `CellView`s.
Must never: count a second twice for a line, or call what another line caused its own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ..findings.errors import raised_at
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


def shape_cells(
    recording: Recording, groups: Mapping[str, Group], findings: Sequence[Finding], limits: Limits
) -> tuple[CellView, ...]:
    """The cells that compiled something and whose text is known."""
    cells = {cell.label: cell for cell in recording.facts.cells if cell.text}
    if not limits.cells or not cells:
        return ()
    spent, outcomes = _spent(recording), _outcomes(recording, groups)
    blamed: defaultdict[str, list[int]] = defaultdict(list)
    for place, finding in enumerate(findings[: limits.findings]):
        blamed[finding.source].append(place)

    def shape_line(source: str, number: int, text: str) -> CellLine:
        spent_s, beneath_s = spent.get(source, (0.0, 0.0))
        outcomes_here = plain(" · ".join([*outcomes[source], *_tell_own(spent_s, beneath_s)]), SENTENCE_CHARS)
        shown = plain(text.expandtabs(4), VALUE_CHARS)
        return CellLine(number, shown, spent_s, outcomes_here, tuple(blamed[source]), beneath_s)

    views = []
    for label, cell in cells.items():
        texts = enumerate(cell.text.rstrip().split("\n"), 1)
        lines = [shape_line(f"{label}:{number}", number, text) for number, text in texts]
        shown = _near([line for line in lines if line.seconds or line.told or line.findings], lines, limits)
        if any(line.seconds for line in shown):
            views.append(CellView(plain(label, NAME_CHARS), shown, len(lines) - len(shown)))
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
    rows: defaultdict[str, list[Compile]] = defaultdict(list)
    ops: defaultdict[str, list[OpByOp]] = defaultdict(list)
    for row in recording.compiles:
        for source in {row.source, *row.stack}:
            rows[source].append(row)
    for op in recording.op_by_op:
        for source in {op.source, *op.stack}:
            ops[source].append(op)
    until_s = recording.facts.wall_s
    spent: dict[str, tuple[float, float]] = {}
    for source in {*rows, *ops}:
        rows_beneath = [row for row in rows[source] if row.source != source]
        ops_beneath = [op for op in ops[source] if op.source != source]
        spent[source] = covered_s(rows[source], until_s, ops[source]), covered_s(rows_beneath, until_s, ops_beneath)
    return spent


def _tell_own(spent_s: float, beneath_s: float) -> Iterator[str]:
    """ "60 ms its own", where lines beneath it called the rest."""
    if beneath_s:
        own_s = spent_s - beneath_s
        yield f"{seconds(own_s)} its own" if own_s >= _LEAST_S else "all beneath it"


def _outcomes(recording: Recording, groups: Mapping[str, Group]) -> dict[str, list[str]]:
    """The outcomes of the calls from each line, with the function's name if the line calls several."""
    sites = [(group, site) for group in groups.values() for site in call_sites(group, group.hits_seen(recording))]
    n_called = Counter(site.source for _, site in sites)
    outcomes: dict[str, list[str]] = defaultdict(list)
    for group, site in sites:
        name = f"{group.info.name}: " if n_called[site.source] > 1 else ""
        outcomes[site.source].append(f"{name}{site.told}")
    for source, number in Counter(op.source for op in recording.op_by_op).items():
        outcomes[source].append(f"{count(number, 'program')} outside any jit")
    for error in dict.fromkeys(call.error or "" for call, _ in recording.facts.calls.alike()):
        if place := raised_at(error):
            outcomes[place].append(f"raised {error.partition(':')[0]}")
    return outcomes
