"""The tree of a signature's leaves and nodes.

In: `Leaf` and `Node` rows, each in flattening order.  Out: `Tree`, parallel lists in preorder, with sums.
Must never: recurse (a linked list of a thousand nodes is a tree too), or fail on inconsistent rows.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model import Leaf, Node
from ..model.paths import step_up


@dataclass
class Tree:
    """Entry i of each list belongs to item i; a parent comes before its children.

    `parent` is -1 for roots, and `children[-1]` are the roots. `name` is the step from the parent, or the whole path of
    a root. `traced` and `static` count leaves, `nbytes` sums the traced ones, each over the subtree.
    """

    item: list[Leaf | Node] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    traced: list[int] = field(default_factory=list)
    static: list[int] = field(default_factory=list)
    nbytes: list[int] = field(default_factory=list)
    children: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, item: Leaf | Node, name: str, parent: int, depth: int) -> int:
        """Append an item after its parent, and return its index."""
        self.item.append(item)
        self.name.append(name)
        self.parent.append(parent)
        self.depth.append(depth)
        is_leaf = isinstance(item, Leaf)
        is_traced = isinstance(item, Leaf) and item.role == "traced"
        self.traced.append(int(is_traced))
        self.static.append(int(is_leaf and not is_traced))
        self.nbytes.append(item.nbytes if isinstance(item, Leaf) and is_traced else 0)
        index = len(self.item) - 1
        self.children[parent].append(index)
        return index

    def sums(self, items: Iterable[int]) -> dict[str, Any]:
        """`traced`, `static` and `nbytes` of several items together."""
        items = list(items)
        columns = (("traced", self.traced), ("static", self.static), ("nbytes", self.nbytes))
        return {name: sum(map(column.__getitem__, items)) for name, column in columns}

    def sum_up(self) -> None:
        """Add the counts of the leaves to the nodes above them."""
        for index in range(len(self.item) - 1, -1, -1):
            parent = self.parent[index]
            if parent >= 0:
                self.traced[parent] += self.traced[index]
                self.static[parent] += self.static[index]
                self.nbytes[parent] += self.nbytes[index]


_LARGE = 1_000  # leaves
_large: deque[tuple[object, object, Tree]] = deque(maxlen=2)  # the newest: text, HTML and panel need the same tree


def build_tree(leaves: Sequence[Leaf], nodes: Sequence[Node]) -> Tree:
    """Build the tree in linear time. Missing nodes are made from the paths of their leaves."""
    for known_leaves, known_nodes, tree in tuple(_large):
        if known_leaves is leaves and known_nodes is nodes:
            return tree
    tree = _build(leaves, nodes)
    if len(leaves) > _LARGE and isinstance(leaves, tuple) and isinstance(nodes, tuple):  # these cannot change
        _large.append((leaves, nodes, tree))
    return tree


def _build(leaves: Sequence[Leaf], nodes: Sequence[Node]) -> Tree:
    item_at: dict[str, Leaf | Node] = {node.path: node for node in nodes}
    doubles = [leaf for leaf in leaves if item_at.setdefault(leaf.path, leaf) is not leaf]
    # A child's path is longer than its parent's, so there are no cycles, even if the rows are inconsistent.
    parent_of = {node.path + key: node.path for node in nodes for key in node.keys if key}
    for path in list(item_at):
        while path not in parent_of and (home := step_up(path)):
            # Some outputs come without nodes; the paths tell where the nodes are.
            if not isinstance(item_at.setdefault(home, Node(home, "")), Node):
                break
            parent_of[path] = path = home
    below: defaultdict[str, list[Leaf | Node]] = defaultdict(list)
    for path, home in parent_of.items():
        if path in item_at:
            below[home].append(item_at[path])

    tree = Tree()
    roots = [*_ordered_roots(item_at, parent_of, leaves), *doubles]
    stack = [(root, root.path or "result", -1, 0) for root in reversed(roots)]
    while stack:
        item, name, parent, depth = stack.pop()
        index = tree.add(item, name, parent, depth)
        if isinstance(item, Node):
            start = len(item.path)
            stack += [(child, child.path[start:], index, depth + 1) for child in reversed(below[item.path])]
    tree.sum_up()
    return tree


def _ordered_roots(
    item_at: dict[str, Leaf | Node], parent_of: dict[str, str], leaves: Sequence[Leaf]
) -> list[Leaf | Node]:
    """The roots in the order of the arguments: a node takes the place of its first leaf."""
    first: dict[str, int] = {}
    for number, leaf in enumerate(leaves):
        path = leaf.path
        while path in parent_of:
            path = parent_of[path]
        first.setdefault(path, number)
    roots = [path for path in item_at if path not in parent_of]
    last = -1
    for path in roots:  # a root without leaves (None) stays after the previous root
        last = first.setdefault(path, last)
    return [item_at[path] for path in sorted(roots, key=first.__getitem__)]
