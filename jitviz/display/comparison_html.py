"""Two recordings compared, as static HTML: two bars on one axis, and a row for each change.

In: the parts of a `Comparison`.  Out: a fragment with inline styles, in colours for light and dark pages.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from ..model import RunChange, What, arrow, seconds
from ..recording import Recording
from ..views import SAVED, SENTENCE_CHARS, Spent, plain, read_spans
from ..views.account_rows import shape_account
from . import palette
from .html import PRE, draw_span

_GRID = "display:grid;grid-template-columns:92px minmax(0,1fr) 128px;gap:2px 12px"
_NUMBER = "text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"


_LEAST = 0.004  # of the bar: narrower parts are not drawn
_SIGNS = {"gone": "✓", "new": "+", "more expensive": "↑", "cheaper": "↓", "program": "≠", "same": "="}


def draw_comparison(*parts: Any) -> str:
    """What `jitviz.compare` returns, as a notebook shows it: its title, recordings, rows and notes."""
    return "".join(_draw(*parts))


def _draw(
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
