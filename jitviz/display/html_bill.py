"""The bill as static HTML: what is worth doing, and where the time went.

In: findings and the account of a `Panel`.  Out: well-formed HTML.
Must never: convey by colour what the words beside it do not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..views.schema import AccountView, FindingView, Panel, Spent
from ..views.words import count, seconds
from . import palette, phrases
from .html_prose import draw_prose, draw_span
from .html_tree import open_details

_ROW = f"border-top:1px solid {palette.LINE};padding:5px 0"
_PRE = f"margin:4px 0;padding:6px 10px;background:{palette.SHADE};white-space:pre-wrap;font-size:12px;line-height:1.45"
_FEW_FINDINGS = 1  # that are open
_LEAST = 0.004  # of the bar: narrower parts are not drawn
_COLOURS = {
    "trace": palette.TRACE,
    "lower": palette.LOWER,
    "compile": palette.COMPILE,
    "load": palette.LOAD,
    "op_by_op": palette.OPS,
    "run": palette.HIT,
    "python": palette.RUN,
    "jitviz": palette.FAINT,
}

_FILLS = {what: f"background:{colour}" for what, colour in _COLOURS.items()}
_FILLS["jitviz"] = f"border:1px solid {palette.FAINT}"


def draw_findings(panel: Panel) -> Iterator[str]:
    """A row per cause, most seconds first; the first one is open."""
    for place, found in enumerate(panel.findings):
        yield f'<div style="{_ROW}">{open_details(place < _FEW_FINDINGS)}<summary>'
        spent = f"<b>{seconds(found.seconds)}</b>&#160; " if found.seconds else ""
        yield f"{spent}{''.join(map(draw_span, found.summary))}</summary>"
        yield from _draw_finding(found)
        yield "</details></div>"
    if panel.n_more_findings:
        yield f'<div style="{_ROW}"><small>{count(panel.n_more_findings, "more finding")}</small></div>'


def _draw_finding(found: FindingView) -> Iterator[str]:
    told = "; ".join(filter(None, (found.cost, found.effect)))
    yield f'<div style="opacity:.85"><small>{draw_prose(told)}</small></div>'
    if found.advice:
        yield f"<div>→ {draw_prose(found.advice)}</div>"
    for choice in found.choices:
        told = escape(phrases.tell_choice(choice))
        yield f"<div>{f'<b>{told}</b>' if choice.is_best else told}</div>"
    if found.code:
        yield f'<details><summary>code</summary><pre style="{_PRE}">{escape(found.code, quote=False)}</pre></details>'


def _fill(row: Spent) -> str:
    stripes = f"repeating-linear-gradient(135deg,{palette.LOWER} 0 4px,transparent 4px 7px)"
    return f"background:{stripes}" if row.is_avoidable else _FILLS[row.what]


def draw_account(account: AccountView) -> Iterator[str]:
    """The wall time as a bar, a legend with the functions in it, and a folded list of all its parts."""
    bar, legend, whole = "", list[str](), ""
    for row in account.bar:
        spent = seconds(row.seconds)
        if row.depth:
            legend[-1] += f" <code>{escape(row.name)}</code>" + (f"&#160;{spent}" if spent != whole else "")
            continue
        whole = spent
        if row.seconds > _LEAST * account.wall_s:
            bar += f'<span style="width:{100 * row.seconds / account.wall_s:.1f}%;{_fill(row)}"></span>'
        colour = palette.LOWER if row.is_avoidable else _COLOURS[row.what]
        glyph = "▨" if row.is_avoidable else "□" if row.what == "jitviz" else "■"
        sign = f'<span style="color:{colour}">{glyph}</span>&#160;'
        legend.append(f"{sign}{escape(row.name)}&#160;<b>{spent}</b>")
    yield f'<div style="display:flex;height:14px;margin:8px 0 2px">{bar}</div>'
    yield f"<details><summary><small>{' &#160; '.join(legend)}</small></summary>"
    lines = (f"{'&#160;' * 4 * row.depth}{escape(phrases.tell_spent(row, account))}" for row in account.rows)
    rest = (escape(text) for text in phrases.tell_account_rest(account))
    yield f"<small>Where {seconds(account.wall_s)} went:<br/>{'<br/>'.join((*lines, *rest))}</small></details>"
