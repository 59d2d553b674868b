"""Static HTML that needs nothing, no script, no style sheet, no network, no trust: of a recording, or of two compared.

In: a `Recording`, or the parts of a `Comparison`.  Out: a well-formed fragment of `<details>` with inline styles.
Must never: hold an unescaped text of the user, or grow with the recording: a notebook keeps it for every cell.

The headline, the score as a picture, and the outline that is also drawn as text, with folds. Sanitizers differ in what
they leave, so it also reads well without its styles. Texts take the page's colour.
"""

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, get_args

from ..model import TEXT_TITLES, Compile, ListingName, RunChange, What, arrow, seconds, size
from ..recording import Recording
from ..views import SAVED, SENTENCE_CHARS, Panel, Span, Spent, plain, read_spans, shape_panel
from ..views.account_rows import shape_account
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
    "note": f"border-left:3px solid {palette.GREY};padding-left:10px;{_BLOCK}",
    "finding": f"border-top:1px solid {palette.LINE};padding-top:5px;{_BLOCK}",
    "reason": f"border-left:3px solid {palette.GREY};padding-left:10px",
    "tree": _BLOCK,
    "aside": "font-size:12px",
}
_GRID = "display:grid;grid-template-columns:92px minmax(0,1fr) 128px;gap:2px 12px"
_NUMBER = "text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"
_LEAST = 0.004  # of the bar of a comparison: narrower parts are not drawn
_SIGNS = {"gone": "✓", "new": "+", "more expensive": "↑", "cheaper": "↓", "program": "≠", "same": "="}


def fragment(recording: Recording) -> str:
    """The panel as HTML, for any page; a small recording takes less than 25 kB."""
    return draw_fragment(shape_panel(recording, SAVED), recording)


def draw_fragment(panel: Panel, recording: Recording, kept: KeptAnswers | None = None, access: Access = IN_HAND) -> str:
    """A panel, which was shaped to be saved, as HTML. If it has a quiz, that comes first and the rest is folded. The
    program texts in `kept` are included, packed. `access` says how its reader gets what it leaves out."""
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


def draw_comparison(*parts: Any) -> str:
    """What `jitviz.compare` returns, as a notebook shows it: its title, recordings, rows and notes."""
    return "".join(_draw_runs(*parts))


def _draw_runs(
    title: str, recordings: Sequence[Recording], rows: Sequence[RunChange], notes: Sequence[str]
) -> Iterator[str]:
    yield '<div style="max-width:1100px;line-height:1.5">'
    colour = palette.BAD if " more:" in title else palette.GOOD
    said = re.sub("(?<=compiled )[^:]+", rf'<span style="color:{colour}">\g<0></span>', _prose(title))
    yield f'<div style="font-size:140%;font-weight:bold;margin:4px 0 8px">{said}</div>'
    accounts = [shape_account(recording, SAVED) for recording in recordings]
    longest_s = max((account.wall_s for account in accounts if account is not None), default=0.0)
    kinds: dict[str, tuple[Spent, list[float]]] = {}
    for place, (name, account) in enumerate(zip(("before", "after"), accounts, strict=False)):
        if account is not None:
            width = f"{100 * account.wall_s / longest_s:.1f}%"
            bar = f'<div style="width:{width}">{_draw_bar(account.bar)}</div>'
            yield f'<div style="{_GRID};align-items:center"><span>{name}</span><div>{bar}</div>'
            yield f'<span style="{_NUMBER}">{seconds(account.wall_s)}</span></div>'
            for part in (row for row in account.bar if row.depth == 0):
                kinds.setdefault(part.name, (part, [0.0, 0.0]))[1][place] = part.seconds
    yield f'<div style="font-size:12px;margin:4px 0 10px">{" ".join(map(_key, kinds.values()))}</div>'
    for row in rows:
        yield from _draw_row(row)
    told = " · ".join(_prose(note) for note in notes)
    style = f"font-size:12px;opacity:.85;border-top:1px solid {palette.LINE};padding:6px 0"
    yield f'<div style="{style}">{told}</div></div>'


def _draw_bar(bar: Sequence[Spent]) -> str:
    """Kinds of work as a bar."""
    kinds = [row for row in bar if not row.depth]
    whole_s = sum(row.seconds for row in kinds)
    drawn = (
        f'<span style="width:{100 * row.seconds / whole_s:.1f}%;{_fill(row.what)}"></span>'
        for row in kinds
        if row.seconds > _LEAST * whole_s
    )
    return f'<div style="display:flex;height:16px;margin:12px 0 4px">{"".join(drawn)}</div>'


def _fill(what: What) -> str:
    """The style of what stands for a kind of work. A rim keeps it visible on any page."""
    return f"box-sizing:border-box;border:1px solid {palette.GREY};{palette.background(what)}"


def _swatch(what: What) -> str:
    return f'<span style="display:inline-block;width:11px;height:11px;{_fill(what)}"></span>'


def _draw_row(row: RunChange) -> Iterator[str]:
    more_s = row.after_s - row.before_s
    colour, sign = (palette.BAD, "+") if more_s > 0 else (palette.GOOD, "\N{MINUS SIGN}")
    told = sign + seconds(abs(more_s))
    if row.kind == "same":
        colour, told = palette.GREY, arrow(row.before_s, row.after_s)
    name = ("slower" if more_s > 0 else "quicker") if row.kind == "phase" else row.kind
    yield f'<div style="{_GRID};border-top:1px solid {palette.LINE};padding:6px 0"><b style="color:{colour}">'
    yield f"{_SIGNS.get(row.kind, '↑' if more_s > 0 else '↓')} {name}</b><div>{_prose(row.text)}"
    if row.advice:
        yield f"<div>→ {_prose(row.advice)}</div>"
    if row.code:
        yield f'<details><summary>code to paste</summary><pre style="{PRE}">{escape(row.code)}</pre></details>'
    yield f'</div><b style="{_NUMBER};color:{colour}">{told}</b></div>'


def _key(kind: tuple[Spent, list[float]]) -> str:
    part, (before_s, after_s) = kind
    told = f"{_swatch(part.what)}&#160;{escape(part.name)} <b>{seconds(before_s)} → {seconds(after_s)}</b>"
    return f'<span style="white-space:nowrap;margin-right:14px">{told}</span>'


def _prose(text: str) -> str:
    return "".join(map(draw_span, read_spans(plain(text, SENTENCE_CHARS))))
