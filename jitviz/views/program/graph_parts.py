"""A whole jaxpr as nodes and edges: inner programs are clusters, and where equations are many, so are their calls.

In: a jaxpr as `capture/programs/equations.py` records it.  Out: `GraphNode`s, and edges between variables.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from ...jaxcompat.texts.names import LOOPS
from ...model import Leaf, count, shortened, split_source
from .inputs_outputs import gather

_MOST_WIDE = 16  # parts of one level; more are grouped
_TITLE = 36  # characters of a line that names a group

Program: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class GraphNode:
    """A node, or with `items` a cluster. `line` is that of the jaxpr (from 0), or -1; `stack` is a position in the
    call stacks of the program, or -1.

    The `look` of a node is "input", "constant", "output", "operand" (an input of an inner program), "equation" or
    "closed"; that of a cluster is "program", "group", or "branch" for one of several programs.
    """

    id: str
    label: str
    look: str
    tooltip: str = ""
    line: int = -1
    stack: int = -1
    items: "list[GraphNode] | None" = None

    @property
    def can_close(self) -> bool:
        """Whether it is a cluster that can be closed by itself."""
        return self.look in ("program", "group")


class CallGroups:
    """The calls that the equations of a level come from, by which they are grouped where there are many. `sources` are
    stretches of files ({"file", "first", "text"})."""

    def __init__(self, whole: Program, sources: Sequence[dict[str, Any]]) -> None:
        self._paths: list[list[str]] = []  # of each stack, outermost first
        for frame, outside in whole.get("stacks", ()):
            label, function, line = whole["frames"][frame][:3]
            self._paths.append([*(self._paths[outside] if outside >= 0 else ()), f"{function} {label}:{line}"])
        self._lines = {
            (block["file"], block["first"] + number): line
            for block in sources
            for number, line in enumerate(block["text"].split("\n"))
        }

    def group(self, nodes: Sequence[GraphNode], depth: int = 0) -> list[GraphNode]:
        """At most `_MOST_WIDE` nodes: those of one call are grouped, the outermost call first."""

        def call(node: GraphNode) -> str:
            return "".join(self._paths[node.stack][depth : depth + 1]) if node.stack >= 0 else ""

        if len(nodes) <= _MOST_WIDE:
            return list(nodes)
        runs = [(name, list(run)) for name, run in groupby(nodes, call)]
        if not any(name for name, _ in runs):
            return _blocks(nodes)
        if len(runs) == 1:
            return self.group(nodes, depth + 1)
        return _blocks([node for name, run in runs for node in self._grouped(name, run, depth)])

    def _grouped(self, call: str, run: list[GraphNode], depth: int) -> list[GraphNode]:
        if not call or len(run) == 1:
            return run
        function, _, position = call.partition(" ")
        text = self._lines.get(split_source(position), "").strip() or function.rpartition(".")[2]
        title = f"{shortened(text, _TITLE)}\n{position}, {count(len(run), 'equation')}"
        return [_group(self.group(run, depth + 1), title, position)]


def _blocks(nodes: Sequence[GraphNode]) -> list[GraphNode]:
    """Nodes in order, in groups of equal size where there are many."""
    if len(nodes) <= _MOST_WIDE:
        return list(nodes)
    size = math.ceil(len(nodes) / _MOST_WIDE)
    starts = range(0, len(nodes), size)
    return [_group(_blocks(nodes[at : at + size]), f"{at + 1:,}. to {at + size:,}.") for at in starts]


def _group(nodes: list[GraphNode], title: str, tooltip: str = "") -> GraphNode:
    first, last = nodes[0], nodes[-1]
    return GraphNode(f"g{first.id}-{last.id}-{len(nodes)}", title, "group", tooltip, first.line, first.stack, nodes)


class Drawer:
    """Goes through the equations in order, and remembers the origin and the aval of each variable."""

    def __init__(self, calls: CallGroups) -> None:
        self.edges: list[tuple[str, str, str]] = []  # from, to, aval
        self._calls = calls
        self._from: dict[str, str] = {}
        self._aval: dict[str, str] = {}

    def whole(self, program: Program, inputs: Sequence[Leaf | None], outputs: Sequence[Leaf | None]) -> list[GraphNode]:
        """All of a program. Of many inputs or outputs, each subtree is one node."""
        items: list[GraphNode] = []
        for path, positions in gather(_paths("in", inputs)):
            variables = [program["inputs"][position] for position in positions]
            what = f"{len(positions):,} arrays" if len(positions) > 1 else variables[0][1]
            items.append(GraphNode(f"in{positions[0]}", f"{path}\n{what}", "input"))
            for name, aval in variables:
                self._from[name], self._aval[name] = f"in{positions[0]}", aval
        items += self._inside(program, "")
        for path, positions in gather(_paths("out", outputs)):
            for position in positions:
                name = program["outputs"][position]
                if name not in self._from:  # a literal: an output that the arguments do not change
                    items.append(self._source(f"lit{position}", f"out{position} {name}", "", name, "constant"))
                    name = f"out{position} {name}"
                self._edge(name, f"out{positions[0]}")
            what = f"\n{len(positions):,} arrays" if len(positions) > 1 else ""
            items.append(GraphNode(f"out{positions[0]}", path + what, "output"))
        return items

    def _inside(self, program: Program, prefix: str) -> Iterator[GraphNode]:
        for position, (name, aval, *called) in enumerate(program["constants"]):
            label = (called[0] if called else "") or "constant"
            yield self._source(f"const{prefix}{position}", name, aval, f"{label}\n{aval}", "constant")
        equations = enumerate(program["equations"])
        yield from self._calls.group([self._equation(equation, f"{prefix}{number}") for number, equation in equations])

    def _equation(self, equation: dict[str, Any], path: str) -> GraphNode:
        title = equation["primitive"] + (f" {equation['label']}" if "label" in equation else "")
        title += f", {equation['times']} times" if "times" in equation else ""
        tooltip = " · ".join(equation[name] for name in ("source", "stack") if name in equation)
        position = equation.get("line", -1), equation.get("at", -1)
        if not equation.get("programs"):
            self._connect(equation, equation["in"], f"e{path}")
            return GraphNode(f"e{path}", title, "equation", tooltip, *position)
        return GraphNode(f"e{path}", title, "program", tooltip, *position, list(self._programs(equation, title, path)))

    def _connect(self, equation: dict[str, Any], operands: Sequence[str], node: str) -> None:
        """Make a node take operands and give the results of an equation."""
        for operand in operands:
            self._edge(operand, node)
        for name, aval in equation["out"]:
            self._from[name], self._aval[name] = node, aval

    def _programs(self, equation: dict[str, Any], title: str, path: str) -> Iterator[GraphNode]:
        """The programs of an equation. The results of several meet in a node of their own. That node also takes the
        operand that selects a program."""
        programs = equation["programs"]
        if len(programs) == 1:
            [(parameter, program)] = programs
            yield from self._program(equation, parameter, program, f"{path}.0.")
            yield from self._outputs(equation, program, f"e{path}")
            return
        taken: set[int] = set()
        for number, (parameter, program) in enumerate(programs):
            branch = list(self._program(equation, parameter, program, f"{path}.{number}."))
            yield GraphNode(f"e{path}.{number}", f"{parameter} {number}", "branch", items=branch)
            taken.update(_operands(equation, parameter, program))
        selecting = [operand for position, operand in enumerate(equation["in"]) if position not in taken]
        results = [name for _, program in programs for name in program["outputs"]]
        self._connect(equation, [*selecting, *results], f"e{path}.end")
        yield GraphNode(f"e{path}.end", title, "equation", line=equation.get("line", -1))

    def _program(self, equation: dict[str, Any], parameter: str, program: Program, prefix: str) -> Iterator[GraphNode]:
        """One program of an equation. In a loop, its inputs are slices of operands, or come from the last round."""
        positions = _operands(equation, parameter, program)
        for position, (name, aval) in enumerate(program["inputs"]):
            operand = equation["in"][positions[position]] if position < len(positions) else ""
            if operand in self._from and equation["primitive"] not in LOOPS:
                self._from[name], self._aval[name] = self._from[operand], self._aval[operand]
                continue
            label = aval if not operand or operand in self._from else f"{operand}\n{aval}"
            yield self._source(f"arge{prefix}{position}", name, aval, label, "operand")
            self._edge(operand, self._from[name])
        yield from self._inside(program, prefix)

    def _outputs(self, equation: dict[str, Any], program: Program, node: str) -> Iterator[GraphNode]:
        """Make the outputs of an equation's only program the outputs of the equation; literals are nodes."""
        for position, (out, aval) in enumerate(equation["out"]):
            name = program["outputs"][position] if position < len(program["outputs"]) else ""
            if name not in self._from:
                yield self._source(f"lit{node}.{position}", out, aval, name or aval, "constant")
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
    return [leaf.path if leaf else f"{kind}put[{position}]" for position, leaf in enumerate(leaves)]


def _operands(equation: dict[str, Any], parameter: str, program: Program) -> list[int]:
    """The positions of a program's inputs among the operands of its equation. They are the last ones: the operand that
    selects a program comes before them, and in a `while` the constants of its other program."""
    n_inputs, n_in = len(program["inputs"]), len(equation["in"])
    if equation["primitive"] == "while" and parameter.startswith("cond"):
        n_carried = len(equation["out"])
        return [*range(n_inputs - n_carried), *range(n_in - n_carried, n_in)]
    return list(range(max(0, n_in - n_inputs), n_in))
