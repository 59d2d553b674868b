"""A quiz as an outline, with the answers out of sight.

In: a `Quiz`.  Out: lines.
Must never: give away an answer in a question, wait for input, or need a script to hide an answer.

HTML folds the answers below their questions. Text cannot hide them, so a gap keeps them off the first screen.
"""

from collections.abc import Iterator

from ..model.quantities import count
from ..views.schema import Quiz
from .wrapped_lines import Line, say

_GAP = 20  # lines


def outline_quiz(quiz: Quiz) -> Iterator[Line]:
    """The numbered questions, a gap, and the answers with the same numbers."""
    questions = list(_questions(quiz))
    yield from _with_rest(quiz, (say(0, f"{number}. {text}", hang=3) for number, text, _ in questions))
    for text in ("", "The answers are below.", *["⋮"] * _GAP, ""):
        yield say(0, text)
    for number, _, answers in questions:
        for place, answer in enumerate(answers):
            yield say(0, f"{'   ' if place else f'{number}. '}{answer}", hang=3)


def outline_folded_quiz(quiz: Quiz) -> Iterator[Line]:
    """The questions, each with its answers folded below it."""
    questions = _questions(quiz)
    lines = (
        line
        for number, text, answers in questions
        for line in (say(0, f"{number}. {text}", is_open=False), *(say(3, answer) for answer in answers))
    )
    yield from _with_rest(quiz, lines)


def _with_rest(quiz: Quiz, lines: Iterator[Line]) -> Iterator[Line]:
    """The lines between a heading and what is not in the quiz, or could not be seen."""
    yield say(0, "Quiz: hit or compile, traced or static? Answer first, then look.", hang=0, look="headline")
    yield from lines
    rest = [(quiz.n_more_calls, "more call"), (quiz.n_more_leaves, "more leaf")]
    left_out = ", ".join(count(number, noun) for number, noun in rest if number)
    if text := " ".join(filter(None, (left_out and f"Not in the quiz: {left_out}.", quiz.note))):
        yield say(0, text, hang=0, look="aside")


def _questions(quiz: Quiz) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """A number, a question and its answers, for each call and for all the leaves; backticks mark code."""
    for number, call in enumerate(quiz.calls, 1):
        answer = f"{call.truth}. {call.because}".rstrip()
        yield number, f"{_name_call(call.function, call.number, call.source)}: hit or compile?", (answer,)
    if quiz.leaves:
        leaves = ", ".join(f"{leaf.path} ({leaf.type})" for leaf in quiz.leaves)
        where = _name_call(quiz.function, quiz.call, quiz.source)
        answers = tuple(f"`{leaf.path}` is {leaf.truth}. {leaf.because}" for leaf in quiz.leaves)
        yield len(quiz.calls) + 1, f"Which leaves are traced in {where}: {leaves}?", answers


def _name_call(function: str, number: int, source: str) -> str:
    """ "step, call 2 at In [3]:4"."""
    where = f" at {source}" if source else ""
    return f"{function}, call {number:,}{where}"
