"""The score alone: `jitviz.score`.

In: a `Recording`.  Out: a picture that is text where there is none.
"""

from ..recording import Recording
from ..recording.recording import check_recordings
from ..views import SAVED, TERMINAL, Score, shape_panel
from .score_svg import as_image, draw_score
from .score_table import draw_table
from .score_text import outline_scores
from .wrapped_lines import write

_WIDTH = 100


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
    call its seconds. The most expensive function is whole, the others are a line each.

    >>> print(jitviz.score(rec))

    Returns:
        What a notebook shows as a picture; its `str` is the same as text.

    Raises:
        TypeError: it is no recording.
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
