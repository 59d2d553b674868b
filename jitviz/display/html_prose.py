"""Sentences as HTML, and the styles of blocks of text.

In: sentences, in spans or with code in backticks.  Out: well-formed HTML.
Must never: let through a character that is special in HTML.
"""

from __future__ import annotations

from html import escape

from ..views.schema import Span
from ..views.words import read_spans

BLOCK = "margin:5px 0"
INSET = "margin:2px 0 6px 18px"
# The <pre> of a notebook has margins, a background and a scroll bar of its own.
PRE = "margin:0 0 0 12px;padding:0;background:none;white-space:pre-wrap;font-size:12px;line-height:1.5"


def draw_span(span: Span) -> str:
    """A piece of a sentence."""
    text = f"<code>{escape(span.text)}</code>" if span.is_code else escape(span.text)
    return f"<b>{text}</b>" if span.is_strong or span.path else text


def draw_prose(text: str) -> str:
    """A sentence in which backticks mark code."""
    return "".join(map(draw_span, read_spans(text)))
