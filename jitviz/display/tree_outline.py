"""A partition tree as an outline: a line per leaf, its columns aligned with those of its siblings.

In: `Row`s in preorder.  Out: lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ..model import Kind, size
from ..views import DEPTH, FLAG_WORDS, Row, Span
from .wrapped_lines import OutlineLine, align, say, strong

TRACED, STATIC = "●", "○"
_WIDEST = 28  # columns
_FEW = 60  # rows that are shown unfolded


def outline_tree(rows: Sequence[Row], indent: int, *, is_diff: bool) -> Iterator[OutlineLine]:
    """A line per row. All nodes of a small tree or of a diff are open, else only the roots."""
    rows = list(_gather_metadata(rows))
    for (depth, is_leaf), group in groupby(rows, key=lambda row: (min(row.depth, DEPTH), row.kind == "leaf")):
        siblings = list(group)
        texts = align([_columns(row) for row in siblings], _WIDEST) if is_leaf else map(_tell_node, siblings)
        for row, text in zip(siblings, texts, strict=True):
            sign = (TRACED if row.role == "traced" else STATIC) + " " if is_leaf else ""
            name = () if is_leaf else (strong(row.name), Span(": "))
            yield say(
                indent + 2 * depth,
                (*name, Span(sign + text)),
                hang=4,
                marks=tuple(
                    name_kind(mark.kind) + (f": {mark.before} → {mark.after}" if mark.before or mark.after else "")
                    for mark in row.marks
                ),
                is_open=None if is_leaf else is_diff or depth == 0 or len(rows) <= _FEW,
            )


def _gather_metadata(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, with the static metadata of each node merged into one: there is a lot of it, and it rarely matters."""
    for (is_metadata, _), group in groupby(rows, key=lambda row: (row.is_metadata and not row.marks, row.depth)):
        alike = list(group)
        if not is_metadata or len(alike) == 1:
            yield from alike
            continue
        fields = ", ".join(f"{row.name.lstrip('.')}={row.value}" for row in alike)
        yield replace(alike[0], name="treedef", path="", value=fields, is_metadata=False, static=len(alike))


def _columns(row: Row) -> tuple[str, str, str, str]:
    """The name, the type or value, the bytes, and the tags of a leaf."""
    is_traced = row.role == "traced"
    what = row.aval if is_traced else row.value or row.type
    return row.name, what, size(row.nbytes) if is_traced else "", ", ".join(tags(row))


def tags(row: Row) -> tuple[str, ...]:
    """The other properties of a leaf, in a fixed order."""
    words = {flag: word for flag, word in FLAG_WORDS.items() if getattr(row, flag)}
    if row.sharding:
        words["is_committed"] = f"committed to {row.sharding}" if row.is_committed else row.sharding
    return tuple(words.values())


def _tell_node(row: Row) -> str:
    """ "MLP  132 traced, 1.2 MB · 14 static", "None", "removed"."""
    sums = parts(row.traced, row.static, row.nbytes) if row.traced or row.static else ""
    if row.kind == "gone":
        return "removed"
    name = "None" if row.type == "NoneType" else row.type.rpartition(".")[2]
    return "  ".join(filter(None, (name, sums)))


def parts(traced: int, static: int, nbytes: int) -> str:
    """The sums of a subtree: "132 traced, 1.2 MB · 14 static"."""
    pieces = []
    if traced or not static:
        pieces.append(f"{traced:,} traced" + (f", {size(nbytes)}" if nbytes else ""))
    if static:
        pieces.append(f"{static:,} static")
    return " · ".join(pieces)


def name_kind(kind: Kind) -> str:
    """A kind of reason in words."""
    return kind.replace("_", " ")
