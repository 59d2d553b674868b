"""The tree of a signature's leaves and nodes.

In: `Leaf` and `Node` rows, each in flattening order.  Out: the root of a tree of `Branch`es, with sums.
Must never: recurse (a linked list of a thousand nodes is a tree too), or fail on inconsistent rows.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..model import Leaf, Node, step_up


@dataclass(eq=False, slots=True)
class Branch:
    """A leaf or node in a tree. The root stands above the arguments, and has no parent."""

    item: Leaf | Node
    name: str  # the step from the parent, or the whole path of an argument
    parent: "Branch | None"
    depth: int  # 0 for arguments
    below: "list[Branch]" = field(default_factory=list)
    traced: int = 0  # traced leaves in the subtree
    static: int = 0  # static leaves in the subtree
    nbytes: int = 0  # bytes of the arrays in the subtree
    size: int = 0  # branches below it

    def walk(self) -> "Iterator[Branch]":
        """What is below it, in preorder."""
        stack = self.below[::-1]
        while stack:
            branch = stack.pop()
            yield branch
            stack += reversed(branch.below)


_LARGE = 1_000  # leaves
_large: deque[tuple[object, object, Branch]] = deque(maxlen=2)  # the newest: text, HTML and panel need the same tree


def build_tree(leaves: Sequence[Leaf], nodes: Sequence[Node]) -> Branch:
    """Build the tree in linear time. Missing nodes are made from the paths of their leaves."""
    for known_leaves, known_nodes, tree in tuple(_large):
        if known_leaves is leaves and known_nodes is nodes:
            return tree
    tree = _build(leaves, nodes)
    if len(leaves) > _LARGE and isinstance(leaves, tuple) and isinstance(nodes, tuple):  # these cannot change
        _large.append((leaves, nodes, tree))
    return tree


def _build(leaves: Sequence[Leaf], nodes: Sequence[Node]) -> Branch:
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

    return _grow([*_ordered_roots(item_at, parent_of, leaves), *doubles], below)


def _grow(arguments: Sequence[Leaf | Node], below: Mapping[str, Sequence[Leaf | Node]]) -> Branch:
    """The tree of items that are below each other by path."""
    root = Branch(Node("", ""), "", None, -1)
    pairs: list[tuple[Branch, Branch]] = []  # each parent with a child
    stack = [(root, item, item.path or "result") for item in reversed(arguments)]
    while stack:
        parent, item, name = stack.pop()
        branch = Branch(item, name, parent, parent.depth + 1)
        parent.below.append(branch)
        pairs.append((parent, branch))
        if isinstance(item, Node):
            start = len(item.path)
            stack += [(branch, child, child.path[start:]) for child in reversed(below.get(item.path, ()))]
        elif item.role == "traced":
            branch.traced, branch.nbytes = 1, item.nbytes
        else:
            branch.static = 1
    for parent, branch in reversed(pairs):
        parent.traced += branch.traced
        parent.static += branch.static
        parent.nbytes += branch.nbytes
        parent.size += branch.size + 1
    return root


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
