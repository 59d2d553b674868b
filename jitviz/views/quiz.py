"""Questions to answer before looking at the panel: what made a call compile?

In: the scores of a panel.  Out: `Quiz`, or None if no call compiled again.
Must never: give away an answer in a question.
"""

from collections.abc import Sequence

from .schema import Quiz, QuizQuestion, Score, ScoreColumn, ScoreRow
from .screen_limits import SENTENCE_CHARS, Limits
from .words import plain


def shape_quiz(scores: Sequence[Score], limits: Limits) -> Quiz | None:
    """Ask about the first score in which something changed, a question for each call that compiled for it."""
    for place, score in enumerate(scores):
        if questions := [_ask(score, column) for column in range(len(score.columns)) if _causes(score, column)]:
            return Quiz(place, tuple(questions[: limits.questions]), _choices(score, limits.questions))
    return None


def _causes(score: Score, column: int) -> dict[ScoreRow, str]:
    """The rows that made one call compile, each with what changed; nothing of a column that stands for several."""
    if score.columns[column].kind != "compile":
        return {}
    cells = [(row, cell) for row in score.rows for cell in row.cells if cell.column == column and cell.is_cause]
    told = {row: cell.told for row, cell in cells}
    return {row: text for row, text in told.items() if row.kind in ("leaf", "cause")} or told


def _ask(score: Score, column: int) -> QuizQuestion:
    told = [f"`{row.path or row.name}` {text}".rstrip() for row, text in _causes(score, column).items()]
    return QuizQuestion(
        column, f"what made {_name(score.columns[column])} compile", plain("; ".join(told), SENTENCE_CHARS)
    )


def _name(column: ScoreColumn) -> str:
    return f"call {column.first:,}" if column.first else f"version {column.version}"


def _choices(score: Score, most: int) -> tuple[str, ...]:
    """The paths to choose from: what changed and some others, in the order of the rows."""
    rows = [row for row in score.rows if row.kind in ("leaf", "cause")]
    chosen = sorted(rows, key=lambda row: not row.has_changed)[:most]
    return tuple(row.path or row.name for row in rows if row in chosen)
