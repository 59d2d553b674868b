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

from ...findings.once_for_each_log import once_for_each_log
from ...jaxcompat.texts.names import LOOPS
from ...model import Compile, Leaf, count
from ...recording import Recording
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
    program, recording = json.loads(text), compile.recording
    sources = json.loads(recording.text(compile.index, "sources") or "[]")
    drawer = _Drawer(GraphSources(program, sources, _inlined(recording)))
    items = drawer.whole(program, leaves_of_inputs(compile, program), leaves_of_outputs(compile, program), opened)
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


@once_for_each_log
def _inlined(recording: Recording) -> dict[str, str]:
    """The functions that were inlined, by the line of the call."""
    calls = recording.facts.calls.alike()
    return {call.source: call.function for call, _ in calls if call.outcome == "inlined" and call.source}


def _choose(items: Sequence[GraphNode], wanted: set[str] | None, most: int) -> tuple[set[str], int, list[GraphNode]]:
    """The ids of the open clusters, the number of nodes, and the clusters that stay closed for lack of room. If none
    are `wanted`, inner programs are opened, then inputs and outputs that were merged, if they are few."""
    opened: set[str] = set()
    refused: list[GraphNode] = []
    n_nodes = _n_closed(items)
    ends = [pair for pair in _clusters(items) if pair[0].is_end]
    waiting = deque(pair for pair in _clusters(items) if not pair[0].is_end)
    if wanted is not None or sum(len(inside) for _, inside in ends) <= _MOST_ENDS:
        waiting += ends
    while waiting:
        cluster, inside = waiting.popleft()
        if wanted is not None and cluster.id not in wanted:
            continue
        more = _n_closed(inside) - 1
        if n_nodes + more > most:
            refused.append(cluster)
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


def _tell(refused: Sequence[GraphNode], most: int, is_cut: bool) -> str:
    parts = f"{count(len(refused), 'part')} {'is' if len(refused) == 1 else 'are'} closed"
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

    def whole(
        self,
        program: Program,
        inputs: Sequence[Leaf | None],
        outputs: Sequence[Leaf | None],
        opened: Sequence[str] | None,
    ) -> list[GraphNode]:
        """All of a program. Of many inputs or outputs, subtrees that stay closed are one node each from the start."""
        paths = _paths("in", inputs), _paths("out", outputs)
        ins, outs = map(gather, paths)
        n_merged = sum(len(places) for _, places in (*ins, *outs) if len(places) > 1)

        def stays_closed(kind: str, places: Sequence[int]) -> bool:
            is_open = n_merged <= _MOST_ENDS if opened is None else f"{kind}{places[0]}" in opened
            return len(places) > 1 and not is_open

        items: list[GraphNode] = []
        for label, places in ins:
            inside, is_closed = list[GraphNode](), stays_closed("ins", places)
            for place in places:
                name, aval = program["inputs"][place]
                if is_closed:
                    self._from[name], self._aval[name] = f"ins{places[0]}", aval
                else:
                    inside.append(self._source(f"in{place}", name, aval, f"{paths[0][place]}\n{aval}", "input"))
            items.append(_end("ins", "input", label, places, inside))
        items += self._inside(program, "")
        targets: dict[int, str] = {}
        ends = list[GraphNode]()
        for label, places in outs:
            is_closed = stays_closed("outs", places)
            targets |= {place: f"outs{places[0]}" if is_closed else f"out{place}" for place in places}
            inside = [GraphNode(f"out{place}", paths[1][place], "output") for place in places if not is_closed]
            ends.append(_end("outs", "output", label, places, inside))
        for place, name in enumerate(program["outputs"]):
            if name not in self._from:  # a literal: an output that the arguments do not change
                items.append(self._source(f"lit{place}", f"out{place} {name}", "", name, "constant"))
                name = f"out{place} {name}"
            self._edge(name, targets[place])
        return [*items, *ends]

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
        return replace(node, look=self._places.look(equation), items=items, closed=(title, "closed"))

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


def _end(kind: str, look: str, label: str, places: Sequence[int], inside: list[GraphNode]) -> GraphNode:
    """An input or output, or a subtree of them; that of a closed one has nothing inside."""
    if len(places) == 1:
        return inside[0]
    title, name = f"{label}\n{len(places):,} arrays", f"{kind}{places[0]}"
    if not inside:
        return GraphNode(name, title, look, closed=(title, look))
    return GraphNode(name, label, "group", items=inside, closed=(title, look))


def _operands(equation: dict[str, Any], parameter: str, program: Program) -> list[int]:
    """The places of a program's inputs among the operands of its equation. They are the last ones: the operand that
    selects a program comes before them, and in a `while` the constants of its other program."""
    n_inputs, n_in = len(program["inputs"]), len(equation["in"])
    if equation["primitive"] == "while" and parameter.startswith("cond"):
        n_carried = len(equation["out"])
        return [*range(n_inputs - n_carried), *range(n_in - n_carried, n_in)]
    return list(range(max(0, n_in - n_inputs), n_in))
