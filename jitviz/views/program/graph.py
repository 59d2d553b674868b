"""The jaxpr of a compile as a graph of its data flow, with inner programs as clusters.

In: a `Compile`, and the ids of what is open.  Out: `Graph`, which `display` draws.
Must never: have too many nodes to read: inner programs are closed first, and `note` says so.

The graph is drawn with everything open. Then each closed cluster becomes one node, which takes over all edges inside.
"""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...jaxcompat.texts.names import LOOPS
from ...model import Compile, Leaf, count
from .graph_parts import GraphNode, GraphSources, Program, group_level
from .inputs_outputs import gather, leaves_of_inputs, leaves_of_outputs

MOST_NODES = 1_500
AT_ONCE = 24  # nodes that a screen shows legibly
_MOST_ENDS = 16  # inputs or outputs that are shown one by one where there is room


@dataclass(frozen=True)
class Graph:
    """Nodes and clusters, and edges as (from, to): avals. `openable` are the ids of all that can be opened or closed.
    `note` names the parts that were left closed for their size, or is ""."""

    items: list[GraphNode]
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
    program = json.loads(text)
    sources = json.loads(compile.recording.text(compile.index, "sources") or "[]")
    drawer = _Drawer(GraphSources(program, sources))
    items = drawer.whole(program, leaves_of_inputs(compile, program), leaves_of_outputs(compile, program))
    most = most_nodes if opened is None else MOST_NODES
    open_ids, n_nodes, refused = _choose(items, None if opened is None else set(opened), most)
    openable: list[str] = []
    home: dict[str, str] = {}
    items = list(_close(items, open_ids, openable, home))
    edges: dict[tuple[str, str], list[str]] = {}
    for origin, target, aval in drawer.edges:
        ends = home.get(origin, origin), home.get(target, target)
        if ends[0] != ends[1] and aval not in edges.setdefault(ends, []):
            edges[ends].append(aval)
    still_open = tuple(name for name in openable if name in open_ids)
    note = _tell(refused, most, program.get("is_cut", False))
    return Graph(items, edges, tuple(openable), still_open, n_nodes, note)


def _choose(items: Sequence[GraphNode], wanted: set[str] | None, most: int) -> tuple[set[str], int, int]:
    """The ids of the open clusters, the number of nodes, and of clusters that stay closed for lack of room. If none are
    `wanted`, inner programs are opened, then inputs and outputs that were merged, if they are few."""
    opened, refused, n_nodes = set[str](), 0, _n_closed(items)
    waiting = deque(sorted(_clusters(items), key=lambda pair: pair[0].is_end))
    if wanted is None and sum(len(inside) for cluster, inside in waiting if cluster.is_end) > _MOST_ENDS:
        waiting = deque(pair for pair in waiting if not pair[0].is_end)
    while waiting:
        cluster, inside = waiting.popleft()
        more = _n_closed(inside) - 1
        if wanted is not None and cluster.id not in wanted:
            continue
        if n_nodes + more > most:
            refused += 1
            continue
        n_nodes += more
        opened.add(cluster.id)
        waiting.extend(_clusters(inside))
    return opened, n_nodes, refused


def _clusters(items: Sequence[GraphNode]) -> Iterator[tuple[GraphNode, list[GraphNode]]]:
    """The outermost clusters that can be opened, with what is inside."""
    for item in items:
        if item.items is not None and item.closed is not None:
            yield item, item.items
        else:
            yield from _clusters(item.items or ())


def _n_closed(items: Sequence[GraphNode]) -> int:
    """The number of nodes if all clusters that can be closed are closed."""
    return sum(1 if item.items is None or item.closed is not None else _n_closed(item.items) for item in items)


def _close(
    items: Sequence[GraphNode], opened: set[str], openable: list[str], home: dict[str, str]
) -> Iterator[GraphNode]:
    """The items with all clusters closed that are not `opened`. `home` gets the one node for all inside of them."""
    for item in items:
        openable += [item.id] * (item.closed is not None)
        if item.items is None:
            yield item
        elif item.closed is None or item.id in opened:
            yield replace(item, items=list(_close(item.items, opened, openable, home)))
        else:
            home.update((inner.id, item.id) for inner in walk(item.items))
            label, look = item.closed
            yield replace(item, label=label, look=look, items=None)


def walk(items: Sequence[GraphNode]) -> Iterator[GraphNode]:
    """The items and all that is inside them."""
    for item in items:
        yield item
        yield from walk(item.items or ())


def _tell(refused: int, most: int, is_cut: bool) -> str:
    parts = f"{count(refused, 'part')} {'is' if refused == 1 else 'are'} closed"
    closed = [f"{parts}: opened, they would make more than {most:,} nodes."] if refused else []
    cut = ["The program has more equations than were recorded; the rest are not drawn."] if is_cut else []
    return " ".join([*closed, *cut])


