"""A partition tree as static HTML: nodes fold, and leaves are aligned lines.

In: `Row`s in preorder.  Out: well-formed HTML.
Must never: recurse, or rely on a style: without any, nodes still fold and lines are still lines.

There are many rows and few bytes, so styles are set once, at the top.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ..views.schema import Row
from . import palette
from .layout import align
from .rows import STATIC, TRACED, WIDEST, gather_metadata, leaf_columns, tell_mark, tell_node, tell_sums

_FEW = 60  # rows that are shown unfolded
_TREE = "white-space:pre-wrap;overflow-wrap:break-word;font:12px/1.55 monospace"
_BELOW = "margin-left:5px;padding-left:12px;border-left:1px dotted #888"
_MARK = f"background:{palette.GLOW};color:{palette.INK};padding:0 4px;border-radius:3px"


def draw_rows(rows: Sequence[Row], *, is_diff: bool) -> Iterator[str]:
    """Nested `<details>`; all open in a small tree or a diff, else only the roots."""
    rows = list(gather_metadata(rows))
    n_open = 0  # nodes whose <details> is not closed yet
    waiting: list[Row] = []  # leaves whose lines are aligned together
    yield f'<div style="{_TREE}">'
    for number, row in enumerate(rows):
        if row.depth < n_open:
            yield _lines(waiting)
            waiting = []
            yield "</div></details>" * (n_open - row.depth)
            n_open = row.depth
        if number + 1 == len(rows) or rows[number + 1].depth <= row.depth:  # it has no children
            waiting.append(row)
            continue
        yield _lines(waiting)
        waiting = []
        is_open = is_diff or row.depth == 0 or len(rows) <= _FEW
        yield f'{open_details(is_open)}<summary>{_summary(row)}</summary><div style="{_BELOW}">'
        n_open += 1
    yield _lines(waiting)
    yield "</div></details>" * n_open + "</div>"


def open_details(is_open: bool) -> str:
    """The opening tag, in a form that is valid in both HTML and XML."""
    return '<details open="">' if is_open else "<details>"


def _summary(row: Row) -> str:
    name, node, sums = (escape(text, quote=False) for text in (row.name, tell_node(row), tell_sums(row)))
    return f"<b>{name}</b> {node} <small>{sums}</small>{_marks(row)}"


def _lines(rows: Sequence[Row]) -> str:
    """Rows without children, a line each. A `<details>` starts a new line by itself."""
    lines = align([_columns(row) for row in rows], WIDEST)
    texts = (escape(line, quote=False) for line in lines)
    return "<br/>".join(f"{_glyph(row)} {text}{_marks(row)}" for row, text in zip(rows, texts, strict=True))


def _columns(row: Row) -> tuple[str, str, str, str]:
    if row.kind == "leaf":
        return leaf_columns(row)
    if row.kind == "gone":
        return row.name, "removed", "", ""
    return row.name, tell_node(row) or tell_sums(row), "", tell_sums(row) if row.kind == "node" else ""


def _glyph(row: Row) -> str:
    if row.kind != "leaf":
        return "·"
    return sign_of(TRACED if row.role == "traced" else STATIC)


def sign_of(sign: str) -> str:
    """The sign of a role in the colour of that role."""
    return f'<b style="color:{palette.TRACED if sign == TRACED else palette.STATIC}">{sign}</b>'


def _marks(row: Row) -> str:
    return "".join(f' <mark style="{_MARK}">{escape(tell_mark(mark))}</mark>' for mark in row.marks)
