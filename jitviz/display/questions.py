"""The questions of a quiz and their answers in words, shared by text and HTML.

In: a `Quiz`.  Out: numbered sentences.
Must never: hold markup, or say anything of an answer in a question.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..views.schema import CallQuestion, Quiz
from ..views.words import count

HEADING = "Quiz: hit or compile, traced or static? Answer first, then look."


def ask(quiz: Quiz) -> Iterator[str]:
    """A question for each call, and one for all the leaves."""
    for question in quiz.calls:
        yield f"{name_call(question)}: hit or compile?"
    if quiz.leaves:
        leaves = ", ".join(f"{leaf.path} ({leaf.type})" for leaf in quiz.leaves)
        yield f"Which leaves of the arguments of {quiz.function} are traced: {leaves}?"


def answer(quiz: Quiz) -> Iterator[tuple[str, ...]]:
    """The answers in the same order, each of one sentence or several; backticks mark code."""
    for question in quiz.calls:
        yield (f"{question.truth}. {question.because}".rstrip(),)
    if quiz.leaves:
        yield tuple(f"`{leaf.path}` is {leaf.truth}. {leaf.because}" for leaf in quiz.leaves)


def name_call(question: CallQuestion) -> str:
    """ "step, call 2 at In [3]:4"."""
    where = f" at {question.source}" if question.source else ""
    return f"{question.function}, call {question.number:,}{where}"


def tell_rest(quiz: Quiz) -> str:
    """What is not in the quiz, and what could not be seen; "" if there is nothing to say."""
    rest = [count(quiz.n_more_calls, "more call")] if quiz.n_more_calls else []
    if quiz.n_more_leaves:
        rest.append("1 more leaf" if quiz.n_more_leaves == 1 else f"{quiz.n_more_leaves:,} more leaves")
    told = [f"Not in the quiz: {', '.join(rest)}."] if rest else []
    return " ".join([*told, *([quiz.note] if quiz.note else [])])
