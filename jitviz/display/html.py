"""A recording as static HTML that needs nothing: no script, no style sheet, no network, no trust.

In: a `Recording`.  Out: a well-formed fragment of `<details>`, inline styles and graphs as data URIs.
Must never: hold an unescaped text of the user, grow with the recording (a notebook keeps it for every cell), or delay
the end of a cell for a slow picture.

It is the outline that is also drawn as text, with folds and colours. Sanitizers differ in what they leave, so it also
reads well without its styles. Texts take the page's colour.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from typing import get_args

from ..model import TEXT_TITLES, Compile, ListingName, What, count, seconds, size
from ..recording import Recording
from ..views import SAVED, AccountView, GraphView, Panel, Span, Spent, plain, shape_panel
from . import palette
from .answers import UnansweredError, answer, name_question
from .assets import pack_bytes
from .kept_answers import Kept
from .outline import outline_evidence, outline_raised, outline_verdict
from .quiz_outline import outline_folded_quiz
from .wrapped_lines import Line, Look, say

_COLUMNS = 78  # of a timeline: as wide as a notebook on A4
_LEAST = 0.004  # of the bar: narrower parts are not drawn
_BLOCK = "margin:5px 0"
_BELOW = "margin-left:5px;padding-left:12px;border-left:1px dotted #888"
_TREE = "white-space:pre-wrap;overflow-wrap:break-word;font:12px/1.55 monospace"
_MARK = f"background:{palette.GLOW};color:{palette.INK};padding:0 4px;border-radius:3px"
_STYLES: dict[Look, str] = {
    "headline": f"font-size:120%;font-weight:bold;{_BLOCK}",
    "note": f"border-left:3px solid {palette.BAD};padding-left:10px;{_BLOCK}",
    "finding": f"border-top:1px solid {palette.LINE};padding-top:5px;{_BLOCK}",
    "reason": f"border-left:3px solid {palette.GREY};background:{palette.SHADE};padding:4px 10px;margin:6px 0",
    "timeline": "white-space:pre;overflow-x:auto;font:12px/1.5 monospace",
    "tree": _BLOCK,
    "aside": "font-size:12px;opacity:.85",
}


def fragment(recording: Recording, *, has_quiz: bool = False, kept: Kept | None = None) -> str:
    """The panel as HTML, for a notebook's output or any page; by default, a small recording takes less than 25 kB. With
    `has_quiz`, questions come first and the panel is folded. The program texts in `kept` are included, packed."""
    panel = shape_panel(recording, SAVED, has_quiz=has_quiz)
    return draw_fragment(panel if kept is None else replace(panel, not_kept=kept.note), recording, kept)


def draw_fragment(panel: Panel, recording: Recording, kept: Kept | None = None) -> str:
    """A panel, which was shaped to be saved, as HTML."""
    versions = (version for function in panel.functions for version in function.versions)
    listings = ((version.index, listing) for version in versions for listing in version.listings)
    whole = {(index, listing.name) for index, listing in listings if listing.n_shown == listing.n_lines}
    programs = () if kept is None else draw_programs(recording, kept, whole)
    drawn = "".join(_draw(panel, programs))
    if panel.quiz is None:
        return drawn
    quiz = "".join(_draw_lines(outline_folded_quiz(panel.quiz)))
    return f"<div>{quiz}<details><summary><b>Show the panel</b></summary>{drawn}</details></div>"


def _draw(panel: Panel, programs: Iterable[str]) -> Iterator[str]:
    """The panel, and below it the programs."""
    colour = palette.LEVELS[panel.verdict.level]
    yield f'<div style="border-left:4px solid {colour};padding:2px 0 2px 12px;line-height:1.5">'
    yield from _draw_lines(outline_verdict(panel.verdict))
    yield from _draw_lines(outline_raised(panel.raised))
    if panel.account is not None:
        beside = panel.account.beside_bar
        yield f"{draw_bar(panel.account.bar)}<div>{_legend(panel.account)}</div>"
        if beside:
            yield f"<small>{escape(panel.account.beside)}</small>{draw_bar(beside)}"
    yield from _draw_lines(outline_evidence(panel, _COLUMNS))
    yield from programs
    yield "</div>"


def _draw_lines(lines: Iterable[Line]) -> Iterator[str]:
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


def draw_bar(bar: Sequence[Spent]) -> str:
    """Kinds of work as a bar, with a strip above what was avoidable."""
    kinds = [row for row in bar if not row.depth]
    whole_s = sum(row.seconds for row in kinds)
    drawn = (
        f'<span style="width:{100 * row.seconds / whole_s:.1f}%;{fill(row.what)}">{_strip(row)}</span>'
        for row in kinds
        if row.seconds > _LEAST * whole_s
    )
    return f'<div style="display:flex;height:16px;margin:12px 0 4px">{"".join(drawn)}</div>'


def _strip(row: Spent) -> str:
    if not row.avoidable_s:
        return ""
    start = 100 - 100 * row.avoidable_s / row.seconds
    return f'<span style="display:block;height:4px;margin:-6px 0 0 {start:.1f}%;background:{palette.ALARM}"></span>'


def fill(what: What) -> str:
    """The style of what stands for a kind of work. A rim keeps it visible on any page."""
    return f"box-sizing:border-box;border:1px solid {palette.GREY};{palette.background(what)}"


def swatch(what: What) -> str:
    return f'<span style="display:inline-block;width:11px;height:11px;{fill(what)}"></span>'


def _legend(account: AccountView) -> str:
    """The parts of the bar with their functions, on one line."""
    legend, whole = "", ""
    for row in account.bar:
        spent = seconds(row.seconds)
        if row.depth:
            legend += f" <code>{escape(row.name)}</code>" + (f"&#160;{spent}" if spent != whole else "")
            continue
        whole = spent
        legend += f" &#160; {swatch(row.what)}&#160;{escape(row.name)}&#160;<b>{spent}</b>"
    strip = f'<span style="color:{palette.ALARM}">▬</span>'
    avoidable = f"<br/>{strip}&#160;avoidable: {escape(account.avoidable)}" if account.avoidable else ""
    return f"<small>{legend.removeprefix(' &#160; ')}{avoidable}</small>"


# The <pre> of a notebook has margins, a background and a scroll bar of its own.
PRE = "margin:0 0 0 12px;padding:0;background:none;white-space:pre-wrap;font:12px/1.5 monospace"
# Someone waits for the pictures: two of them take a few hundredths of a second.
_MOST_GRAPHS = 2
_MOST_SVG = 40_000  # characters


def draw_programs(recording: Recording, kept: Kept, shown: Container[tuple[int, str]]) -> Iterator[str]:
    """A line for each version with kept texts, except those that are `shown` in full."""
    n_graphs = 0
    for row in recording.compiles:
        name = plain(f"{row.function}, version {row.version}", 100)
        if links := list(_links(row, kept, shown)):
            yield f"<div><small>whole texts of <code>{escape(name)}</code>: {' · '.join(links)}</small></div>"
        # A picture takes as much room as everything else, and some time: it is drawn only if someone called `show`.
        question = {"compile": row.index, "open": None}
        has_graph = not kept.is_bounded and name_question("graph", question) in kept.answers
        if has_graph and n_graphs < _MOST_GRAPHS and (picture := _picture(recording, question, name)):
            n_graphs += 1
            yield f"<details><summary><small>graph of <code>{escape(name)}</code></small></summary>{picture}</details>"


def _links(row: Compile, kept: Kept, shown: Container[tuple[int, str]]) -> Iterator[str]:
    """The texts of a version as download links, packed. An untrusted notebook drops the links."""
    for name in get_args(ListingName):
        packed = kept.answers.get(name_question("listing", {"compile": row.index, "name": name}))
        if packed is not None and (row.index, name) not in shown:
            text = json.loads(gzip.decompress(packed))["text"].encode(errors="replace")
            again = pack_bytes(text, 6)
            file = f"{''.join(filter(str.isalnum, row.function))}-{row.version}.{name}.txt.gz"
            uri = f"data:application/gzip;base64,{b64encode(again).decode()}"
            yield f'<a download="{escape(file)}" href="{uri}">{TEXT_TITLES[name]}</a> ({size(len(text))})'


def _picture(recording: Recording, question: dict[str, int | None], name: str) -> str:
    """The graph as a picture of its own size, or "" if Graphviz is not installed, or it would be too large."""
    from ..views.program.graph import AT_ONCE  # the panels of most cells have no pictures
    from .jaxpr_graph import draw_svg

    with suppress(UnansweredError):
        view: GraphView = answer(recording, "graph", question)
        svg = draw_svg(view.dot) if view.n_nodes <= AT_ONCE else ""
        if 0 < len(svg) <= _MOST_SVG:
            source = b64encode(svg.encode()).decode()
            alt = escape(f"graph of {name}: {count(view.n_nodes, 'node')}")
            image = f'<img alt="{alt}" style="max-width:none" src="data:image/svg+xml;base64,{source}"/>'
            return f'<div style="overflow-x:auto">{image}</div>'
    return ""
