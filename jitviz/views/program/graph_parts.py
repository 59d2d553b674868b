"""The nodes of a graph, and how the equations of one level are grouped.

In: a jaxpr as `capture/programs/equations.py` records it, and the nodes of its equations.  Out: `GraphNode`s.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from ...model import count, shortened, split_source

MOST_WIDE = 16  # parts of one level; more are grouped
_TITLE = 36  # characters of a line that names a group


@dataclass(frozen=True)
class GraphNode:
    """A node, or with `items` a cluster. `line` is that of the jaxpr (from 0), or -1.

    The `look` of a node is "input", "constant", "output", "operand" (an input of an inner program), "equation" or
    "closed"; that of a cluster is "program", "group", or "branch" for one of several programs. `closed` is
    the label and look of the node that a cluster becomes, or None if it cannot be closed by itself.
    """

    id: str
    label: str
    look: str
    tooltip: str = ""
    line: int = -1
    items: "list[GraphNode] | None" = None
    closed: tuple[str, str] | None = None

    @property
    def is_end(self) -> bool:
        """Whether it is a cluster of inputs or outputs."""
        return self.closed is not None and self.closed[1] != "closed"


Program: TypeAlias = dict[str, Any]
Part: TypeAlias = tuple[dict[str, Any], GraphNode]  # an equation with its node, or the first of several that have one


class GraphSources:
    """Where equations come from. `sources` are stretches of files ({"file", "first", "text"})."""

    def __init__(self, whole: Program, sources: Sequence[dict[str, Any]]) -> None:
        self._frames: list[Any] = whole.get("frames", [])
        self._stacks: list[Any] = whole.get("stacks", [])
        self._paths: dict[int, tuple[str, ...]] = {}  # of a stack, which many equations have
        self._lines = {
            (block["file"], block["first"] + number): line
            for block in sources
            for number, line in enumerate(block["text"].split("\n"))
        }

    def source(self, equation: dict[str, Any]) -> str:
        """ "In [3]:4", or ""."""
        stack = equation.get("at", -1)
        if stack < 0:
            return str(equation.get("source", ""))
        frame = self._frames[self._stacks[stack][0]]
        return f"{frame[0]}:{frame[2]}"

    def path(self, equation: dict[str, Any]) -> tuple[str, ...]:
        """The call stack, outermost first."""
        at = stack = equation.get("at", -1)
        if at not in self._paths:
            frames: list[str] = []
            while stack >= 0:
                frame, stack = self._stacks[stack]
                label, function, line = self._frames[frame][:3]
                frames.append(f"{function} {label}:{line}")
            self._paths[at] = tuple(reversed(frames))
        return self._paths[at] or (self.source(equation),)

    def title(self, call: str, n: int) -> str:
        """The line of a call of the path, with the number of its equations."""
        function, _, place = call.partition(" ")
        text = self._lines.get(split_source(place), "").strip() or function.rpartition(".")[2]
        return f"{shortened(text, _TITLE)}\n{place}, {count(n, 'equation')}"


def group_level(level: Sequence[Part], places: GraphSources) -> list[GraphNode]:
    """The nodes of one level, at most `MOST_WIDE`."""
    return [node for _, node in _narrow(level, places, 0)]


def _narrow(parts: Sequence[Part], places: GraphSources, depth: int) -> Sequence[Part]:
    """At most `MOST_WIDE` parts: equations of a line are grouped, the outermost call first."""
    if len(parts) <= MOST_WIDE:
        return parts

    def caller(part: Part) -> str:
        path = places.path(part[0])
        return path[depth] if depth < len(path) else ""

    runs = [(call, list(run)) for call, run in groupby(parts, caller)]
    if all(not call for call, _ in runs):
        return _blocks(parts)
    if len(runs) == 1:
        return _narrow(parts, places, depth + 1)
    groups: list[Part] = []
    for call, run in runs:
        if call and len(run) > 1:
            inside, place = _narrow(run, places, depth + 1), call.partition(" ")[2]
            run = [_group(inside, places.title(call, len(run)), place)]
        groups += run
    return _blocks(groups)


def _blocks(parts: Sequence[Part]) -> Sequence[Part]:
    """Parts in order, if nothing else tells how to group them."""
    if len(parts) <= MOST_WIDE:
        return parts
    size = math.ceil(len(parts) / MOST_WIDE)
    return [
        _group(_blocks(parts[begin : begin + size]), f"{begin + 1:,}. to {begin + size:,}.")
        for begin in range(0, len(parts), size)
    ]


def _group(parts: Sequence[Part], title: str, tooltip: str = "") -> Part:
    (equation, first), (_, last) = parts[0], parts[-1]
    name, nodes = f"g{first.id}-{last.id}-{len(parts)}", [node for _, node in parts]
    return equation, GraphNode(name, title, "group", tooltip, first.line, nodes, (title, "closed"))
