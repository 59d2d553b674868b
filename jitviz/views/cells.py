"""The text of a cell or a script as an index: what each line compiled, and the findings about it.

In: a `Recording`, its groups and findings.  Out: `CellView`s.
Must never: count a second twice for a line, or call what another line caused its own.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from ..findings.line_seconds import LineSeconds, find_line_seconds
from ..model import Finding, count, has_compiled, raised_at, seconds, split_source
from ..recording import Recording, unpack
from ..recording.redaction import redacted_program
from .function_views import call_sites
from .groups import Group
from .schema import CellLine, CellView
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .words import plain

_NEAR = 2  # lines of context around a line that compiled something
_FEWEST = 8  # lines of a cell, where several share the limit
_FEW = 3  # functions that a line names
_MOST_READ = 16  # functions whose source is read
_LEAST_S = 1e-6  # less is a rounding error


def shape_cells(
    recording: Recording,
    groups: Mapping[str, Group],
    findings: Sequence[Finding],
    edits: Sequence[Sequence[str]],
    limits: Limits,
) -> tuple[CellView, ...]:
    """The cells and files that compiled something or are to be changed, as far as their text is known; `edits` are the
    lines that each finding asks to change."""
    if not limits.cells:
        return ()
    spent, outcomes = find_line_seconds(recording), _outcomes(recording, groups)
    blamed: defaultdict[str, list[int]] = defaultdict(list)
    changed: defaultdict[str, list[int]] = defaultdict(list)
    for place, (finding, sources) in enumerate(zip(findings[: limits.findings], edits, strict=True)):
        blamed[finding.source].append(place)
        for source in sources:
            changed[source].append(place)

    def shape_line(source: str, number: int, text: str) -> CellLine:
        line = spent.get(source, LineSeconds())
        told = plain(" · ".join([*outcomes[source], *_tell_own(line.seconds, line.beneath_s)]), SENTENCE_CHARS)
        shown, here = plain(text.expandtabs(4), VALUE_CHARS), tuple(blamed[source])
        return CellLine(number, shown, line.seconds, told, here, line.beneath_s, tuple(changed[source]), *line[:4])

    found: dict[str, tuple[dict[int, CellLine], list[CellLine]]] = {}
    for label, texts in _texts(recording, groups).items():
        lines = {number: shape_line(f"{label}:{number}", number, texts[number]) for number in sorted(texts)}
        if marked := [line for line in lines.values() if line.seconds or line.told or line.findings or line.edits]:
            found[label] = lines, marked
    # If not all fit, those to change and the most expensive are shown, in the order in which they ran.
    chosen = set(sorted(found, key=lambda label: min(map(_rank, found[label][1])))[: limits.cells])
    most = max(_FEWEST, limits.cell_lines // max(1, len(chosen)))
    views = []
    for label, (lines, marked) in found.items():
        if label in chosen:
            shown = tuple(lines[number] for number in _near(marked, lines, most))
            views.append(CellView(plain(label, NAME_CHARS), shown, len(lines) - len(shown)))
    return tuple(views)


def _texts(recording: Recording, groups: Mapping[str, Group]) -> dict[str, dict[int, str]]:
    """The known lines of each cell and file, by number: of a file, at least those that were traced or compiled."""
    known: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for op in recording.op_by_op:
        label, number = split_source(op.source)
        known[label][number] = op.line
    first = [group.compiles[0].index for group in groups.values() if group.compiles]
    for index in first[:_MOST_READ]:
        for block in json.loads(recording.located(index, "sources") or "[]"):
            known[block["file"]] |= dict(enumerate(block["text"].rstrip().split("\n"), block["first"]))
    for call, _ in recording.facts.calls.alike():
        source, text = raised_at(call.error or "")
        if source:
            label, number = split_source(source)
            known[label][number] = text
    for label, packed in recording.facts.sources.items():
        known[label] |= _read(packed)
    for cell in recording.facts.cells:
        known[cell.label] |= dict(enumerate(cell.text.rstrip().split("\n"), 1)) if cell.text else {}
    return known


@lru_cache(maxsize=8)  # a panel that grows asks again
def _read(packed: bytes) -> dict[int, str]:
    """The lines of a file, without what was found to be secret since they were read."""
    return dict(enumerate(redacted_program(unpack(packed)).rstrip().split("\n"), 1))


def _rank(line: CellLine) -> tuple[bool, float]:
    """Those to change first, then by seconds."""
    return not line.edits, -line.seconds


def _near(marked: Sequence[CellLine], lines: Collection[int], most: int) -> list[int]:
    """The numbers of the lines to show: those around the marked ones, if not all fit."""
    if len(lines) <= most:
        return list(lines)
    near: set[int] = set()
    for line in sorted(marked, key=_rank):
        around = set(range(line.number - _NEAR, line.number + _NEAR + 1)).intersection(lines)
        if len(near | around) <= most:
            near |= around
    return sorted(near)


def _tell_own(spent_s: float, beneath_s: float) -> Iterator[str]:
    """ "60 ms in the line itself", where lines beneath it called the rest."""
    if beneath_s:
        own_s = spent_s - beneath_s
        yield f"{seconds(own_s)} in the line itself" if own_s >= _LEAST_S else "all in lines that it calls"


def _outcomes(recording: Recording, groups: Mapping[str, Group]) -> dict[str, list[str]]:
    """The outcomes of the calls from each line, with the function's name if the line calls several."""
    sites = [(group, site) for group in groups.values() for site in call_sites(recording, group)]
    n_called = Counter(site.source for _, site in sites)
    outcomes: dict[str, list[str]] = defaultdict(list)
    for group, site in sites:
        name = f"{group.info.name}: " if n_called[site.source] > 1 else ""
        outcomes[site.source].append(f"{name}{site.told}")
    for source, n_functions in n_called.items():
        if n_functions > _FEW:
            n = sum(row.source == source and has_compiled(row) for row in recording.compiles)
            outcomes[source] = [f"{n_functions:,} functions, {count(n, 'compile')}"]
    for source, number in Counter(op.source for op in recording.op_by_op).items():
        outcomes[source].append(f"{count(number, 'program')} outside any jit")
    for error in dict.fromkeys(call.error or "" for call, _ in recording.facts.calls.alike()):
        if source := raised_at(error)[0]:
            outcomes[source].append(f"raised {error.partition(':')[0]}")
    return outcomes
