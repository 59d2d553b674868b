"""A quiz as text: questions, a gap to think in, and the answers.

In: a `Quiz`.  Out: lines.
Must never: wait for input. A text cannot hide its answers; the gap keeps them out of sight at first.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..views.schema import Quiz
from . import questions
from .layout import wrap

_GAP = 20  # lines


def draw_quiz(quiz: Quiz, width: int) -> Iterator[str]:
    """The questions by number, and behind the gap the answers by the same numbers."""
    yield from wrap(questions.HEADING, width)
    for number, question in enumerate(questions.ask(quiz), 1):
        yield from wrap(f"{number}. {question}", width, hanging="   ")
    if rest := questions.tell_rest(quiz):
        yield from wrap(rest, width)
    yield from ["", "The answers are below.", *["⋮"] * _GAP, ""]
    for number, sentences in enumerate(questions.answer(quiz), 1):
        for place, sentence in enumerate(sentences):
            yield from wrap(f"{f'{number}. ' if place == 0 else '   '}{sentence}", width, hanging="   ")
