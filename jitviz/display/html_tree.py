"""A partition tree as static HTML: nodes fold, leaves stand in aligned lines.

In: `Row`s in preorder.  Out: well-formed HTML.
Must never: recurse, or rely on a style: without any, nodes still fold and lines are still lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ..views.schema import Row
from . import palette
from .layout import align
from .phrases import STATIC, TRACED, leaf_columns, tell_mark, tell_node, tell_sums
from .text_tree import WIDEST

_FEW = 60  # rows that are shown unfolded
_BELOW = "margin:0 0 0 7px;padding:0 0 0 12px;border-left:1px solid " + palette.LINE
_MARK = f"background:{palette.GLOW};color:inherit;padding:0 4px;border-radius:3px"
# The <pre> of a notebook has margins, a background and a scroll bar of its own.
PRE = "margin:0;padding:0;background:none;white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px;line-height:1.5"


def draw_rows(rows: Sequence[Row], *, is_diff: bool) -> Iterator[str]:
    """Nested `<details>`; all open in a small tree or a diff, else only the roots."""
    n_open = 0  # nodes whose <details> is not closed yet
    waiting: list[Row] = []  # lines that will share one <pre>
    for number, row in enumerate(rows):
        if row.depth < n_open or (waiting and row.depth > waiting[-1].depth):
            yield from _draw_lines(waiting)
            waiting = []
        while n_open > row.depth:
            yield "</div></details>"
            n_open -= 1
        if not _has_children(rows, number):
            waiting.append(row)
            continue
        yield from _draw_lines(waiting)
        waiting = []
        is_open = is_diff or row.depth == 0 or len(rows) <= _FEW
        yield f'{open_details(is_open)}<summary>{_summary(row)}</summary><div style="{_BELOW}">'
        n_open += 1
    yield from _draw_lines(waiting)
    yield "</div></details>" * n_open


def open_details(is_open: bool) -> str:
    """The opening tag, in the form that both HTML and XML know."""
    return '<details open="">' if is_open else "<details>"


def _has_children(rows: Sequence[Row], number: int) -> bool:
    return number + 1 < len(rows) and rows[number + 1].depth > rows[number].depth


def _summary(row: Row) -> str:
    return (
        f"<code>{escape(row.name)}</code> {escape(tell_node(row))} <small>{escape(tell_sums(row))}</small>{_marks(row)}"
    )


def _draw_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Rows without children, in one `<pre>`."""
    if not rows:
        return
    lines = align([_columns(row) for row in rows], WIDEST)
    text = "\n".join(f"{_glyph(row)} {escape(line)}{_marks(row)}" for row, line in zip(rows, lines, strict=True))
    yield f'<pre style="{PRE}">{text}</pre>'


def _columns(row: Row) -> tuple[str, str, str, str]:
    if row.kind == "leaf":
        return leaf_columns(row)
    if row.kind == "gone":
        return row.name, "not there any more", "", ""
    return row.name, tell_node(row) or tell_sums(row), "", tell_sums(row) if row.kind == "node" else ""


def _glyph(row: Row) -> str:
    if row.kind != "leaf":
        return "·"
    return sign_of(TRACED if row.role == "traced" else STATIC)


def sign_of(sign: str) -> str:
    """The sign of a role in the colour of that role."""
    return f'<span style="color:{palette.TRACED if sign == TRACED else palette.STATIC}">{sign}</span>'


def _marks(row: Row) -> str:
    return "".join(f' <mark style="{_MARK}">{escape(tell_mark(mark))}</mark>' for mark in row.marks)
