"""The rows of a partition tree in words, shared by text and HTML.

In: `Row`s.  Out: rows with metadata merged, and the columns and phrases of each.
Must never: hold markup, or leave out a row with a mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ..model import Kind
from ..views.schema import Mark, Row
from ..views.words import parts, size, tags

TRACED, STATIC = "●", "○"
WIDEST = 28  # columns


def gather_metadata(rows: Sequence[Row]) -> Iterator[Row]:
    """The rows, with the static metadata of each node merged into one: there is a lot of it, and it rarely matters."""
    for (is_metadata, _), group in groupby(rows, key=lambda row: (row.is_metadata and not row.marks, row.depth)):
        alike = list(group)
        if not is_metadata or len(alike) == 1:
            yield from alike
            continue
        said = ", ".join(f"{row.name.lstrip('.')}={row.value}" for row in alike)
        yield replace(alike[0], name="treedef", path="", value=said, is_metadata=False, static=len(alike))


def leaf_columns(row: Row) -> tuple[str, str, str, str]:
    """The name, the type or value, the bytes, and the tags of a leaf."""
    is_traced = row.role == "traced"
    what = row.aval if is_traced else row.value or row.type
    return row.name, what, size(row.nbytes) if is_traced else "", ", ".join(tags(row))


def tell_node(row: Row) -> str:
    """The class of a node without its module, or "None"."""
    return "None" if row.type == "NoneType" else row.type.rpartition(".")[2]


def tell_sums(row: Row) -> str:
    """The sums of the leaves below a node, or ""."""
    return parts(row.traced, row.static, row.nbytes) if row.traced or row.static else ""


def tell_mark(mark: Mark) -> str:
    """The property that changed, with its old and new value."""
    change = f": {mark.before} → {mark.after}" if mark.before or mark.after else ""
    return f"{name_kind(mark.kind)}{change}"


def name_kind(kind: Kind) -> str:
    """A kind of reason in words."""
    return kind.replace("_", " ")
