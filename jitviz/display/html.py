"""A recording as static HTML that needs nothing: no script, no style sheet, no network, no trust.

In: a `Recording`.  Out: a well-formed fragment of `<details>`, inline styles and graphs as data URIs.
Must never: hold an unescaped text of the user, or grow with the recording: a notebook keeps it for every cell.

Sanitizers differ in what they leave, so each part also reads well without its styles. Texts take the page's colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from itertools import groupby

from ..model import Reason
from ..recording import Recording
from ..views import SAVED, shape_panel
from ..views.schema import FunctionView, Panel, Partition, Verdict, Version
from ..views.words import count, seconds
from . import palette, phrases
from .html_bill import draw_account, draw_findings
from .html_programs import draw_programs
from .html_prose import BLOCK, INSET, PRE, draw_prose, draw_span
from .html_tree import draw_rows, open_details, sign_of
from .keeping import Kept
from .quiz import quiz_as_html
from .rows import STATIC, TRACED, name_kind
from .text_timeline import MARKS, draw_lanes

_FEW_CALLS = 2  # calls of one function that need no timeline
_FEW = 40  # rows of a tree that is not folded
_SIDE_BY_SIDE = "display:flex;flex-wrap:wrap;gap:0 40px"
_CARD = f"border-left:3px solid {palette.LOWER};background:{palette.SHADE};padding:4px 10px;margin:6px 0"
_TIMELINE = "margin:2px 0;font:12px/1.5 monospace;overflow-x:auto"
_COLUMNS = 96  # of a timeline
_COLOURS = {
    MARKS["trace"]: palette.TRACE,
    MARKS["lower"]: palette.LOWER,
    MARKS["compile"]: palette.COMPILE,
    MARKS["run"]: palette.RUN,
    MARKS["jitviz"]: palette.FAINT,
    MARKS["hit"]: palette.HIT,
}


def fragment(recording: Recording, *, has_quiz: bool = False, kept: Kept | None = None) -> str:
    """The panel as HTML, for a notebook's output or any page; by default, a small recording takes less than 25 kB.

    With `has_quiz`, questions come first and the panel is folded. The program texts in `kept` are included, packed.
    """
    panel = shape_panel(recording, SAVED, has_quiz=has_quiz)
    programs: Iterable[str] = ()
    if kept is not None:
        panel = replace(panel, not_kept=kept.note)
        programs = draw_programs(recording, kept, _shown_whole(panel))
    pieces = draw(panel, programs)
    return "".join(pieces if panel.quiz is None else quiz_as_html(panel.quiz, pieces))


def _shown_whole(panel: Panel) -> set[tuple[int, str]]:
    """(compile, name) of the program texts that are shown in full."""
    return {
        (version.index, listing.name)
        for function in panel.functions
        for version in function.versions
        for listing in version.listings
        if not version.is_before and listing.n_shown == listing.n_lines
    }


def draw(panel: Panel, programs: Iterable[str] = ()) -> Iterator[str]:
    """The HTML of a panel, piece by piece; `programs` come below the functions."""
    colour = palette.LEVELS[panel.verdict.level]
    yield f'<div style="border-left:4px solid {colour};padding:2px 0 2px 12px;line-height:1.5">'
    yield from _draw_verdict(panel.verdict, has_findings=bool(panel.findings))
    yield from draw_findings(panel)
    if panel.functions or panel.op_by_op:
        chips = " · ".join(f"<b>{escape(chip.value)}</b> {escape(chip.label)}" for chip in panel.chips)
        yield f'<div style="{BLOCK};opacity:.85"><small>{chips}</small></div>'
        if panel.account is not None and (panel.compiles or panel.op_by_op):
            yield from draw_account(panel.account)
        if len(panel.timeline.call_lane) > _FEW_CALLS or len(panel.timeline.lanes) > 1:
            yield from _draw_timeline(panel)
    for function in panel.functions:
        yield from _draw_function(function, is_open=len(panel.functions) <= 3 and not panel.findings)
    if panel.n_more_functions:
        yield f"<div>{count(panel.n_more_functions, 'more function')}</div>"
    yield from programs
    rest = [f"<b>{escape(heading)}</b> {draw_prose(text)}" for heading, text in phrases.tell_rest(panel)]
    if rest:
        yield f'<div style="{BLOCK};opacity:.85"><small>{"<br/>".join(rest)}</small></div>'
    yield "</div>"


def _draw_verdict(verdict: Verdict, *, has_findings: bool) -> Iterator[str]:
    """The verdict; findings replace its sentence."""
    if verdict.headline:
        aside, told = escape(verdict.aside), escape(phrases.tell_headline(verdict))
        told = told.replace(aside, f'<span style="color:{palette.LOWER}">{aside}</span>', int(bool(aside)))
        yield f'<div style="font-size:125%;{BLOCK}"><b>{told}</b></div>'
    is_told = bool(verdict.headline) and has_findings
    if not is_told:
        sentence = "".join(map(draw_span, verdict.sentence))
        size, sentence = ("100%", sentence) if verdict.headline else ("115%", f"<b>{sentence}</b>")
        yield f'<div style="font-size:{size};{BLOCK}">{sentence}</div>'
    if verdict.advice and not is_told:
        yield f'<div style="{BLOCK}">→ {draw_prose(verdict.advice)}</div>'
    for note in verdict.notes:
        yield f'<div style="{BLOCK}">⚠ {escape(note)}</div>'


def _draw_timeline(panel: Panel) -> Iterator[str]:
    """The timeline of the text, with colours."""
    lines = [f"{escape(name, quote=False)}  {_coloured(cells)}" for name, cells in draw_lanes(panel.timeline, _COLUMNS)]
    if lines:
        legend = " &#160; ".join(f"{_coloured(mark)}&#160;{name}" for name, mark in MARKS.items())
        told = "\n".join(lines)
        yield f'<div style="{BLOCK}"><small>{legend}</small><pre style="{_TIMELINE}">{told}</pre></div>'


def _coloured(marks: str) -> str:
    runs = [(mark, "".join(run)) for mark, run in groupby(marks)]
    return "".join(
        f'<span style="color:{_COLOURS[mark]}">{run}</span>' if mark in _COLOURS else run for mark, run in runs
    )


def _draw_function(function: FunctionView, *, is_open: bool) -> Iterator[str]:
    yield f"{open_details(is_open)}<summary><b><code>{escape(function.name)}</code></b> {escape(function.told)} "
    yield f'<small>{escape(phrases.tell_definition(function))}</small></summary><div style="{INSET}">'
    lines = (phrases.tell_total(function), *phrases.tell_calls(function), *phrases.tell_sites(function))
    yield f'<div style="{BLOCK}">{"<br/>".join(map(escape, filter(None, lines)))}</div>'
    if function.called_with is not None:
        yield from _draw_partition(phrases.tell_called_with(function), function.called_with)
    for version in function.versions:
        n_rows = len(version.inputs.rows) if version.inputs is not None else 0
        yield from _draw_version(version, is_open=not version.is_before and n_rows <= _FEW)
    if function.n_more_versions:
        yield f"<div>{count(function.n_more_versions, 'more version')}</div>"
    yield "</div></details>"


def _draw_version(version: Version, *, is_open: bool) -> Iterator[str]:
    name = escape(version.name)
    spent = seconds(version.duration_s) if version.phases else ""
    yield f"{open_details(is_open)}<summary><b>{name}</b> {spent} "
    yield f'<small>{escape(phrases.tell_version(version))}</small></summary><div style="{INSET}">'
    if version.phases:
        yield f'<div style="{BLOCK}">{_phases(version)}</div>'
    if version.error:
        yield f'<div style="{BLOCK}">failed: {escape(version.error)}</div>'
    for reason in version.reasons:
        yield _reason(reason)
    if version.n_more_reasons:
        yield f"<div>{count(version.n_more_reasons, 'more reason')}</div>"
    yield f'<div style="{_SIDE_BY_SIDE}">'
    if version.inputs is not None:
        yield from _draw_partition("inputs", version.inputs)
    if version.outputs is not None:
        by = f", shaped by {version.outputs.transform}" if version.outputs.transform else ""
        yield from _draw_partition(f"outputs{by}", version.outputs)
    yield "</div>"
    yield from _draw_program(version)
    yield "</div></details>"


def _draw_program(version: Version) -> Iterator[str]:
    """What XLA says of the program, and its texts, folded away."""
    if version.cost:
        yield f'<div style="{BLOCK}">cost: {escape(version.cost, quote=False)}</div>'
    if version.memory:
        yield f'<div style="{BLOCK}">memory: {version.memory}</div>'
    for listing in version.listings:
        head = f"{listing.name} <small>{escape(phrases.tell_listing(listing))}</small>"
        if listing.text:
            text = f'<pre style="{PRE}">{escape(listing.text, quote=False)}</pre>'
            yield f"<details><summary>{head}</summary>{text}</details>"
        else:
            yield f"<div>{head}</div>"


def _phases(version: Version) -> str:
    """The phases, each with its sign in the timeline."""
    told = (f"{_coloured(MARKS[one.name])} {phrases.tell_phases((one,), version.status)}" for one in version.phases)
    return " &#160; ".join(told)


def _reason(reason: Reason) -> str:
    if reason.kind == "first":
        return f'<div style="{BLOCK}">{draw_prose(reason.summary)}</div>'
    expected = " (expected)" if reason.inherent else ""
    advice = f"<br/>→ {draw_prose(reason.advice)}" if reason.advice else ""
    return f'<div style="{_CARD}"><b>{name_kind(reason.kind)}</b>{expected} {draw_prose(reason.summary)}{advice}</div>'


def _draw_partition(heading: str, partition: Partition) -> Iterator[str]:
    sums = escape(phrases.tell_partition(partition))
    for sign in (TRACED, STATIC):
        sums = sums.replace(sign, sign_of(sign), 1)
    yield f'<div style="{BLOCK};max-width:100%"><b>{escape(heading)}</b> <small>{sums}</small>'
    if partition.note:
        yield f"<div>{escape(partition.note)}</div>"
    yield from draw_rows(partition.rows, is_diff=partition.is_diff)
    if left_out := phrases.tell_left_out(partition):
        yield f"<div><small>{left_out}</small></div>"
    yield "</div>"
