"""The partition tree of one version: traced leaves, static leaves, and changes.

In: leaves and nodes of a signature, and the reasons of the compile.  Out: `Partition`, rows in preorder, or as columns.
Must never: make a row that is not shown; of twenty thousand leaves, a few hundred get rows, and all are summed.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

from ..findings.program.places import TextNumbers
from ..model import Leaf, Node, Reason, step_up
from .schema import FLAGS, ROLES, ROW_KINDS, Mark, Partition, Row, RowColumns, WholePartition
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .tree import Branch, build_tree
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
    marks: dict[str, tuple[Mark, ...]] = {}
    for reason in reasons[: limits.reasons]:
        if reason.path and reason.kind != "config_context":
            mark = Mark(reason.kind, *(plain_path(side, 2 * VALUE_CHARS) for side in (reason.before, reason.after)))
            marks[reason.path] = (*marks.get(reason.path, ()), mark)
    homes = _homes(tree, marks)
    chosen = _choose(tree, set(homes.values()), limits, 0 if is_diff else rows)
    placed = {leaf.sharding for leaf in leaves if leaf.sharding}
    sharding = next(iter(placed), "") if len(placed) == 1 else ""  # where all agree, it is shown once
    shaper = _Shaper(chosen, marks, _gone(homes, marks), sharding, frozenset(dropped), frozenset(reused))
    shaped = tuple(shaper.rows(tree, has_more=not is_diff))
    return Partition(
        shaped,
        **_sums([tree]),
        n_more_leaves=len(leaves) - sum(row.kind == "leaf" for row in shaped),
        n_more_marks=max(0, len(reasons) - limits.reasons),
        is_diff=is_diff,
        sharding=plain_path(sharding, VALUE_CHARS),
        note=plain(note, SENTENCE_CHARS),
        transform=transform,
    )


def lay_out(partition: Partition) -> WholePartition:
    """The same with columns instead of rows."""
    rows, texts = partition.rows, TextNumbers()
    marked = {line: row.marks for line, row in enumerate(rows) if row.marks}
    columns = RowColumns(
        kind=tuple(ROW_KINDS.index(row.kind) for row in rows),
        depth=tuple(row.depth for row in rows),
        name=tuple(texts[row.name] for row in rows),
        path=tuple(texts[row.path] for row in rows),
        type=tuple(texts[row.type] for row in rows),
        role=tuple(-1 if row.role is None else ROLES.index(row.role) for row in rows),
        aval=tuple(texts[row.aval] for row in rows),
        value=tuple(texts[row.value] for row in rows),
        traced=tuple(row.traced for row in rows),
        static=tuple(row.static for row in rows),
        nbytes=tuple(float(row.nbytes) for row in rows),
        sharding=tuple(texts[row.sharding] for row in rows),
        flags=tuple(map(_bits, map(attrgetter(*FLAGS), rows))),
        marked=tuple(marked),
        marks=tuple(marked.values()),
        texts=tuple(texts),
    )
    return WholePartition(replace(partition, rows=()), columns)


@cache
def _bits(flags: tuple[bool, ...]) -> int:
    return sum(flag << bit for bit, flag in enumerate(flags))


def _homes(tree: Branch, marks: dict[str, tuple[Mark, ...]]) -> dict[str, Branch]:
    """For each marked path, its branch or the nearest existing one above it."""
    at = {"": tree} | {branch.item.path: branch for branch in tree.walk()} if marks else {}
    homes = {}
    for path in marks:
        above = path
        while above not in at:
            above = step_up(above)
        homes[path] = at[above]
    return homes


def _gone(homes: dict[str, Branch], marks: dict[str, tuple[Mark, ...]]) -> dict[Branch, list[Row]]:
    """Rows for marked paths that are missing from the tree, by the nearest branch above them."""
    gone: dict[Branch, list[Row]] = defaultdict(list)
    for path, home in homes.items():
        if home.item.path != path:
            name = plain_path(path[len(home.item.path) :], NAME_CHARS)
            gone[home].append(Row("gone", home.depth + 1, name, plain_path(path, SENTENCE_CHARS), marks=marks[path]))
    return gone


def _choose(tree: Branch, marked: set[Branch], limits: Limits, rows: int) -> set[Branch]:
    """What to show: what is marked and all above it, then the rest from the top down, some of each node."""
    if tree.size <= rows:
        return set(tree.walk())
    chosen: set[Branch] = set()
    for branch in marked:
        while branch.parent is not None and branch not in chosen:
            chosen.add(branch)
            branch = branch.parent  # climbs
    share = limits.children
    while len(chosen) < rows and share < 2 * tree.size:
        queue = deque([tree])
        while queue and len(chosen) < rows:
            below = queue.popleft().below
            hidden = [branch for branch in below if branch not in chosen]
            n_more = min(share - len(below) + len(hidden), rows - len(chosen))
            chosen.update(hidden[: max(0, n_more)])
            queue.extend(branch for branch in below if branch in chosen)
        share *= 2  # there is room left: big nodes get more of it in the next round
    return chosen


def _sums(branches: Iterable[Branch]) -> dict[str, Any]:
    columns = zip(*((branch.traced, branch.static, branch.nbytes) for branch in branches), strict=True)
    return dict(zip(("traced", "static", "nbytes"), map(sum, columns), strict=True))


@dataclass(frozen=True)
class _Shaper:
    """Makes rows of the chosen branches."""

    chosen: set[Branch]
    marks: dict[str, tuple[Mark, ...]]
    gone: dict[Branch, list[Row]]
    sharding: str
    dropped: frozenset[str]
    reused: frozenset[str]

    def rows(self, tree: Branch, *, has_more: bool) -> Iterator[Row]:
        """The chosen branches in preorder; a node's hidden children share one row after the others."""
        stack: list[Branch | Row] = [tree]
        while stack:
            branch = stack.pop()
            if isinstance(branch, Row):
                yield branch
                continue
            if branch is not tree:
                yield self._row(branch)
            yield from self.gone.get(branch, ())
            if not branch.below:
                continue
            shown = [child for child in branch.below if child in self.chosen]
            hidden = [child for child in branch.below if child not in self.chosen]
            # A node without shown children is folded: its own sums tell enough.
            if hidden and has_more and (shown or branch is tree):
                stack.append(Row("more", hidden[0].depth, f"{len(hidden):,} more", "", **_sums(hidden)))
            stack += reversed(shown)

    def _row(self, branch: Branch) -> Row:
        item = branch.item
        common: dict[str, Any] = {
            "depth": branch.depth,
            "name": plain_path(branch.name, NAME_CHARS),
            "path": plain_path(item.path, SENTENCE_CHARS),
            "type": plain(item.type, NAME_CHARS),
            "traced": branch.traced,
            "static": branch.static,
            "nbytes": branch.nbytes,
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
            sharding=plain_path(item.sharding or "", VALUE_CHARS) if is_own_sharding else "",
            is_weak_type=item.weak_type,
            is_committed=bool(item.committed),
            is_donated=item.donated,
            is_dropped=item.path in self.dropped,
            is_reused=item.path in self.reused,
            is_metadata=item.is_metadata,
            **common,
        )
