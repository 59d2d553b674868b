"""A quiz as an outline, with the answers out of sight.

In: a `Quiz`.  Out: lines.
Must never: give away an answer in a question, wait for input, or need a script to hide an answer.

HTML folds the answers below their questions. Text cannot hide them, so a gap keeps them off the first screen.
"""

from collections.abc import Iterator

from ..views.schema import Quiz
from .wrapped_lines import OutlineLine, say

_GAP = 20  # lines


def outline_quiz(quiz: Quiz) -> Iterator[OutlineLine]:
    """The numbered questions, a gap, and the answers with the same numbers."""
    yield _heading(quiz)
    for number, question in enumerate(quiz.questions, 1):
        yield say(0, f"{number}. {_ask(question.text)}", hang=3)
    for text in ("", "The answers are below.", *["⋮"] * _GAP, ""):
        yield say(0, text)
    for number, question in enumerate(quiz.questions, 1):
        yield say(0, f"{number}. {question.answer}", hang=3)


def outline_folded_quiz(quiz: Quiz) -> Iterator[OutlineLine]:
    """The questions, each with its answer folded below it."""
    yield _heading(quiz)
    for number, question in enumerate(quiz.questions, 1):
        yield say(0, f"{number}. {_ask(question.text)}", is_open=False)
        yield say(3, question.answer)


def _heading(quiz: Quiz) -> OutlineLine:
    choices = ", ".join(f"`{path}`" for path in quiz.choices)
    return say(0, f"Quiz: one of {choices}. Answer first, then look.", hang=0, look="headline")


def _ask(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}?"
