"""A tree of seconds, and its rows.

In: seconds at paths, outermost first.  Out: `Spent` rows in preorder.
Must never: give each node of an unbranched chain its own row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

from ..model.account import What
from .schema import Spent
from .words import plain_path

NodeKind: TypeAlias = Literal["function", "line", "pass", "fusion"]

_ALL = 0.99  # of a node's seconds: a child that took this much shares its row
_CHARS = 120
_MOST_ABOVE = 3  # callers named beside the innermost line of a chain


@dataclass
class Node:
    """Something that took time. `describe` gives its text; it is called only if the node gets a row."""

    kind: NodeKind = "function"
    describe: Callable[[], str] = str
    seconds: float = 0.0
    below: dict[tuple[NodeKind, str], Node] = field(default_factory=dict)

    def child(self, kind: NodeKind, name: str, describe: Callable[[], str] | None = None) -> Node:
        """The node of this kind and name below it, made if it is new; its text is its name by default."""
        return self.below.setdefault((kind, name), Node(kind, describe or partial(plain_path, name, _CHARS)))

    def rows(self, what: What, depth: int, least_s: float) -> Iterator[Spent]:
        """The nodes below it in preorder, most seconds first."""
        for _, node in sorted(self.below.items(), key=lambda item: (-item[1].seconds, item[0])):
            if node.seconds >= least_s:
                chain = list(_chain(node))
                yield Spent(what, depth, _name(chain), node.seconds)
                yield from chain[-1].rows(what, depth + 1, least_s)


def _chain(node: Node) -> Iterator[Node]:
    """A node, and the lines or passes below it that took all of its time. A function with one caller starts there."""
    yield node
    most = max(node.below.values(), key=lambda one: one.seconds, default=None)
    if most is None or most.kind != ("pass" if node.kind == "pass" else "line"):
        return
    is_only_caller = node.kind == "function" and len(node.below) == 1
    if is_only_caller or most.seconds >= _ALL * node.seconds:
        yield from _chain(most)


def _name(chain: list[Node]) -> str:
    """The innermost line of a chain, with those above it; the outermost of several passes."""
    lines = [node.describe() for node in reversed(chain) if node.kind == "line"]
    above = [*lines[1 : _MOST_ABOVE + 1], *["…"][: len(lines) > _MOST_ABOVE + 1]]
    place = f"at {', from '.join([lines[0], *above])}" if lines else ""
    return " ".join(filter(None, ("" if chain[0].kind == "line" else chain[0].describe(), place)))
