"""The partition tree of one version: traced leaves, static leaves, and changes.

In: leaves and nodes of a signature, and the reasons of the compile.  Out: `Partition`, rows in preorder, or as columns.
Must never: make a row that is not shown; of twenty thousand leaves, a few hundred get rows, and all are summed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

from ..model import Leaf, Node, Reason
from ..model.paths import step_up
from .schema import FLAGS, ROLES, ROW_KINDS, Mark, Partition, Row, RowColumns, WholePartition
from .screen_limits import DEPTH, NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .tree import Tree, build_tree
from .words import aval, plain, plain_path


def shape_partition(
    leaves: Sequence[Leaf],
    nodes: Sequence[Node],
    limits: Limits,
    *,
    rows: int,
    reasons: Sequence[Reason] = (),
    dropped: Sequence[str] = (),
    reused: Sequence[str] = (),
    is_diff: bool = False,
    note: str = "",
    transform: str = "",
) -> Partition:
    """Shape at most about `rows` rows, always including the paths that `reasons` name.

    `dropped` are the paths of inputs that the program does not use; `reused` are those whose buffer became an output.
    With `is_diff`, only the paths that `reasons` name get rows, and the nodes above them.
    """
    tree = build_tree(leaves, nodes)
    marks = _marks(reasons, limits)
    sharding = _common_sharding(leaves)
    homes = _homes(tree, marks)
    chosen = _choose(tree, set(homes.values()), limits, 0 if is_diff else rows)
    shaper = _Shaper(tree, marks, homes, sharding, frozenset(dropped), frozenset(reused))
    shaped = tuple(shaper.rows(chosen, with_more=not is_diff))
    return Partition(
        shaped,
        **tree.sums(tree.children[-1]),
        n_more_leaves=len(leaves) - sum(row.kind == "leaf" for row in shaped),
        n_more_marks=max(0, len(reasons) - limits.reasons),
        is_diff=is_diff,
        sharding=plain(sharding, NAME_CHARS),
        note=plain(note, SENTENCE_CHARS),
        transform=transform,
    )


def lay_out(partition: Partition) -> WholePartition:
    """The same with columns instead of rows."""
    rows, texts = partition.rows, dict[str, int]()

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    marked = {line: row.marks for line, row in enumerate(rows) if row.marks}
    columns = RowColumns(
        kind=tuple(ROW_KINDS.index(row.kind) for row in rows),
        depth=tuple(row.depth for row in rows),
        name=tuple(number(row.name) for row in rows),
        path=tuple(number(row.path) for row in rows),
        type=tuple(number(row.type) for row in rows),
        role=tuple(-1 if row.role is None else ROLES.index(row.role) for row in rows),
        aval=tuple(number(row.aval) for row in rows),
        value=tuple(number(row.value) for row in rows),
        traced=tuple(row.traced for row in rows),
        static=tuple(row.static for row in rows),
        nbytes=tuple(float(row.nbytes) for row in rows),
        sharding=tuple(number(row.sharding) for row in rows),
        flags=tuple(map(_bits, map(attrgetter(*FLAGS), rows))),
        marked=tuple(marked),
        marks=tuple(marked.values()),
        texts=tuple(texts),
    )
    return WholePartition(replace(partition, rows=()), columns)


@cache
def _bits(flags: tuple[bool, ...]) -> int:
    return sum(flag << bit for bit, flag in enumerate(flags))


def _marks(reasons: Sequence[Reason], limits: Limits) -> dict[str, tuple[Mark, ...]]:
    marks: dict[str, tuple[Mark, ...]] = {}
    for reason in reasons[: limits.reasons]:
        if reason.path and reason.kind != "config_context":
            mark = Mark(reason.kind, plain(reason.before, VALUE_CHARS), plain(reason.after, VALUE_CHARS))
            marks[reason.path] = (*marks.get(reason.path, ()), mark)
    return marks


def _common_sharding(leaves: Sequence[Leaf]) -> str:
    """The sharding of all leaves, if those that have one agree; it is shown once instead of at each leaf."""
    seen = {leaf.sharding for leaf in leaves if leaf.sharding}
    return seen.pop() if len(seen) == 1 else ""


def _homes(tree: Tree, marks: dict[str, tuple[Mark, ...]]) -> dict[str, int]:
    """For each marked path, its item or the nearest existing item above it, or -1."""
    at = {item.path: index for index, item in enumerate(tree.item)} if marks else {}
    homes = {}
    for path in marks:
        above = path
        while above and above not in at:
            above = step_up(above)
        homes[path] = at.get(above, -1)
    return homes


def _choose(tree: Tree, marked: set[int], limits: Limits, rows: int) -> set[int]:
    """The items to show: marked ones with their ancestors, then the rest from the top down, some of each node."""
    chosen: set[int] = set()
    for index in marked:
        while index >= 0 and index not in chosen:
            chosen.add(index)
            index = tree.parent[index]
    if len(tree.item) <= rows:
        return set(range(len(tree.item)))
    share = limits.children
    while len(chosen) < rows and share < 2 * len(tree.item):
        queue = deque([-1])
        while queue and len(chosen) < rows:
            children = tree.children.get(queue.popleft(), [])
            hidden = [child for child in children if child not in chosen]
            n_more = min(share - len(children) + len(hidden), rows - len(chosen))
            chosen.update(hidden[: max(0, n_more)])
            queue.extend(child for child in children if child in chosen)
        share *= 2  # there is room left: big nodes get more of it in the next round
    return chosen


@dataclass(frozen=True)
class _Shaper:
    """Makes rows of the chosen items."""

    tree: Tree
    marks: dict[str, tuple[Mark, ...]]
    homes: dict[str, int]
    sharding: str
    dropped: frozenset[str]
    reused: frozenset[str]

    def rows(self, chosen: set[int], *, with_more: bool) -> Iterator[Row]:
        """The chosen items in preorder; a node's hidden children share one row after the others."""
        gone = self._gone()
        yield from gone.pop(-1, ())
        stack = list(reversed(self._visible(-1, chosen, with_more)))
        while stack:
            index = stack.pop()
            if isinstance(index, Row):
                yield index
                continue
            yield self._row(index)
            yield from gone.pop(index, ())
            if isinstance(self.tree.item[index], Node):
                stack += reversed(self._visible(index, chosen, with_more))

    def _visible(self, parent: int, chosen: set[int], with_more: bool) -> list[int | Row]:
        children = self.tree.children.get(parent, [])
        shown: list[int | Row] = [child for child in children if child in chosen]
        hidden = [child for child in children if child not in chosen]
        # A node without shown children is folded: its own sums tell enough.
        if hidden and with_more and (shown or parent < 0):
            depth, name = self._depth(hidden[0]), f"{len(hidden):,} more"
            shown.append(Row("more", depth, name, "", **self.tree.sums(hidden)))
        return shown

    def _depth(self, index: int) -> int:
        return min(self.tree.depth[index], DEPTH)

    def _row(self, index: int) -> Row:
        tree, item = self.tree, self.tree.item[index]
        common: dict[str, Any] = {
            "depth": self._depth(index),
            "name": plain_path(tree.name[index], NAME_CHARS),
            "path": plain_path(item.path, SENTENCE_CHARS),
            "type": plain(item.type, NAME_CHARS),
            "traced": tree.traced[index],
            "static": tree.static[index],
            "nbytes": tree.nbytes[index],
            "marks": self.marks.get(item.path, ()),
        }
        if isinstance(item, Node):
            return Row("node", **common)
        is_own_sharding = bool(item.sharding) and (item.sharding != self.sharding or bool(item.committed))
        return Row(
            "leaf",
            role=item.role,
            aval=plain(aval(item.dtype, item.shape), NAME_CHARS),
            value=plain(item.repr, VALUE_CHARS) if item.role == "static" else "",
            sharding=plain(item.sharding or "", NAME_CHARS) if is_own_sharding else "",
            is_weak_type=item.weak_type,
            is_committed=bool(item.committed),
            is_donated=item.donated,
            is_dropped=item.path in self.dropped,
            is_reused=item.path in self.reused,
            is_metadata=item.is_metadata,
            **common,
        )

    def _gone(self) -> dict[int, list[Row]]:
        """Rows for marked paths that are missing from this tree, by the nearest item above them."""
        gone: dict[int, list[Row]] = defaultdict(list)
        for path, home in self.homes.items():
            above = self.tree.item[home].path if home >= 0 else ""
            if above != path:
                depth = self._depth(home) + 1 if home >= 0 else 0
                name = plain_path(path[len(above) :], NAME_CHARS)
                gone[home].append(Row("gone", depth, name, plain_path(path, SENTENCE_CHARS), marks=self.marks[path]))
        return gone
