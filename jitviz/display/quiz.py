"""A quiz as text and as HTML, with the answers out of sight.

In: a `Quiz`, and the pieces of a panel.  Out: lines, or well-formed HTML.
Must never: give away an answer in a question, wait for input, or need a script to hide an answer.

In HTML, each question is a `<details>` with its answer inside, and so is the panel. Text cannot hide its answers, so a
gap keeps them off the first screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ..views.schema import Quiz
from ..views.words import count
from .html_prose import BLOCK, INSET, draw_prose
from .layout import wrap

_HEADING = "Quiz: hit or compile, traced or static? Answer first, then look."
_GAP = 20  # lines


def quiz_as_text(quiz: Quiz, width: int) -> Iterator[str]:
    """The numbered questions, a gap, and the answers with the same numbers."""
    yield from wrap(_HEADING, width)
    for number, question in enumerate(_ask(quiz), 1):
        yield from wrap(f"{number}. {question}", width, hanging="   ")
    if rest := _tell_rest(quiz):
        yield from wrap(rest, width)
    yield from ["", "The answers are below.", *["⋮"] * _GAP, ""]
    for number, sentences in enumerate(_answer(quiz), 1):
        for place, sentence in enumerate(sentences):
            yield from wrap(f"{f'{number}. ' if place == 0 else '   '}{sentence}", width, hanging="   ")


def quiz_as_html(quiz: Quiz, panel: Iterable[str]) -> Iterator[str]:
    """The questions, and the folded panel below them."""
    yield f'<div style="line-height:1.5"><div style="font-size:115%;{BLOCK}"><b>{escape(_HEADING)}</b></div>'
    for number, (question, sentences) in enumerate(zip(_ask(quiz), _answer(quiz), strict=True), 1):
        answer = "<br/>".join(map(draw_prose, sentences))
        yield f"<details><summary>{number}. {escape(question)}</summary>"
        yield f'<div style="{INSET}">{answer}</div></details>'
    if rest := _tell_rest(quiz):
        yield f"<div><small>{escape(rest)}</small></div>"
    yield f'<details style="{BLOCK}"><summary><b>Show the panel</b></summary>'
    yield from panel
    yield "</details></div>"


def _ask(quiz: Quiz) -> Iterator[str]:
    """A question for each call, and one for all the leaves."""
    for question in quiz.calls:
        yield f"{_name_call(question.function, question.number, question.source)}: hit or compile?"
    if quiz.leaves:
        leaves = ", ".join(f"{leaf.path} ({leaf.type})" for leaf in quiz.leaves)
        where = _name_call(quiz.function, quiz.call, quiz.source)
        yield f"Which leaves are traced in {where}: {leaves}?"


def _answer(quiz: Quiz) -> Iterator[tuple[str, ...]]:
    """The answers in the same order, each with one or more sentences; backticks mark code."""
    for question in quiz.calls:
        yield (f"{question.truth}. {question.because}".rstrip(),)
    if quiz.leaves:
        yield tuple(f"`{leaf.path}` is {leaf.truth}. {leaf.because}" for leaf in quiz.leaves)


def _name_call(function: str, number: int, source: str) -> str:
    """ "step, call 2 at In [3]:4"."""
    where = f" at {source}" if source else ""
    return f"{function}, call {number:,}{where}"


def _tell_rest(quiz: Quiz) -> str:
    """What is not in the quiz, and what could not be seen, or ""."""
    rest = [count(quiz.n_more_calls, "more call")] if quiz.n_more_calls else []
    if quiz.n_more_leaves:
        rest.append("1 more leaf" if quiz.n_more_leaves == 1 else f"{quiz.n_more_leaves:,} more leaves")
    told = [f"Not in the quiz: {', '.join(rest)}."] if rest else []
    return " ".join([*told, *([quiz.note] if quiz.note else [])])
