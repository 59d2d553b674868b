"""A partition tree as text: a line per leaf, its columns aligned with those of its siblings.

In: `Row`s in preorder.  Out: lines.
Must never: recurse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..views.schema import Row
from .layout import align, wrap
from .rows import STATIC, TRACED, WIDEST, gather_metadata, leaf_columns, tell_mark, tell_node, tell_sums


def draw_rows(rows: Sequence[Row], width: int, indent: str) -> Iterator[str]:
    """One line per row, or more if it is wider than `width`."""
    for (depth, is_leaf), siblings in groupby(gather_metadata(rows), key=lambda row: (row.depth, row.kind == "leaf")):
        lead = indent + " " * min(2 * depth, width // 3)
        for line in _leaf_lines(list(siblings)) if is_leaf else map(_inner_line, siblings):
            yield from wrap(line, width, lead, lead + "    ")


def _leaf_lines(leaves: Sequence[Row]) -> Iterator[str]:
    for row, line in zip(leaves, align([leaf_columns(row) for row in leaves], WIDEST), strict=True):
        yield f"{TRACED if row.role == 'traced' else STATIC} {line}{_marks(row)}"


def _inner_line(row: Row) -> str:
    if row.kind == "more":
        return f"{row.name}: {tell_sums(row)}"
    if row.kind == "gone":
        return f"{row.name}: removed{_marks(row)}"
    told = "  ".join(filter(None, (tell_node(row), tell_sums(row))))
    return f"{row.name}: {told}{_marks(row)}"


def _marks(row: Row) -> str:
    return "".join(f"  ◄ {tell_mark(mark)}" for mark in row.marks)
