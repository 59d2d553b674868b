"""A quiz as static HTML: each question is a `<details>` with its answer inside, and so is the panel.

In: a `Quiz` and the pieces of a panel.  Out: well-formed HTML.
Must never: need a script to hide an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ..views.schema import Quiz
from . import questions
from .html_prose import draw_prose

_BLOCK = "margin:5px 0"
_INSET = "margin:2px 0 6px 18px"


def draw_quiz(quiz: Quiz, panel: Iterable[str]) -> Iterator[str]:
    """The questions, and below them the panel, folded."""
    yield f'<div style="line-height:1.5"><div style="font-size:115%;{_BLOCK}"><b>{escape(questions.HEADING)}</b></div>'
    for number, (question, sentences) in enumerate(zip(questions.ask(quiz), questions.answer(quiz), strict=True), 1):
        answer = "<br/>".join(map(draw_prose, sentences))
        yield f"<details><summary>{number}. {escape(question)}</summary>"
        yield f'<div style="{_INSET}">{answer}</div></details>'
    if rest := questions.tell_rest(quiz):
        yield f"<div><small>{escape(rest)}</small></div>"
    yield f'<details style="{_BLOCK}"><summary><b>Show the panel</b></summary>'
    yield from panel
    yield "</details></div>"
