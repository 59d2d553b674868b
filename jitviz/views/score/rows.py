"""The rows of a score: the arguments as a tree, each leaf through all calls, with a cell wherever it changed.

In: `Column`s.  Out: `ScoreRow`s in preorder; first what is no leaf, but made calls compile.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...model import Kind, Leaf, Node, Reason, step_up
from ..schema import CellRole, ScoreCell, ScoreRow
from ..screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from ..tree import Branch, build_tree
from ..words import plain, plain_path
from .blocks import Blocks, RowBlock, in_order, tell_block
from .columns import Column
from .leaf_states import State, States, brief, key, role_of, span, tell_states, tell_type, tell_varies, whole

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
CELL_CHARS = 12


def shape_rows(columns: Sequence[Column], limits: Limits, *, most: int, under: str = "") -> tuple[ScoreRow, ...]:
    """At most about `most` rows; those of what changed come in any case. With `under`, only what is below that path."""
    signatures = [signature for column in columns for signature in column.signatures]
    causes = () if under else tuple(_cause_rows(columns))
    if not signatures:
        return causes
    states = States(signatures, [reason for column in columns for reason in column.reasons])
    tree = build_tree(*states.merged())
    at = {branch.item.path: branch for branch in tree.walk()}
    sheet = Sheet(columns, states, _causes_by_path(columns, at), _blamed_by_path(columns))
    blocks = Blocks(at.get(under, tree) if under else tree, sheet.history)
    roots = blocks.grow(most, limits.children, limits.open_rows)
    return (*causes, *(_shape(block, blocks, sheet) for block in in_order(roots)))


def _is_of_leaf(reason: Reason) -> bool:
    return bool(reason.path) and reason.kind != "config_context"


def _causes_by_path(columns: Sequence[Column], at: Mapping[str, Branch]) -> dict[str, dict[int, list[Reason]]]:
    """The reasons of each column, by the path of the branch at or nearest above what they name."""
    found: defaultdict[str, dict[int, list[Reason]]] = defaultdict(dict)
    for number, column in enumerate(columns):
        for reason in filter(_is_of_leaf, column.reasons):
            path = reason.path
            while path and path not in at:
                path = step_up(path)
            found[path].setdefault(number, []).append(reason)
    return found


def _blamed_by_path(columns: Sequence[Column]) -> dict[str, dict[int, str]]:
    """What was raised in each column, by the path of each leaf that is to blame for it."""
    found: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for number, column in enumerate(columns):
        raised = column.raised
        if raised is not None:
            for path in (raised.path, *raised.also):
                found[path][number] = raised.summary
    return found


def _cause_rows(columns: Sequence[Column]) -> Iterator[ScoreRow]:
    """A row for each setting, and for whatever else made calls compile."""
    found: defaultdict[tuple[Kind, str], dict[int, list[Reason]]] = defaultdict(dict)
    for number, column in enumerate(columns):
        for reason in column.reasons:
            if not _is_of_leaf(reason):
                found[reason.kind, reason.path].setdefault(number, []).append(reason)
    for (kind, path), by_column in found.items():
        cells = [
            ScoreCell(
                column,
                "static",
                _CAUSE_TEXTS.get(kind) or plain(reasons[-1].after or "changed", CELL_CHARS),
                tell_reasons(reasons),
                is_cause=True,
            )
            for column, reasons in by_column.items()
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


def _shape(block: RowBlock, blocks: Blocks, sheet: "Sheet") -> ScoreRow:
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
    what = tell_type(states) if block.kind == "leaf" else tell_block(block, "")
    texts = tell_states(states).values() if has_changed else ()
    return replace(
        row,
        type=plain("" if what in texts else what, NAME_CHARS),  # of a leaf that comes and goes: "— | f32[4]"
        varies=plain(tell_varies(texts), VALUE_CHARS),
        marks=("donated",) if branch.item.donated else (),
        cells=cells,
    )


def _tell_fields(block: RowBlock) -> str:
    """ "in_features 2, use_bias True"."""
    values = [f"{branch.name.lstrip('.')} {brief(branch.item)}" for branch in block.branches[:_FEW_FIELDS]]
    return ", ".join([*values, *["…"] * (len(block.branches) > _FEW_FIELDS)])


def tell_reasons(reasons: Sequence[Reason]) -> str:
    """ "f32[128] → f32[96]", or a sentence on what happened."""
    sides = (
        f"{reason.before} → {reason.after}" if reason.before or reason.after else reason.summary for reason in reasons
    )
    return plain("; ".join(dict.fromkeys(sides)), SENTENCE_CHARS)


@dataclass
class Sheet:
    """What every branch was in every column. `causes` are the reasons of each column by the path of the branch that
    they are about, and `blamed` is what a column raised, by the paths of the leaves that are to blame for it."""

    columns: Sequence[Column]
    states: States
    causes: Mapping[str, Mapping[int, Sequence[Reason]]]
    blamed: Mapping[str, Mapping[int, str]]
    _beneath: dict[str, set[int]] = field(default_factory=dict)

    def states_of(self, branch: Branch) -> list[list[State]]:
        """What a branch was in each column; nothing where that is unknown."""
        return [[self.states.of(signature, branch.item) for signature in column.signatures] for column in self.columns]

    def history(self, branch: Branch) -> Hashable | None:
        """Equal for branches that changed in the same way; None for those that did not change."""
        path = branch.item.path
        if path not in self.states.varying and path not in self.causes and path not in self.blamed:
            return None
        keys = [key(state) for states in self.states_of(branch) for state in states]
        if isinstance(branch.item, Node):  # what came and went is told by its children
            keys = [parts[:1] for parts in keys]
        columns = (*self.causes.get(path, ()), *self.blamed.get(path, ()))
        return (tuple(keys), columns) if columns or len(set(keys)) > 1 else None

    def constant(self, role: CellRole, text: str = "") -> tuple[ScoreCell, ...]:
        """The cells of a row that never changed."""
        first = next((number for number, column in enumerate(self.columns) if column.signatures), None)
        return () if first is None else (ScoreCell(first, role, text),)

    def leaf_cells(self, branch: Branch) -> tuple[ScoreCell, ...]:
        """Where a leaf differs from the column before, or made a call compile or raise."""
        causes, blamed = self.causes.get(branch.item.path, {}), self.blamed.get(branch.item.path, {})
        if branch.item.path not in self.states.varying and not causes and not blamed:
            is_static = isinstance(branch.item, Leaf) and branch.item.role == "static"
            return self.constant(role_of(branch.item), plain(brief(branch.item), CELL_CHARS) if is_static else "")
        columns, cells, before = self.states_of(branch), list[ScoreCell](), None
        texts = tell_states([state for states in columns for state in states])
        for number, states in enumerate(columns):
            if not states:
                continue
            told = "" if not cells else f"{whole(before)} → {whole(states[-1])}"
            is_marked = number in causes or number in blamed
            if not cells or is_marked or any(key(state) != key(before) for state in states):
                told = tell_reasons(causes[number]) if number in causes else told
                told = plain(blamed[number], SENTENCE_CHARS) if number in blamed else told
                form = next((reason.after for reason in causes.get(number, ()) if reason.kind == "kwargs_vs_args"), "")
                text = form or _join([texts[key(state)] for state in states])
                cells.append(ScoreCell(number, role_of(states[-1]), text, told, number in causes, number in blamed))
            before = states[-1]
        return tuple(cells)

    def node_cells(self, branch: Branch, *, has_changed: bool) -> tuple[ScoreCell, ...]:
        """The share of traced leaves in a node, and where something in it made a call compile or raise."""
        role: CellRole = "mixed" if branch.traced and branch.static else "static" if branch.static else "traced"
        cells = {cell.column: cell for cell in self.constant(role) if branch.traced or branch.static}
        own = self.causes.get(branch.item.path, {})
        for number in sorted(self._marked_beneath(branch.item.path)) if has_changed else ():
            is_blamed = self.columns[number].raised is not None
            state = self.states_of(branch)[number][-1:] if number in own else []
            told = tell_reasons(own[number]) if number in own else ""
            cells[number] = ScoreCell(number, role, _join(list(map(brief, state))), told, not is_blamed, is_blamed)
        return tuple(cells.values())

    def _marked_beneath(self, path: str) -> set[int]:
        """The columns in which what is at a path, or below it, made a call compile or raise."""
        if not self._beneath:
            for home, by_column in (*self.causes.items(), *self.blamed.items()):
                for above in _upwards(home):
                    self._beneath.setdefault(above, set()).update(by_column)
        return self._beneath.get(path, set())


def _upwards(path: str) -> list[str]:
    paths = []
    while path:
        paths.append(path)
        path = step_up(path)
    return paths


def _join(texts: Sequence[str]) -> str:
    """The texts of one column: one, or the first and the last of many."""
    shown = list(dict.fromkeys(texts))
    return plain(shown[0] if len(shown) == 1 else " … ".join(span(shown)), 3 * CELL_CHARS) if shown else ""
