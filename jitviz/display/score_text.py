"""Scores as text: calls across, leaves down, seconds above.

In: `Score`s.  Out: lines within a width; where not all columns fit, the rest follows below, with what changed.
"""

from collections.abc import Iterator, Sequence

from ..model import shortened
from ..views import Score, ScoreRow, Span
from .wrapped_lines import Line, pad, say, strong, width_of

SIGNS = {"traced": "●", "static": "○", "mixed": "◐", "absent": " "}
CAUSE, FOLDED, UNKNOWN = "◆", "▸", "╌"
_WORDS = {"●": "traced", "○": "static", "◐": "both", CAUSE: "made this call compile", UNKNOWN: "version not known"}
_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 40
_TEXT = 14  # columns that a cell may take
_TYPE = 24
_NAME = 3  # a third of the width


def outline_scores(scores: Sequence[Score], n_more: int, width: int) -> Iterator[Line]:
    """The first score whole, the others as a line each."""
    for place, score in enumerate(scores):
        yield from outline_score(score, width) if not place else outline_folded(score)
    if n_more:
        yield say(0, f"{n_more:,} more functions")


def outline_folded(score: Score) -> Iterator[Line]:
    """A name, what happened, and a bar for each column."""
    longest_s = max((column.seconds for column in score.columns), default=0.0) or 1.0
    heights = (int(column.seconds / longest_s * (len(_BARS) - 1)) for column in score.columns[:_MOST_BARS])
    bars = "".join(_BARS[height] for height in heights)
    yield say(0, f"{FOLDED} ", strong(score.function), Span(f"  {score.told}  {bars}"), look="score")


def outline_score(score: Score, width: int) -> Iterator[Line]:
    """A heading, a table, and what its signs mean."""
    yield say(0, strong(score.function), Span(f"  {score.told}"), look="score")
    rows = list(visible(score.rows))
    table = [_cells(score, row) for row in rows]
    names = ["", "version" if score.place >= 0 else "", *(_name(row) for row in rows)]
    types = ["", "", *(_type(row) for row in rows)]
    most = max(8, width // _NAME)
    name_width = min(most, max(map(width_of, names)))
    type_width = min(_TYPE, max(map(width_of, types)))
    heads = [[column.told for column in score.columns], [column.name for column in score.columns]]
    for band, places in enumerate(_bands([*heads, *table], width - name_width - type_width - 4)):
        for line, cells in enumerate([*heads, *table]):
            is_kept = not band or line < 2 or rows[line - 2].has_changed
            texts = [pad(cells[place], _width([*heads, *table], place)) for place in places]
            if is_kept and (line or any(text.strip() for text in texts)):
                text = "  ".join([pad(shortened(names[line], name_width), name_width), *texts])
                yield say(0, Span(f"  {text}  {shortened(types[line], type_width)}".rstrip()), look="score")
    used = {sign for cells in table for cell in cells for sign in cell[:1]}
    legend = "   ".join(f"{sign} {word}" for sign, word in _WORDS.items() if sign in used)
    if legend and score.place >= 0:
        yield say(2, legend, look="aside")
    if score.note:
        yield say(2, score.note, look="aside")


def visible(rows: Sequence[ScoreRow]) -> Iterator[ScoreRow]:
    """The rows that are not beneath a folded one."""
    depth = 0  # of the rows that are shown
    for row in rows:
        if row.depth <= depth:
            yield row
            depth = row.depth + row.is_open


def _name(row: ScoreRow) -> str:
    is_folded = not row.is_open and row.kind in ("node", "group")
    return "  " * row.depth + row.name + (f" {FOLDED}" if is_folded else "")


def _type(row: ScoreRow) -> str:
    return "  ".join(filter(None, (row.type, row.varies, *row.marks)))


def _cells(score: Score, row: ScoreRow) -> list[str]:
    """A sign in each column, with the text of what changed."""
    at = {cell.column: cell for cell in row.cells}
    sign, cells = " ", []
    for place, column in enumerate(score.columns):
        text = ""
        if (cell := at.get(place)) is not None:
            sign, text = SIGNS[cell.role], cell.text
        shown = CAUSE if cell is not None and cell.is_cause else sign if column.is_known or cell else UNKNOWN
        shown = text if score.place < 0 and text else shown + (f" {text}" if text else "")
        cells.append(shortened(shown, _TEXT) if row.cells else "")
    return cells


def _width(table: Sequence[Sequence[str]], place: int) -> int:
    return max(width_of(cells[place]) for cells in table)


def _bands(table: Sequence[Sequence[str]], room: int) -> Iterator[list[int]]:
    """The columns that fit beside each other, at least one."""
    band: list[int] = []
    left = room
    for place in range(len(table[0])):
        needed = _width(table, place) + 2
        if band and needed > left:
            yield band
            band, left = [], room
        band.append(place)
        left -= needed
    if band:
        yield band
