"""The jaxpr of a compile as a graph: what flows from where to where, with what is inside of what.

In: a `Compile`, and what is open.  Out: `Graph`, which `display` draws.
Must never: have more nodes than can be looked at: what is inside is closed first, and `note` says so.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...jaxcompat.texts.names import LOOPS
from ...model import Compile, Leaf
from .ends import gather, leaves_of_inputs, leaves_of_outputs
from .graph_parts import Inner, Part, Places, find_parts

MOST_NODES = 1_500
AT_ONCE = 24  # nodes that a screen shows legibly


@dataclass(frozen=True)
class Node:
    """`look` is "input", "constant", "output", "operand" (the input of an inner program), "equation" or "closed"."""

    id: str
    label: str
    look: str
    tooltip: str = ""
    line: int = -1


@dataclass(frozen=True)
class Cluster:
    """Something open, with what is in it. `look` is that of a `Part`, or "branch" for one of several programs."""

    id: str
    label: str
    look: str
    tooltip: str = ""
    line: int = -1
    items: list[Node | Cluster] = field(default_factory=list)


@dataclass(frozen=True)
class Graph:
    """Nodes and clusters, and edges as (from, to): avals. `openable` are the ids of what can be opened or closed.

    `note` says what was left closed because there is too much of it, or is "".
    """

    title: str
    items: list[Node | Cluster]
    edges: dict[tuple[str, str], list[str]]
    openable: tuple[str, ...]
    opened: tuple[str, ...]
    n_nodes: int
    note: str


def shape_graph(
    compile: Compile,
    opened: Sequence[str] | None = None,
    *,
    most_nodes: int = MOST_NODES,
    sources: str = "[]",
    inlined: dict[str, str] | None = None,
) -> Graph:
    """The graph of a compile, with `opened` open; None opens as much as `most_nodes` has room for, the outermost first.

    However much is asked for, what would be over `MOST_NODES` stays closed.
    `sources` is the text of that name of the recording, `inlined` are the names of inlined functions by the place of
    the call.

    Raises:
        LookupError: there is no jaxpr, because the trace failed or was made before the recording.
    """
    text = compile.equations
    if text is None:
        raise LookupError(
            f"There is no jaxpr of `{compile.function}`, version {compile.version}: it failed while it was traced, or "
            "was traced before the recording. Record the call that compiles it."
        )
    whole = json.loads(text)
    parts = find_parts(whole, Places(whole, json.loads(sources), inlined or {}))
    wanted = None if opened is None else set(opened)
    most = most_nodes if wanted is None else MOST_NODES
    inputs = _ends("in", leaves_of_inputs(compile, whole))
    outputs = _ends("out", leaves_of_outputs(compile, whole))
    base = len(whole["constants"]) + len(inputs) + len(outputs)
    open_ids, n_nodes, refused = _choose(parts, wanted, base, most)
    for end in (*inputs, *outputs):  # what is wanted of the program itself comes first
        if wanted and end.id in wanted and n_nodes + len(end.places) - 1 <= most:
            open_ids.add(end.id)
            n_nodes += len(end.places) - 1
    drawer = _Drawer(open_ids)
    items = drawer.whole(whole, parts, inputs, outputs)
    return Graph(
        f"{compile.function}, version {compile.version}",
        items,
        drawer.edges,
        tuple(drawer.openable),
        tuple(one for one in drawer.openable if one in open_ids),
        n_nodes,
        _tell(refused, most, whole.get("is_cut", False)),
    )


@dataclass(frozen=True)
class _End:
    """An input or output, or a subtree of them: `places` are those of its leaves, `labels` theirs."""

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
    """What is open, the number of nodes then, and what was to be open but found no room; outermost first."""
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
    """Nodes of a part that is open, with everything in it closed."""
    operands = sum(len(inner.program["inputs"]) for inner in part.inner) if _is_loop(part) else 0
    constants = sum(len(inner.program["constants"]) for inner in part.inner)
    return len(part.children) + operands + constants + (len(part.inner) > 1)


def _is_loop(part: Part) -> bool:
    """Whether the inputs of its program are not what is handed to it, but a part of that, or of the last round."""
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
    """Goes through the parts in order; remembers which node each variable comes from, and its aval."""

    def __init__(self, opened: set[str]) -> None:
        self.edges: dict[tuple[str, str], list[str]] = {}
        self.openable: list[str] = []
        self._opened = opened
        self._from: dict[str, str] = {}
        self._aval: dict[str, str] = {}

    def whole(
        self, program: dict[str, Any], parts: Sequence[Part], inputs: Sequence[_End], outputs: Sequence[_End]
    ) -> list[Node | Cluster]:
        items: list[Node | Cluster] = []
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

    def _end(self, items: list[Node | Cluster], end: _End, look: str) -> tuple[list[Node | Cluster], str | None]:
        """Where the leaves of an end are drawn; and the one node for all of them, where it is closed."""
        if len(end.places) == 1:
            return items, None
        self.openable.append(end.id)
        if end.id in self._opened:
            items.append(cluster := Cluster(end.id, end.label, "group"))
            return cluster.items, None
        items.append(Node(end.id, f"{end.label}\n{len(end.places):,} arrays", look))
        return items, end.id

    def _inside(self, items: list[Node | Cluster], program: dict[str, Any], parts: Sequence[Part], prefix: str) -> None:
        for place, (name, aval, *called) in enumerate(program["constants"]):
            label = (called[0] if called else "") or "constant"
            items.append(self._source(f"const{prefix}{place}", name, aval, f"{label}\n{aval}", "constant"))
        for part in parts:
            self._part(items, part)

    def _part(self, items: list[Node | Cluster], part: Part) -> None:
        if part.is_openable:
            self.openable.append(part.id)
        if part.id not in self._opened:
            look = "closed" if part.is_openable else "equation"
            items.append(Node(part.id, part.title, look, part.tooltip, part.line))
            self._swallow(part, part.id)
            return
        cluster = Cluster(part.id, part.title, part.look, part.tooltip, part.line)
        items.append(cluster)
        for child in part.parts:
            self._part(cluster.items, child)
        if part.equation is not None:
            self._open(cluster, part, part.equation)

    def _swallow(self, part: Part, node: str) -> None:
        """Everything of a closed part happens in its one node."""
        for child in part.parts:
            self._swallow(child, node)
        if part.equation is not None:
            for operand in part.equation["in"]:
                self._edge(operand, node)
            self._made(part.equation, node)

    def _made(self, equation: dict[str, Any], node: str) -> None:
        for name, aval in equation["out"]:
            self._from[name], self._aval[name] = node, aval

    def _open(self, cluster: Cluster, part: Part, equation: dict[str, Any]) -> None:
        if len(part.inner) == 1:
            self._program(cluster, part, 0, equation)
            self._leave(cluster, equation, part)
            return
        taken: set[int] = set()
        for number, inner in enumerate(part.inner):
            branch = Cluster(f"{part.id}.{number}", f"{inner.name} {number}", "branch")
            cluster.items.append(branch)
            taken.update(self._program(branch, part, number, equation))
        # Which of several programs runs is decided here: their results meet in a node of their own.
        node = Node(f"{part.id}.end", part.title, "equation", part.tooltip, part.line)
        cluster.items.append(node)
        for place, operand in enumerate(equation["in"]):
            if place not in taken:
                self._edge(operand, node.id)
        for inner in part.inner:
            for name in inner.program["outputs"]:
                self._edge(name, node.id)
        self._made(equation, node.id)

    def _program(self, home: Cluster, part: Part, number: int, equation: dict[str, Any]) -> list[int]:
        """One program of an equation; gives the places of the operands that go into it."""
        inner, prefix = part.inner[number], f"{part.id}.{number}."
        places = _operands(equation, inner)
        for place, (name, aval) in enumerate(inner.program["inputs"]):
            operand = equation["in"][places[place]] if place < len(places) else ""
            if operand in self._from and not _is_loop(part):
                self._from[name], self._aval[name] = self._from[operand], self._aval[operand]
                continue
            label = aval if not operand or operand in self._from else f"{operand}\n{aval}"
            home.items.append(self._source(f"arg{prefix}{place}", name, aval, label, "operand"))
            self._edge(operand, self._from[name])
        self._inside(home.items, inner.program, inner.parts, prefix)
        return places

    def _leave(self, cluster: Cluster, equation: dict[str, Any], part: Part) -> None:
        """What comes out of the one program comes out of the equation."""
        made = part.inner[0].program["outputs"]
        for place, (out, aval) in enumerate(equation["out"]):
            name = made[place] if place < len(made) else ""
            if name not in self._from:  # a literal
                literal = f"{out} literal"
                cluster.items.append(self._source(f"lit{part.id}.{place}", literal, aval, name or aval, "constant"))
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
    """Which operands of the equation the inputs of a program are.

    Before them stand what decides which program runs, and of a `while` the constants of its other program.
    """
    n_inputs, n_in = len(inner.program["inputs"]), len(equation["in"])
    if equation["primitive"] == "while" and inner.name.startswith("cond"):
        n_carried = len(equation["out"])
        n_constants = n_inputs - n_carried
        return [*range(n_constants), *range(n_in - n_carried, n_in)]
    return list(range(max(0, n_in - n_inputs), n_in))
