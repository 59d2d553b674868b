"""A score as a table, for screen readers and for where pictures are not shown.

In: a `Score`.  Out: HTML without styles that a sanitizer would have to leave.
Must never: hold an unescaped text of the user.
"""

from html import escape

from ..views import Score, ScoreRow
from .score_text import visible

_STYLE = "font:11px monospace;border-collapse:collapse"


def draw_table(score: Score) -> str:
    """A row for each leaf, a column for each call, whose heading says what it was."""
    heads = "".join(f'<th scope="col" role="columnheader">{escape(column.label)}</th>' for column in score.columns)
    rows = "".join(
        f'<tr role="row"><th scope="row" role="rowheader">{escape(row.path or row.name)}</th>{_cells(score, row)}'
        f'<td role="gridcell">{escape(" ".join(filter(None, (row.type, row.varies, *row.marks))))}</td></tr>'
        for row in visible(score.rows)
    )
    name = f"Calls of {score.function}" if score.place >= 0 else score.function
    return (
        f'<div style="overflow-x:auto"><table role="grid" aria-label="{escape(name)}" style="{_STYLE}">'
        f'<caption>{escape(name)}</caption><tr role="row"><th role="columnheader">path</th>{heads}'
        f'<th role="columnheader">type</th></tr>{rows}</table></div>'
    )


def _cells(score: Score, row: ScoreRow) -> str:
    at = {cell.column: cell for cell in row.cells}
    cells, role = "", ""
    for place, column in enumerate(score.columns):
        cell = at.get(place)
        role = cell.role if cell else role
        shown = role if column.is_known or cell else "not known"
        text = f"{shown} {cell.text}".rstrip() if cell else shown
        said = escape(text) if score.place >= 0 else escape(cell.text if cell else "")
        cells += f'<td role="gridcell">{f"<b>{said}</b>, made it compile" if cell and cell.is_cause else said}</td>'
    return cells
