"""The cells of a score's rows.

In: columns, the branches of the argument tree, and what the compiles were for.  Out: `ScoreCell`s where a row changed.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from ...model import Leaf, Node, Reason, step_up
from ..schema import CellRole, ScoreCell
from ..screen_limits import SENTENCE_CHARS
from ..tree import Branch
from ..words import plain
from .columns import Column
from .leaf_states import State, States, brief, key, role_of, span, tell_states, whole

CELL_CHARS = 12


def tell_reasons(reasons: Sequence[Reason]) -> str:
    """ "f32[128] → f32[96]", or a sentence on what happened."""
    sides = (
        f"{reason.before} → {reason.after}" if reason.before or reason.after else reason.summary for reason in reasons
    )
    return plain("; ".join(dict.fromkeys(sides)), SENTENCE_CHARS)


@dataclass
class Sheet:
    """What every branch was in every column. `causes` are the reasons of each column by the path of the branch that
    they are about."""

    columns: Sequence[Column]
    states: States
    causes: Mapping[str, Mapping[int, Sequence[Reason]]]
    _beneath: dict[str, set[int]] = field(default_factory=dict)

    def states_of(self, branch: Branch) -> list[list[State]]:
        """What a branch was in each column; nothing where that is unknown."""
        return [[self.states.of(signature, branch.item) for signature in column.signatures] for column in self.columns]

    def history(self, branch: Branch) -> Hashable | None:
        """Equal for branches that changed in the same way; None for those that did not change."""
        path = branch.item.path
        if path not in self.states.varying and path not in self.causes:
            return None
        keys = [key(state) for states in self.states_of(branch) for state in states]
        if isinstance(branch.item, Node):  # what came and went is told by its children
            keys = [parts[:1] for parts in keys]
        columns = tuple(self.causes.get(path, ()))
        return (tuple(keys), columns) if columns or len(set(keys)) > 1 else None

    def constant(self, role: CellRole, text: str = "") -> tuple[ScoreCell, ...]:
        """The cells of a row that never changed."""
        first = next((place for place, column in enumerate(self.columns) if column.signatures), None)
        return () if first is None else (ScoreCell(first, role, text),)

    def leaf_cells(self, branch: Branch) -> tuple[ScoreCell, ...]:
        """Where a leaf differs from the column before, or made a call compile."""
        causes = self.causes.get(branch.item.path, {})
        if branch.item.path not in self.states.varying and not causes:
            is_static = isinstance(branch.item, Leaf) and branch.item.role == "static"
            return self.constant(role_of(branch.item), plain(brief(branch.item), CELL_CHARS) if is_static else "")
        columns, cells, before = self.states_of(branch), list[ScoreCell](), None
        texts = tell_states([state for states in columns for state in states])
        for place, states in enumerate(columns):
            if not states:
                continue
            told = "" if not cells else f"{whole(before)} → {whole(states[-1])}"
            if not cells or place in causes or any(key(state) != key(before) for state in states):
                told = tell_reasons(causes[place]) if place in causes else told
                form = next((reason.after for reason in causes.get(place, ()) if reason.kind == "kwargs_vs_args"), "")
                text = form or _join([texts[key(state)] for state in states])
                cells.append(ScoreCell(place, role_of(states[-1]), text, told, place in causes))
            before = states[-1]
        return tuple(cells)

    def node_cells(self, branch: Branch, *, has_changed: bool) -> tuple[ScoreCell, ...]:
        """The share of traced leaves in a node, and where something in it made a call compile."""
        role: CellRole = "mixed" if branch.traced and branch.static else "static" if branch.static else "traced"
        cells = {cell.column: cell for cell in self.constant(role) if branch.traced or branch.static}
        own = self.causes.get(branch.item.path, {})
        for place in sorted(self._causes_beneath(branch.item.path)) if has_changed else ():
            state = self.states_of(branch)[place][-1:] if place in own else []
            told = tell_reasons(own[place]) if place in own else ""
            cells[place] = ScoreCell(place, role, _join(list(map(brief, state))), told, is_cause=True)
        return tuple(cells.values())

    def _causes_beneath(self, path: str) -> set[int]:
        """The columns in which what is at a path, or below it, made a call compile."""
        if not self._beneath:
            for home, by_column in self.causes.items():
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