class _Drawer:
    """Goes through the equations in order, and remembers the origin and the aval of each variable."""

    def __init__(self, places: GraphSources) -> None:
        self.edges: list[tuple[str, str, str]] = []  # from, to, aval
        self._places = places
        self._from: dict[str, str] = {}
        self._aval: dict[str, str] = {}

    def whole(self, program: Program, inputs: Sequence[Leaf | None], outputs: Sequence[Leaf | None]) -> list[GraphNode]:
        """All of a program. Many inputs or outputs are clusters of their subtrees."""
        paths = _paths("in", inputs), _paths("out", outputs)
        ins = [
            self._source(f"in{index}", name, aval, f"{path}\n{aval}", "input")
            for index, (path, (name, aval)) in enumerate(zip(paths[0], program["inputs"], strict=True))
        ]
        items = [_end("ins", "input", label, [ins[index] for index in inside]) for label, inside in gather(paths[0])]
        items += self._inside(program, "")
        outs = [GraphNode(f"out{index}", path, "output") for index, path in enumerate(paths[1])]
        for index, name in enumerate(program["outputs"]):
            if name not in self._from:  # a literal: an output that the arguments do not change
                items.append(self._source(f"lit{index}", f"out{index} {name}", "", name, "constant"))
                name = f"out{index} {name}"
            self._edge(name, f"out{index}")
        ends = gather(paths[1])
        return items + [_end("outs", "output", label, [outs[index] for index in inside]) for label, inside in ends]

    def _inside(self, program: Program, prefix: str) -> Iterator[GraphNode]:
        for place, (name, aval, *called) in enumerate(program["constants"]):
            label = (called[0] if called else "") or "constant"
            yield self._source(f"const{prefix}{place}", name, aval, f"{label}\n{aval}", "constant")
        level = [(eqn, self._equation(eqn, f"{prefix}{number}")) for number, eqn in enumerate(program["equations"])]
        yield from group_level(level, self._places)

    def _equation(self, equation: dict[str, Any], path: str) -> GraphNode:
        title = equation["primitive"] + (f" {equation['label']}" if "label" in equation else "")
        title += f", {equation['times']} times" if "times" in equation else ""
        tooltip = " · ".join(filter(None, (self._places.source(equation), equation.get("stack", ""))))
        node = GraphNode(f"e{path}", title, "equation", tooltip, equation.get("line", -1))
        if not equation.get("programs"):
            self._connect(equation, equation["in"], node.id)
            return node
        items = list(self._programs(equation, node, path))
        return replace(node, look="program", items=items, closed=(title, "closed"))

    def _connect(self, equation: dict[str, Any], operands: Sequence[str], node: str) -> None:
        """Make a node take operands and give the results of an equation."""
        for operand in operands:
            self._edge(operand, node)
        for name, aval in equation["out"]:
            self._from[name], self._aval[name] = node, aval

    def _programs(self, equation: dict[str, Any], node: GraphNode, path: str) -> Iterator[GraphNode]:
        """The programs of an equation. The results of several meet in a node of their own. That node also takes the
        operand that selects a program."""
        programs = equation["programs"]
        if len(programs) == 1:
            [(parameter, program)] = programs
            yield from self._program(equation, parameter, program, f"{path}.0.")
            yield from self._outputs(equation, program, node.id)
            return
        taken: set[int] = set()
        for number, (parameter, program) in enumerate(programs):
            branch = list(self._program(equation, parameter, program, f"{path}.{number}."))
            yield GraphNode(f"{node.id}.{number}", f"{parameter} {number}", "branch", items=branch)
            taken.update(_operands(equation, parameter, program))
        selecting = [operand for place, operand in enumerate(equation["in"]) if place not in taken]
        results = [name for _, program in programs for name in program["outputs"]]
        self._connect(equation, [*selecting, *results], f"{node.id}.end")
        yield replace(node, id=f"{node.id}.end")

    def _program(self, equation: dict[str, Any], parameter: str, program: Program, prefix: str) -> Iterator[GraphNode]:
        """One program of an equation. In a loop, its inputs are slices of operands, or come from the last round."""
        places = _operands(equation, parameter, program)
        for place, (name, aval) in enumerate(program["inputs"]):
            operand = equation["in"][places[place]] if place < len(places) else ""
            if operand in self._from and equation["primitive"] not in LOOPS:
                self._from[name], self._aval[name] = self._from[operand], self._aval[operand]
                continue
            label = aval if not operand or operand in self._from else f"{operand}\n{aval}"
            yield self._source(f"arge{prefix}{place}", name, aval, label, "operand")
            self._edge(operand, self._from[name])
        yield from self._inside(program, prefix)

    def _outputs(self, equation: dict[str, Any], program: Program, node: str) -> Iterator[GraphNode]:
        """Make the outputs of an equation's only program the outputs of the equation; literals are nodes."""
        for place, (out, aval) in enumerate(equation["out"]):
            name = program["outputs"][place] if place < len(program["outputs"]) else ""
            if name not in self._from:
                yield self._source(f"lit{node}.{place}", out, aval, name or aval, "constant")
            else:
                self._from[out], self._aval[out] = self._from[name], aval

    def _source(self, node: str, name: str, aval: str, label: str, look: str) -> GraphNode:
        self._from[name], self._aval[name] = node, aval
        return GraphNode(node, label, look)

    def _edge(self, variable: str, node: str) -> None:
        origin = self._from.get(variable)
        if origin is not None:  # a literal has none: it is part of the equation
            self.edges.append((origin, node, self._aval.get(variable, "")))


def _paths(kind: str, leaves: Sequence[Leaf | None]) -> list[str]:
    return [leaf.path if leaf else f"{kind}put[{place}]" for place, leaf in enumerate(leaves)]


def _end(kind: str, look: str, label: str, inside: list[GraphNode]) -> GraphNode:
    """An input or output, or a subtree of them."""
    if len(inside) == 1:
        return inside[0]
    name = f"{kind}{inside[0].id.removeprefix(kind[:-1])}"
    return GraphNode(name, label, "group", items=inside, closed=(f"{label}\n{len(inside):,} arrays", look))


def _operands(equation: dict[str, Any], parameter: str, program: Program) -> list[int]:
    """The places of a program's inputs among the operands of its equation. They are the last ones: the operand that
    selects a program comes before them, and in a `while` the constants of its other program."""
    n_inputs, n_in = len(program["inputs"]), len(equation["in"])
    if equation["primitive"] == "while" and parameter.startswith("cond"):
        n_carried = len(equation["out"])
        return [*range(n_inputs - n_carried), *range(n_in - n_carried, n_in)]
    return list(range(max(0, n_in - n_inputs), n_in))
