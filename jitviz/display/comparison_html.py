"""Two recordings compared, as static HTML: two bars on one axis, and a row for each change.

In: a `Comparison`.  Out: a fragment with inline styles, in colours for light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from ..model.quantities import seconds
from ..views.comparison import ChangeRow, shape_comparison
from ..views.schema import Spent
from ..views.words import read_spans
from . import palette
from .html import PRE, draw_bar, draw_span, fill

_GRID = "display:grid;grid-template-columns:92px minmax(0,1fr) 64px;gap:2px 12px"
_NUMBER = "text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"


def draw_comparison(comparison: Any) -> str:
    """What `jitviz.compare` returns, as a notebook shows it."""
    return "".join(_draw(comparison))


def _draw(comparison: Any) -> Iterator[str]:
    view = shape_comparison(comparison)
    yield '<div style="max-width:1100px;line-height:1.5">'
    yield f'<div style="font-size:140%;font-weight:bold;margin:4px 0 8px">{_prose(view.title)}</div>'
    accounts = [account for account in view.accounts if account is not None]
    longest_s = max((account.wall_s for account in accounts), default=0.0)
    kinds: dict[str, tuple[Spent, list[float]]] = {}
    for place, (name, account) in enumerate(zip(("before", "after"), view.accounts, strict=False)):
        if account is not None:
            width = f"{100 * account.wall_s / longest_s:.1f}%"
            bar = f'<div style="width:{width}">{draw_bar(account)}</div>'
            yield f'<div style="{_GRID};align-items:center"><span>{name}</span><div>{bar}</div>'
            yield f'<span style="{_NUMBER}">{seconds(account.wall_s)}</span></div>'
            for part in (row for row in account.bar if row.depth == 0):
                kinds.setdefault(part.name, (part, [0.0, 0.0]))[1][place] = part.seconds
    yield f'<div style="font-size:85%;margin:4px 0 10px">{" ".join(map(_key, kinds.values()))}</div>'
    for row in view.rows:
        yield from _draw_row(row)
    for note in filter(None, view.notes):
        yield f'<div style="font-size:85%;opacity:.85;margin:6px 0 0">{_prose(note)}</div>'
    yield "</div>"


def _draw_row(row: ChangeRow) -> Iterator[str]:
    colour = palette.COMPILE if row.more_s > 0 else palette.HIT
    yield f'<div style="{_GRID};border-top:1px solid {palette.LINE};padding:6px 0">'
    yield f'<b style="color:{colour}">{escape(row.name)}</b><div>{_prose(row.text)}'
    if row.advice:
        yield f"<div>→ {_prose(row.advice)}</div>"
    if row.code:
        yield f'<details><summary>code to paste</summary><pre style="{PRE}">{escape(row.code)}</pre></details>'
    sign = "+" if row.more_s > 0 else "−"
    yield f'</div><b style="{_NUMBER};color:{colour}">{sign}{seconds(abs(row.more_s))}</b></div>'


def _key(kind: tuple[Spent, list[float]]) -> str:
    """ "■ tracing 0.2 s → 17 s"."""
    part, (before_s, after_s) = kind
    swatch = f'<span style="display:inline-block;width:10px;height:10px;{fill(part)}"></span>'
    told = f"{swatch}&#160;{escape(part.name)} <b>{seconds(before_s)} → {seconds(after_s)}</b>"
    return f'<span style="white-space:nowrap;margin-right:14px">{told}</span>'


def _prose(text: str) -> str:
    return "".join(map(draw_span, read_spans(text)))
