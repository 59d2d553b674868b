"""A recording as static HTML that needs nothing: no script, no style sheet, no network, no trust.

In: a `Recording`.  Out: a well-formed fragment of `<details>` with inline styles.
Must never: hold an unescaped text of the user, or grow with the recording: a notebook keeps it for every cell.

The headline, the score as a picture, and the outline that is also drawn as text, with folds. Sanitizers differ in what
they leave, so it also reads well without its styles. Texts take the page's colour.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from typing import get_args

from ..model import TEXT_TITLES, Compile, ListingName, size
from ..recording import Recording
from ..views import SAVED, Panel, Span, plain, shape_panel
from . import palette
from .access import IN_HAND, Access
from .answers import name_question
from .assets import pack_bytes
from .kept_answers import KeptAnswers
from .outline import (
    outline_details,
    outline_findings,
    outline_folded_quiz,
    outline_notes,
    outline_raised,
    outline_verdict,
)
from .score import draw_scores
from .wrapped_lines import Look, OutlineLine, say

_WIDTH = 200  # of a line that is not broken
_BLOCK = "margin:5px 0"
_BELOW = "margin-left:16px"
_TREE = "white-space:pre-wrap;overflow-wrap:break-word;font:12px monospace"
_MARK = f"background:{palette.GLOW};color:{palette.INK};padding:0 4px;border-radius:3px"
_STYLES: dict[Look, str] = {
    "headline": f"font-size:120%;font-weight:bold;{_BLOCK}",
    "note": f"border-left:3px solid {palette.BAD};padding-left:10px;{_BLOCK}",
    "finding": f"border-top:1px solid {palette.LINE};padding-top:5px;{_BLOCK}",
    "reason": f"border-left:3px solid {palette.GREY};padding-left:10px",
    "tree": _BLOCK,
    "aside": "font-size:12px",
}


def fragment(recording: Recording, *, has_quiz: bool = False, kept: KeptAnswers | None = None) -> str:
    """The panel as HTML, for a notebook's output or any page; by default, a small recording takes less than 25 kB. With
    `has_quiz`, questions come first and the panel is folded. The program texts in `kept` are included, packed."""
    panel = shape_panel(recording, SAVED, has_quiz=has_quiz)
    return draw_fragment(panel if kept is None else replace(panel, not_kept=kept.note), recording, kept)


def draw_fragment(panel: Panel, recording: Recording, kept: KeptAnswers | None = None, access: Access = IN_HAND) -> str:
    """A panel, which was shaped to be saved, as HTML. `access` says how its reader gets what it leaves out."""
    programs = () if kept is None else _draw_programs(recording, kept)
    drawn = "".join(_draw(panel, programs, access))
    if panel.quiz is None:
        return drawn
    quiz = "".join(_draw_lines(outline_folded_quiz(panel.quiz)))
    return f"<div>{quiz}<details><summary><b>Show the panel</b></summary>{drawn}</details></div>"


def _draw(panel: Panel, programs: Iterable[str], access: Access) -> Iterator[str]:
    """The panel, and below it the programs."""
    yield "<div>"
    yield from _draw_lines(outline_verdict(panel.verdict))
    yield from _draw_lines(outline_raised(panel.raised))
    yield draw_scores(panel.scores, panel.n_more_scores)
    counted = [finding for finding in panel.findings if not finding.is_also]
    yield from _draw_lines(outline_findings(counted, panel.n_more_findings))
    yield from _draw_lines(outline_notes(panel))
    if details := "".join(_draw_lines(outline_details(panel, _WIDTH, access=access))):
        yield f"<details><summary>everything else</summary>{details}</details>"
    yield from programs
    yield "</div>"


def _draw_lines(lines: Iterable[OutlineLine]) -> Iterator[str]:
    """Lines as blocks, each around the lines that belong to it."""
    lines = list(lines)
    ends: list[tuple[int, str]] = []  # the indents of the blocks that are not closed yet, with their ends
    for line, following in zip(lines, [*lines[1:], say(0)], strict=False):
        while ends and line.indent <= ends[-1][0]:
            yield ends.pop()[1]
        marks = (f' <mark style="{_MARK}">{escape(mark)}</mark>' for mark in line.marks)
        text = "".join([*map(draw_span, line.spans), *marks])
        style = _STYLES.get(line.look, _BLOCK if line.has_gap else "")
        style = f' style="{style}"' if style else ""
        is_head = following.indent > line.indent
        if line.listing:
            listing = f'<pre style="{PRE}">{escape(line.listing, quote=False)}</pre>'
            yield f"<details><summary>{text}</summary>{listing}"
            end = "</details>"
        elif is_head and line.is_open is not None:
            head = '<details open="">' if line.is_open else "<details>"
            yield f"{head}<summary{style}>{text}</summary>"
            end = "</details>"
        else:
            yield f"<div{style}>{text}"
            end = "</div>"
        if is_head:
            yield f'<div style="{_TREE if line.look == "tree" else _BELOW}">'
            end = f"</div>{end}"
        ends.append((line.indent, end))
    yield from (end for _, end in reversed(ends))


def draw_span(span: Span) -> str:
    text = escape(span.text, quote=False)
    if not text.isascii() and (span.is_code or span.is_strong):  # from right to left, it turns nothing around it
        text = f"<bdi>{text}</bdi>"
    text = f"<code>{text}</code>" if span.is_code else text
    return f"<b>{text}</b>" if span.is_strong or span.path else text


# The <pre> of a notebook has margins, a background and a scroll bar of its own.
PRE = "margin:0;padding:0;background:none;white-space:pre-wrap;font:12px monospace"


def _draw_programs(recording: Recording, kept: KeptAnswers) -> Iterator[str]:
    """A line for each version with kept texts."""
    for row in recording.compiles:
        if links := list(_links(row, kept)):
            name = plain(f"{row.function}, version {row.version}", 100)
            yield f"<div><small>whole texts of <code>{escape(name)}</code>: {' · '.join(links)}</small></div>"


def _links(row: Compile, kept: KeptAnswers) -> Iterator[str]:
    """The texts of a version as download links, packed. An untrusted notebook drops the links."""
    for name in get_args(ListingName):
        packed = kept.answers.get(name_question("listing", {"compile": row.index, "name": name}))
        if packed is not None:
            text = json.loads(gzip.decompress(packed))["text"].encode(errors="replace")
            again = pack_bytes(text, 6)
            file = f"{''.join(filter(str.isalnum, row.function))}-{row.version}.{name}.txt.gz"
            uri = f"data:application/gzip;base64,{b64encode(again).decode()}"
            yield f'<a download="{escape(file)}" href="{uri}">{TEXT_TITLES[name]}</a> ({size(len(text))})'
