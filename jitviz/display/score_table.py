"""A score as a table, for screen readers and for where pictures are not shown.

In: a `Score`.  Out: HTML without styles that a sanitizer would have to leave.
Must never: hold an unescaped text of the user.
"""

from html import escape

from ..views import Score, ScoreRow
from .score_text import tell_type, visible

_STYLE = "font:11px monospace"


def draw_table(score: Score) -> str:
    """A row for each leaf, a column for each call, whose heading says what it was."""
    heads = "".join(f'<th scope="col">{escape(column.label)}</th>' for column in score.columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(row.path or row.name)}</th>{_cells(score, row)}'
        f"<td>{escape(tell_type(row))}</td></tr>"
        for row in visible(score.rows)
        if not row.is_open  # else its leaves tell
    )
    name = f"Calls of `{score.function}`" if score.place >= 0 else score.function
    return (
        f'<div style="overflow-x:auto"><table role="grid" aria-label="{escape(name)}" style="{_STYLE}">'
        f"<tr><th>path</th>{heads}<th>type</th></tr>{rows}</table></div>"
    )


def _cells(score: Score, row: ScoreRow) -> str:
    """What a row is in each column; nothing where it is as in the column before."""
    at = {cell.column: cell for cell in row.cells}
    cells = ""
    for place, column in enumerate(score.columns):
        cell = at.get(place)
        said = "" if cell is None else cell.text if score.place < 0 else f"{cell.role} {cell.text}".rstrip()
        said = escape(said if cell or column.is_known or not row.has_changed else "not known")
        cells += f"<td>{f'<b>{said}</b>, made it compile' if cell and cell.is_cause else said}</td>"
    return cells
