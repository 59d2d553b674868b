"""A tree of seconds, and the rows that it becomes.

In: seconds at paths, outer ends first.  Out: `Spent` rows in preorder.
Must never: give a row to each link of a chain that does not branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..findings.account import What
from .schema import Spent
from .words import plain_path

_ALL = 0.99  # of its seconds: what holds so much of what is above it has no row of its own
_PATH_CHARS = 120
_MOST_ABOVE = 3  # lines of a chain that are named beside the one it ends in


@dataclass
class Node:
    """Something that time went into: a line, a pass of XLA's, or what `tell` says, which is asked where it is shown."""

    tell: Callable[[], str] = str
    line: str = ""
    is_pass: bool = False
    seconds: float = 0.0
    below: dict[str, Node] = field(default_factory=dict)

    def child(self, tell: Callable[[], str], key: str) -> Node:
        """The node of this name below it, made where it is new."""
        return self.below.setdefault(key, Node(tell))

    def at_line(self, line: str) -> Node:
        """The node of a line below it."""
        return self.below.setdefault(f"at {line}", Node(line=line))

    def in_pass(self, name: str) -> Node:
        """The node of a pass below it."""
        return self.below.setdefault(f"in {name}", Node(lambda: name, is_pass=True))

    def rows(self, what: What, depth: int, least_s: float) -> Iterator[Spent]:
        """The nodes below it, most seconds first, each before what is below it."""
        for _, node in sorted(self.below.items(), key=lambda item: (-item[1].seconds, item[0])):
            if node.seconds >= least_s:
                chain = list(_chain(node))
                yield Spent(what, depth, _name(chain), node.seconds)
                yield from chain[-1].rows(what, depth + 1, least_s)


def _chain(node: Node) -> Iterator[Node]:
    """A node, and those below it that hold all of it and are of its kind. Where a function was called from one line
    alone, it was all there."""
    yield node
    most = max(node.below.values(), key=lambda one: one.seconds, default=None)
    if most is None:
        return
    is_called = not node.line and not node.is_pass and len(node.below) == 1
    is_all = is_called or most.seconds >= _ALL * node.seconds
    if is_all and (most.is_pass if node.is_pass else most.line):
        yield from _chain(most)


def _name(chain: list[Node]) -> str:
    """The line that a chain ends in, with those above it; the outermost of several passes."""
    lines = [plain_path(node.line, _PATH_CHARS) for node in reversed(chain) if node.line]
    above = [*lines[1 : _MOST_ABOVE + 1], *["…"][: len(lines) > _MOST_ABOVE + 1]]
    place = [f"at {', from '.join([lines[0], *above])}"] if lines else []
    return " ".join([*([] if chain[0].line else [chain[0].tell()]), *place])
