"""The jaxpr of a compile as a graph of its data flow, with inner programs as clusters.

In: a `Compile`, and the ids of what is open.  Out: `Graph`, which `display` draws.
Must never: have too many nodes to read: inner programs are closed first, and `note` says so.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...jaxcompat.texts.names import LOOPS
from ...model import Compile, Leaf
from .graph_parts import Inner, Part, Places, find_parts
from .inputs_outputs import gather, leaves_of_inputs, leaves_of_outputs

MOST_NODES = 1_500
AT_ONCE = 24  # nodes that a screen shows legibly


@dataclass(frozen=True)
class Node:
    """A node, or with `items` an open cluster. `line` is that of the jaxpr (from 0), or -1.

    The `look` of a node is "input", "constant", "output", "operand" (an input of an inner program), "equation" or
    "closed"; that of a cluster is the look of its `Part`, or "branch" for one of several programs.
    """

    id: str
    label: str
    look: str
    tooltip: str = ""
    line: int = -1
    items: list[Node] | None = None


@dataclass(frozen=True)
class Graph:
    """Nodes and clusters, and edges as (from, to): avals. `openable` are the ids of all that can be opened or closed.

    `note` names the parts that were left closed for their size, or is "".
    """

    items: list[Node]
    edges: dict[tuple[str, str], list[str]]
    openable: tuple[str, ...]
    opened: tuple[str, ...]
    n_nodes: int
    note: str


def shape_graph(compile: Compile, opened: Sequence[str] | None = None, *, most_nodes: int = MOST_NODES) -> Graph:
    """The graph of a compile with `opened` open; None opens as much as fits into `most_nodes`, outermost first.

    Whatever is requested, the graph never has more than `MOST_NODES`.

    Raises:
        LookupError: there is no jaxpr, because the trace failed or happened before the recording.
    """
    text = compile.equations
    if text is None:
        raise LookupError(
            f"There is no jaxpr of `{compile.function}`, version {compile.version}: its trace failed, or happened "
            "before the recording. Record the call that compiles it."
        )
    whole, recording = json.loads(text), compile.recording
    sources = json.loads(recording.text(compile.index, "sources") or "[]")
    calls = recording.facts.calls.alike()
    inlined = {call.source: call.function for call, _ in calls if call.outcome == "inlined" and call.source}
    parts = find_parts(whole, Places(whole, sources, inlined))
    wanted = None if opened is None else set(opened)
    most = most_nodes if wanted is None else MOST_NODES
    inputs = _ends("in", leaves_of_inputs(compile, whole))
    outputs = _ends("out", leaves_of_outputs(compile, whole))
    base = len(whole["constants"]) + len(inputs) + len(outputs)
    open_ids, n_nodes, refused = _choose(parts, wanted, base, most)
    for end in (*inputs, *outputs):  # after the inner programs, which come first
        if wanted and end.id in wanted and n_nodes + len(end.places) - 1 <= most:
            open_ids.add(end.id)
            n_nodes += len(end.places) - 1
    drawer = _Drawer(open_ids)
    items = drawer.whole(whole, parts, inputs, outputs)
    return Graph(
        items,
        drawer.edges,
        tuple(drawer.openable),
        tuple(one for one in drawer.openable if one in open_ids),
        n_nodes,
        _tell(refused, most, whole.get("is_cut", False)),
    )


@dataclass(frozen=True)
class _End:
    """An input or output, or a subtree of them, with the places and labels of its leaves."""

    id: str
    label: str
    places: tuple[int, ...]
    labels: tuple[str, ...]


def _ends(kind: str, leaves: Sequence[Leaf | None]) -> list[_End]:
    paths = [leaf.path if leaf else f"{kind}put {place}" for place, leaf in enumerate(leaves)]
    return [
        _End(f"{kind}s{places[0]}", label, tuple(places), tuple(paths[place] for place in places))
        for label, places in gather(paths)
    ]


def _choose(
    parts: Sequence[Part], wanted: set[str] | None, n_nodes: int, most: int
) -> tuple[set[str], int, list[Part]]:
    """The ids of the open parts, the number of nodes, and the parts that stay closed for lack of room."""
    opened: set[str] = set()
    refused: list[Part] = []
    n_nodes += len(parts)
    waiting = deque(part for part in parts if part.is_openable)
    while waiting:
        part = waiting.popleft()
        if wanted is not None and part.id not in wanted:
            continue
        more = _n_inside(part) - 1
        if n_nodes + more > most:
            refused.append(part)
            continue
        n_nodes += more
        opened.add(part.id)
        waiting.extend(child for child in part.children if child.is_openable)
    return opened, n_nodes, refused


def _n_inside(part: Part) -> int:
    """The nodes of an open part in which everything is closed."""
    operands = sum(len(inner.program["inputs"]) for inner in part.inner) if _is_loop(part) else 0
    constants = sum(len(inner.program["constants"]) for inner in part.inner)
    return len(part.children) + operands + constants + (len(part.inner) > 1)


def _is_loop(part: Part) -> bool:
    """Whether a part is a loop: the inputs of its program are slices of its operands, or come from the last round."""
    return part.equation is not None and part.equation["primitive"] in LOOPS


def _tell(refused: Sequence[Part], most: int, is_cut: bool) -> str:
    told = []
    if refused:
        names = [f"`{part.title}`" for part in refused[:3]] + [f"{len(refused) - 3:,} more"] * (len(refused) > 3)
        told.append(f"Closed, because opening them would draw more than {most:,} nodes: {', '.join(names)}.")
    if is_cut:
        told.append("The program has more equations than were recorded; the rest are not drawn.")
    return " ".join(told)


class _Drawer:
    """Goes through the parts in order, and remembers the origin and the aval of each variable."""

    def __init__(self, opened: set[str]) -> None:
        self.edges: dict[tuple[str, str], list[str]] = {}
        self.openable: list[str] = []
        self._opened = opened
        self._from: dict[str, str] = {}
        self._aval: dict[str, str] = {}

    def whole(
        self, program: dict[str, Any], parts: Sequence[Part], inputs: Sequence[_End], outputs: Sequence[_End]
    ) -> list[Node]:
        items: list[Node] = []
        for end in inputs:
            home, node = self._end(items, end, "input")
            for place, label in zip(end.places, end.labels, strict=True):
                name, aval = program["inputs"][place]
                if node is None:
                    home.append(self._source(f"in{place}", name, aval, f"{label}\n{aval}", "input"))
                else:
                    self._from[name], self._aval[name] = node, aval
        self._inside(items, program, parts, "")
        for end in outputs:
            home, node = self._end(items, end, "output")
            for place, label in zip(end.places, end.labels, strict=True):
                name = program["outputs"][place]
                if node is None:
                    home.append(Node(f"out{place}", label, "output"))
                if name not in self._from:  # a literal: an output that the arguments do not change
                    items.append(self._source(f"lit{place}", f"out{place} {name}", "", name, "constant"))
                    name = f"out{place} {name}"
                self._edge(name, node or f"out{place}")
        return items

    def _end(self, items: list[Node], end: _End, look: str) -> tuple[list[Node], str | None]:
        """The list that the leaves of an end are drawn in, and the one node for all of them if it is closed."""
        if len(end.places) == 1:
            return items, None
        self.openable.append(end.id)
        if end.id in self._opened:
            inside: list[Node] = []
            items.append(Node(end.id, end.label, "group", items=inside))
            return inside, None
        items.append(Node(end.id, f"{end.label}\n{len(end.places):,} arrays", look))
        return items, end.id

    def _inside(self, items: list[Node], program: dict[str, Any], parts: Sequence[Part], prefix: str) -> None:
        for place, (name, aval, *called) in enumerate(program["constants"]):
            label = (called[0] if called else "") or "constant"
            items.append(self._source(f"const{prefix}{place}", name, aval, f"{label}\n{aval}", "constant"))
        for part in parts:
            self._part(items, part)

    def _part(self, items: list[Node], part: Part) -> None:
        if part.is_openable:
            self.openable.append(part.id)
        if part.id not in self._opened:
            look = "closed" if part.is_openable else "equation"
            items.append(Node(part.id, part.title, look, part.tooltip, part.line))
            self._connect_closed(part, part.id)
            return
        inside: list[Node] = []
        items.append(Node(part.id, part.title, part.look, part.tooltip, part.line, inside))
        for child in part.parts:
            self._part(inside, child)
        if part.equation is not None:
            self._open(inside, part, part.equation)

    def _connect_closed(self, part: Part, node: str) -> None:
        """Attach the edges of everything in a closed part to its one node."""
        for child in part.parts:
            self._connect_closed(child, node)
        if part.equation is not None:
            for operand in part.equation["in"]:
                self._edge(operand, node)
            self._set_origins(part.equation, node)

    def _set_origins(self, equation: dict[str, Any], node: str) -> None:
        for name, aval in equation["out"]:
            self._from[name], self._aval[name] = node, aval

    def _open(self, items: list[Node], part: Part, equation: dict[str, Any]) -> None:
        if len(part.inner) == 1:
            self._program(items, part, 0, equation)
            self._connect_outputs(items, equation, part)
            return
        taken: set[int] = set()
        for number, inner in enumerate(part.inner):
            branch: list[Node] = []
            items.append(Node(f"{part.id}.{number}", f"{inner.name} {number}", "branch", items=branch))
            taken.update(self._program(branch, part, number, equation))
        # The results of several programs meet in a node of their own, which also takes the operand that selects one.
        node = Node(f"{part.id}.end", part.title, "equation", part.tooltip, part.line)
        items.append(node)
        for place, operand in enumerate(equation["in"]):
            if place not in taken:
                self._edge(operand, node.id)
        for inner in part.inner:
            for name in inner.program["outputs"]:
                self._edge(name, node.id)
        self._set_origins(equation, node.id)

    def _program(self, items: list[Node], part: Part, number: int, equation: dict[str, Any]) -> list[int]:
        """Draw one program of an equation, and return the places of its operands."""
        inner, prefix = part.inner[number], f"{part.id}.{number}."
        places = _operands(equation, inner)
        for place, (name, aval) in enumerate(inner.program["inputs"]):
            operand = equation["in"][places[place]] if place < len(places) else ""
            if operand in self._from and not _is_loop(part):
                self._from[name], self._aval[name] = self._from[operand], self._aval[operand]
                continue
            label = aval if not operand or operand in self._from else f"{operand}\n{aval}"
            items.append(self._source(f"arg{prefix}{place}", name, aval, label, "operand"))
            self._edge(operand, self._from[name])
        self._inside(items, inner.program, inner.parts, prefix)
        return places

    def _connect_outputs(self, items: list[Node], equation: dict[str, Any], part: Part) -> None:
        """Make the outputs of an equation's only program the outputs of the equation."""
        made = part.inner[0].program["outputs"]
        for place, (out, aval) in enumerate(equation["out"]):
            name = made[place] if place < len(made) else ""
            if name not in self._from:  # a literal
                literal = f"{out} literal"
                items.append(self._source(f"lit{part.id}.{place}", literal, aval, name or aval, "constant"))
                name = literal
            self._from[out], self._aval[out] = self._from[name], aval

    def _source(self, node: str, name: str, aval: str, label: str, look: str) -> Node:
        self._from[name], self._aval[name] = node, aval
        return Node(node, label, look)

    def _edge(self, variable: str, node: str) -> None:
        origin = self._from.get(variable)
        if origin is not None and origin != node:  # a literal has none: it is part of the equation
            avals = self.edges.setdefault((origin, node), [])
            if (aval := self._aval.get(variable, "")) not in avals:
                avals.append(aval)


def _operands(equation: dict[str, Any], inner: Inner) -> list[int]:
    """The places of a program's inputs among the operands of its equation.

    They are the last ones: the operand that selects a program comes before them, and in a `while` the constants of its
    other program.
    """
    n_inputs, n_in = len(inner.program["inputs"]), len(equation["in"])
    if equation["primitive"] == "while" and inner.name.startswith("cond"):
        n_carried = len(equation["out"])
        n_constants = n_inputs - n_carried
        return [*range(n_constants), *range(n_in - n_carried, n_in)]
    return list(range(max(0, n_in - n_inputs), n_in))
