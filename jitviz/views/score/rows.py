"""The rows of a score: the arguments as a tree, each leaf through all calls.

In: `Column`s.  Out: `ScoreRow`s in preorder; first what is no leaf, but made calls compile.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...model import Kind, Leaf, Reason, step_up
from ..schema import ScoreCell, ScoreRow
from ..screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from ..tree import Branch, build_tree
from ..words import plain, plain_path
from .blocks import Blocks, RowBlock, in_order, tell_block
from .columns import Column
from .leaf_states import States, brief, tell_states, tell_type, tell_varies
from .sheet import CELL_CHARS, Sheet, tell_reasons

# What made calls compile and is no leaf.
_CAUSES: dict[Kind, str] = {
    "new_function": "the function itself",
    "kwargs_vs_args": "how it is called",
    "cache_cleared": "JAX's caches",
    "transform": "the transform around it",
    "config_context": "a setting",
    "unexplained": "cause not seen",
}
_CAUSE_TEXTS: dict[Kind, str] = {"new_function": "new", "cache_cleared": "cleared", "unexplained": "?"}
_FEW_FIELDS = 4


def shape_rows(columns: Sequence[Column], limits: Limits, *, most: int, under: str = "") -> tuple[ScoreRow, ...]:
    """At most about `most` rows; those of what changed come in any case. With `under`, only what is below that path."""
    signatures = [signature for column in columns for signature in column.signatures]
    causes = () if under else tuple(_cause_rows(columns))
    if not signatures:
        return causes
    states = States(signatures, [reason for column in columns for reason in column.reasons])
    tree = build_tree(*states.merged())
    at = {branch.item.path: branch for branch in tree.walk()}
    sheet = Sheet(columns, states, _causes_by_path(columns, at))
    blocks = Blocks(at.get(under, tree) if under else tree, sheet.history)
    roots = blocks.grow(most, limits.children, limits.open_rows)
    return (*causes, *(_shape(block, blocks, sheet) for block in in_order(roots)))


def _is_of_leaf(reason: Reason) -> bool:
    return bool(reason.path) and reason.kind != "config_context"


def _causes_by_path(columns: Sequence[Column], at: Mapping[str, Branch]) -> dict[str, dict[int, list[Reason]]]:
    """The reasons of each column, by the path of the branch at or nearest above what they name."""
    found: defaultdict[str, dict[int, list[Reason]]] = defaultdict(dict)
    for place, column in enumerate(columns):
        for reason in filter(_is_of_leaf, column.reasons):
            path = reason.path
            while path and path not in at:
                path = step_up(path)
            found[path].setdefault(place, []).append(reason)
    return found


def _cause_rows(columns: Sequence[Column]) -> Iterator[ScoreRow]:
    """A row for each setting, and for whatever else made calls compile."""
    found: defaultdict[tuple[Kind, str], dict[int, list[Reason]]] = defaultdict(dict)
    for place, column in enumerate(columns):
        for reason in column.reasons:
            if not _is_of_leaf(reason):
                found[reason.kind, reason.path].setdefault(place, []).append(reason)
    for (kind, path), by_column in found.items():
        cells = [
            ScoreCell(place, "static", _cause_text(reasons[-1]), tell_reasons(reasons), is_cause=True)
            for place, reasons in by_column.items()
        ]
        before = next(iter(by_column.values()))[0].before if kind == "config_context" else ""
        if cells[0].column > 0:
            cells.insert(0, ScoreCell(0, "static", plain(before, CELL_CHARS)))
        yield ScoreRow(
            "cause",
            0,
            plain_path(path, NAME_CHARS) or _CAUSES.get(kind, kind.replace("_", " ")),
            plain_path(path, SENTENCE_CHARS),
            varies=plain(tell_varies([cell.text for cell in cells]), VALUE_CHARS) if before else "",
            has_changed=True,
            cells=tuple(cells),
        )


def _cause_text(reason: Reason) -> str:
    return _CAUSE_TEXTS.get(reason.kind) or plain(reason.after or "changed", CELL_CHARS)


def _shape(block: RowBlock, blocks: Blocks, sheet: Sheet) -> ScoreRow:
    branch, has_changed = block.branch, block.branch in blocks.changed
    row = ScoreRow(
        block.kind,
        block.depth,
        plain_path(block.name, NAME_CHARS),
        plain_path(block.path, SENTENCE_CHARS),
        traced=sum(branch.traced for branch in block.branches),
        static=sum(branch.static for branch in block.branches),
        has_changed=has_changed,
        is_open=block.is_open,
    )
    if block.kind == "more":
        return row
    if block.kind == "fields":
        return replace(row, type=plain(_tell_fields(block), VALUE_CHARS), cells=sheet.constant("static"))
    if not isinstance(branch.item, Leaf):
        what = plain(tell_block(block, blocks.like(branch)), NAME_CHARS)
        return replace(row, type=what, cells=sheet.node_cells(branch, has_changed=has_changed))
    cells = sheet.leaf_cells(branch)
    states = [state for states in sheet.states_of(branch) for state in states]
    return replace(
        row,
        type=plain(tell_type(states) if block.kind == "leaf" else tell_block(block, ""), NAME_CHARS),
        varies=plain(tell_varies(tell_states(states).values()), VALUE_CHARS) if has_changed else "",
        marks=("donated",) if branch.item.donated else (),
        cells=cells,
    )


def _tell_fields(block: RowBlock) -> str:
    """ "in_features 2, use_bias True"."""
    values = [f"{branch.name.lstrip('.')} {brief(branch.item)}" for branch in block.branches[:_FEW_FIELDS]]
    return ", ".join([*values, *["…"] * (len(block.branches) > _FEW_FIELDS)])
