"""The partition tree of one version: traced leaves, static leaves, and changes.

In: leaves and nodes of a signature, and the reasons of the compile.  Out: `Drawing`: rows in preorder, or columns.
Must never: make a row that is not drawn; of twenty thousand leaves, a few hundred get rows, and all are summed.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ..model import Leaf, Node, Reason
from ..model.paths import step_up
from .limits import DEPTH, NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .schema import FLAGS, ROLES, ROW_KINDS, Mark, Partition, Row, RowColumns, WholePartition
from .tree import Tree, plant
from .words import aval, plain, plain_path

_ALIKE = ("kind", "type", "role", "aval", "value", "traced", "static", "nbytes", "sharding", "flags")


def draw_tree(
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
) -> Drawing:
    """Draw at most about `rows` rows, always including the paths that `reasons` name.

    `dropped` are the paths of inputs that the program does not use; `reused` are those whose buffer became an output.
    With `is_diff`, only the paths that `reasons` name are drawn, with the nodes above them.
    """
    tree = plant(leaves, nodes)
    marks = _marks(reasons, limits)
    sharding = _common_sharding(leaves)
    homes = _homes(tree, marks)
    is_drawn = _choose(tree, set(homes.values()), limits, 0 if is_diff else rows)
    drawer = _Drawer(tree, marks, homes, sharding, frozenset(dropped), frozenset(reused))
    drawn = tuple(drawer.draw(is_drawn, with_more=not is_diff))
    n_drawn = sum(type(one) is int and isinstance(tree.item[one], Leaf) for one in drawn)
    about = Partition(
        **tree.sums(tree.children[-1]),
        n_more_leaves=len(leaves) - n_drawn,
        n_more_marks=max(0, len(reasons) - limits.reasons),
        is_diff=is_diff,
        sharding=plain(sharding, NAME_CHARS),
        note=plain(note, SENTENCE_CHARS),
        transform=transform,
    )
    return Drawing(about, drawer, drawn)


@dataclass(frozen=True)
class Drawing:
    """A tree whose drawn lines have been chosen: items by number, and rows that stand for no item."""

    about: Partition
    drawer: _Drawer
    drawn: Sequence[int | Row]

    def partition(self) -> Partition:
        """The tree with a row for each line."""
        return replace(self.about, rows=tuple(map(self.drawer.row, self.drawn)))

    def whole(self) -> WholePartition:
        """The tree as columns. Of items that differ only in their names, one row is made: there may be thousands."""
        drawer, texts, alike = self.drawer, dict[str, int](), dict[Any, tuple[Any, ...]]()

        def number(text: str) -> int:
            return texts.setdefault(text, len(texts))

        def cells(row: Row) -> tuple[Any, ...]:
            return (
                *(ROW_KINDS.index(row.kind), number(row.type), -1 if row.role is None else ROLES.index(row.role)),
                *(number(row.aval), number(row.value), row.traced, row.static, float(row.nbytes)),
                *(number(row.sharding), sum(getattr(row, flag) << bit for bit, flag in enumerate(FLAGS))),
            )

        found, marked = list[tuple[Any, ...]](), dict[int, tuple[Mark, ...]]()
        depths, names, paths = list[int](), list[int](), list[int]()
        for line, one in enumerate(self.drawn):
            likeness = drawer.likeness(one)
            if likeness is None or likeness not in alike:
                row = drawer.row(one)
                depth, name, path = row.depth, row.name, row.path
                alike[likeness] = cells(row)
                if row.marks:
                    marked[line] = row.marks
            else:
                depth, name, path = drawer.place(cast(int, one))
            found.append(alike[likeness])
            depths.append(depth)
            names.append(number(name))
            paths.append(number(path))
        columns: dict[str, Any] = dict.fromkeys(_ALIKE, ())
        columns |= zip(_ALIKE, zip(*found, strict=True), strict=False)
        columns |= {"depth": tuple(depths), "name": tuple(names), "path": tuple(paths), "texts": tuple(texts)}
        columns |= {"marked": tuple(marked), "marks": tuple(marked.values())}
        return WholePartition(self.about, RowColumns(**columns))


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
    """The items to draw: marked ones with their ancestors, then the rest from the top down, some of each node."""
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
class _Drawer:
    """Makes rows of the chosen items."""

    tree: Tree
    marks: dict[str, tuple[Mark, ...]]
    homes: dict[str, int]
    sharding: str
    dropped: frozenset[str]
    reused: frozenset[str]

    def draw(self, is_drawn: set[int], *, with_more: bool) -> Iterator[int | Row]:
        """The chosen items in preorder; a node's hidden children share one row after the drawn ones."""
        tree = self.tree
        gone = self._gone()
        yield from gone.pop(-1, ())
        stack: list[int | Row] = list(reversed(self._visible(-1, is_drawn, with_more)))
        while stack:
            index = stack.pop()
            if isinstance(index, Row):
                yield index
                continue
            yield index
            yield from gone.pop(index, ())
            if isinstance(tree.item[index], Node):
                stack += reversed(self._visible(index, is_drawn, with_more))

    def _visible(self, parent: int, is_drawn: set[int], with_more: bool) -> list[int | Row]:
        children = self.tree.children.get(parent, [])
        shown: list[int | Row] = [child for child in children if child in is_drawn]
        hidden = [child for child in children if child not in is_drawn]
        # A node without drawn children is folded: its own sums tell enough.
        if hidden and with_more and (shown or parent < 0):
            shown.append(
                Row(
                    kind="more",
                    depth=self._depth(hidden[0]),
                    name=f"{len(hidden):,} more",
                    path="",
                    **self.tree.sums(hidden),
                )
            )
        return shown

    def _depth(self, index: int) -> int:
        return min(self.tree.depth[index], DEPTH)

    def place(self, index: int) -> tuple[int, str, str]:
        """Depth, name and path."""
        name, path = self.tree.name[index], self.tree.item[index].path
        return self._depth(index), plain_path(name, NAME_CHARS), plain_path(path, SENTENCE_CHARS)

    def likeness(self, index: int | Row) -> tuple[object, ...] | None:
        """A key that is equal for items whose rows differ only in their places; None for a unique row."""
        if isinstance(index, Row) or (item := self.tree.item[index]).path in self.marks:
            return None
        if isinstance(item, Node):
            return item.type, self.tree.traced[index], self.tree.static[index], self.tree.nbytes[index]
        return (
            *(item.type, item.role, item.dtype, item.shape, item.itemsize, item.weak_type, item.repr, item.sharding),
            *(item.committed, item.donated, item.is_metadata, item.path in self.dropped, item.path in self.reused),
        )

    def row(self, index: int | Row) -> Row:
        """The row of an item."""
        if isinstance(index, Row):
            return index
        tree, item = self.tree, self.tree.item[index]
        place = (*self.place(index), plain(item.type, NAME_CHARS))
        marks = self.marks.get(item.path, ())
        if isinstance(item, Node):
            return Row(
                "node",
                *place,
                traced=tree.traced[index],
                static=tree.static[index],
                nbytes=tree.nbytes[index],
                marks=marks,
            )
        is_own_sharding = bool(item.sharding) and (item.sharding != self.sharding or bool(item.committed))
        return Row(
            "leaf",
            *place,
            role=item.role,
            aval=plain(aval(item.dtype, item.shape), NAME_CHARS),
            value=plain(item.repr, VALUE_CHARS) if item.role == "static" else "",
            traced=tree.traced[index],
            static=tree.static[index],
            nbytes=tree.nbytes[index],
            sharding=plain(item.sharding or "", NAME_CHARS) if is_own_sharding else "",
            is_weak_type=item.weak_type,
            is_committed=bool(item.committed),
            is_donated=item.donated,
            is_dropped=item.path in self.dropped,
            is_reused=item.path in self.reused,
            is_metadata=item.is_metadata,
            marks=marks,
        )

    def _gone(self) -> dict[int, list[Row]]:
        """Rows for marked paths that are missing from this tree, by the nearest item above them."""
        gone: dict[int, list[Row]] = defaultdict(list)
        for path, home in self.homes.items():
            above = self.tree.item[home].path if home >= 0 else ""
            if above == path:
                continue
            gone[home].append(
                Row(
                    kind="gone",
                    depth=self._depth(home) + 1 if home >= 0 else 0,
                    name=plain_path(path[len(above) :], NAME_CHARS),
                    path=plain_path(path, SENTENCE_CHARS),
                    marks=self.marks[path],
                )
            )
        return gone
