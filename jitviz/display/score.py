"""The score alone: `jitviz.score`.

In: a `Recording`.  Out: a picture that is text where there is none, with a table for those who cannot see it.
Must never: hold an unescaped text of the user.
"""

from html import escape

from ..recording import Recording
from ..recording.recording import check_recordings
from ..views import SAVED, TERMINAL, Score, ScoreRow, shape_panel
from .score_svg import as_image, draw_score
from .score_text import outline_scores, tell_type, visible
from .wrapped_lines import write

_WIDTH = 100
_STYLE = "font:11px monospace"


class ScorePicture:
    """Calls across, leaves down, seconds above: as a picture in a notebook, as text elsewhere."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def __str__(self) -> str:
        """The text, 100 columns wide."""
        panel = shape_panel(self._recording, TERMINAL)
        return "\n".join(write(outline_scores(panel.scores, panel.n_more_scores, _WIDTH), _WIDTH))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        panel = shape_panel(self._recording, SAVED)
        return draw_scores(panel.scores, panel.n_more_scores)


def score(recording: Recording) -> ScorePicture:
    """The score of a recording: the calls of each function across, the leaves of its arguments down, and above each
    call its seconds. The most expensive function is shown whole, each other function in a line.

    >>> print(jitviz.score(rec))

    Returns:
        A value that a notebook shows as a picture. Its `str` says the same as text.

    Raises:
        TypeError: `recording` is not a recording.
    """
    check_recordings((recording,), "score")
    return ScorePicture(recording)


def draw_scores(scores: tuple[Score, ...], n_more: int) -> str:
    """The picture as HTML, and the same as a table for those who cannot see it; "" if nothing was called."""
    if not scores:
        return ""
    first = scores[0]
    alt = f"The calls of {first.function}, as in the table below"
    table = f"<details><summary>as a table</summary>{draw_table(first)}</details>"
    return f"<div>{as_image(draw_score(scores, n_more), alt)}</div>{table}"


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
        did = ("raise" if cell.is_blamed else "compile" * cell.is_cause) if cell else ""
        cells += f"<td>{f'<b>{said}</b>, made it {did}' if did else said}</td>"
    return cells
