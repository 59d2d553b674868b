"""A recording as text, for terminals, logs and screen readers.

In: a `Recording`.  Out: lines within a given width, with everything that any other display shows.
Must never: use colour or any other control character.
"""

from collections.abc import Iterator
from itertools import chain, islice

from ..recording import Recording
from ..views import TERMINAL, Panel, as_text, shape_panel
from .access import IN_HAND, Access
from .outline import outline_panel, outline_verdict, tell_cost
from .quiz_outline import outline_quiz
from .score_text import outline_scores
from .wrapped_lines import after_gap, say, write

_MOST_LINES = 60  # of the beginning


def render(recording: Recording, width: int = 100, *, has_quiz: bool = False, access: Access = IN_HAND) -> str:
    """The panel as text, `width` terminal columns wide (at least 24). With `has_quiz`, a quiz comes first. No line ends
    in a space, and the text does not end in a newline. `access` says how its reader gets what it leaves out."""
    return "\n".join(_written(shape_panel(recording, TERMINAL, has_quiz=has_quiz), width, recording, access))


def _written(panel: Panel, width: int, recording: Recording | None = None, access: Access = IN_HAND) -> Iterator[str]:
    width = max(24, width)
    lines = outline_panel(panel, width, recording, access)
    return write(lines if panel.quiz is None else chain(outline_quiz(panel.quiz), after_gap(lines)), width)


def render_beginning(recording: Recording, width: int = 100, *, access: Access = IN_HAND) -> str:
    """The first lines: the verdict and the findings."""
    return _beginning(_written(shape_panel(recording, TERMINAL), width, recording, access), access)


def begin_panel(panel: Panel, width: int = 100, *, access: Access = IN_HAND) -> str:
    """The first lines of a panel."""
    return _beginning(_written(panel, width, None, access), access)


def _beginning(written: Iterator[str], access: Access) -> str:
    lines = list(islice(written, _MOST_LINES + 1))
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES - 1 :] = [f"… and more: {access.everything}"]
    return "\n".join(lines)


def summarize(recording: Recording, width: int = 100) -> str:
    """The panel in about ten lines: the verdict, the first finding, the score."""
    panel = shape_panel(recording, TERMINAL)
    lines = list(outline_verdict(panel.verdict))
    for finding in panel.findings[:1]:
        lines.append(say(0, f"{as_text(finding.summary)}: {tell_cost(finding)}", hang=0))
        lines += [say(0, f"→ {finding.advice}")] if finding.advice else []
    return "\n".join(write([*lines, *after_gap(outline_scores(panel.scores, panel.n_more_scores, width))], width))
