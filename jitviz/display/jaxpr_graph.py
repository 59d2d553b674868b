"""The jaxpr of a compile as a graph.

In: a `Compile`.  Out: a `graphviz.Digraph`, which draws itself where Graphviz is installed and is DOT text anywhere.
Must never: draw more nodes than can be looked at: inner programs are folded first, and the graph says so.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import graphviz  # type: ignore[import-untyped]  # it has no types

    from ..model import Compile

MOST_NODES = 1_500
_INPUT = {"shape": "box", "style": "rounded,filled", "fillcolor": "#dbe9f6", "color": "#2f73b7"}
_CONSTANT = {"shape": "box", "style": "dashed,filled", "fillcolor": "#f7ead2", "color": "#a8690a"}
_OUTPUT = {"shape": "box", "style": "rounded,filled", "fillcolor": "#dff0e3", "color": "#2b7a3d"}
_EQUATION = {"shape": "ellipse", "color": "#7a828c"}
_FOLDED = {"shape": "box3d", "color": "#7a828c"}


def graph(compile: Compile) -> graphviz.Digraph:
    """Draw a compile's jaxpr: traced inputs, constants, equations, outputs; inner programs (jit, scan) are clusters.

    Edges carry dtype[shape]; the tooltip of an equation is its line in the user's source. An equation that was folded
    into this program from an `inline=True` function stands among the others: its line is that of the inner function.
    Over 1 500 nodes, inner programs are folded into one node each, from the innermost outwards, and the title says so.

    Raises:
        ValueError: there is no jaxpr, because the trace failed or was made before the recording.
    """
    import graphviz

    text = compile.equations
    if text is None:
        raise ValueError(
            f"There is no jaxpr of `{compile.function}`, version {compile.version}: it failed while it was traced, or "
            "was traced before the recording. Record the call that compiles it."
        )
    program = json.loads(text)
    depth = _deepest(program)
    while depth and _count(program, depth) > MOST_NODES:
        depth -= 1
    title = f"{compile.function}, version {compile.version}"
    if depth < _deepest(program):
        title += f" (inner programs below level {depth} are folded)"
    drawn = graphviz.Digraph(compile.function, graph_attr={"label": title, "labelloc": "t", "rankdir": "TB"})
    drawn.attr("node", fontname="monospace", fontsize="11")
    drawn.attr("edge", fontname="monospace", fontsize="9", color="#7a828c")
    inputs, outputs = [leaf.path for leaf in compile.signature.traced], [leaf.path for leaf in compile.outputs]
    _Drawer(drawn, inputs, outputs).whole(program, depth)
    return drawn


def _count(program: dict[str, Any], depth: int) -> int:
    """Nodes of a drawing that opens inner programs down to `depth`."""
    total = len(program["inputs"]) + len(program["constants"]) + len(program["outputs"])
    for equation in program["equations"]:
        inner = equation.get("programs", ()) if depth else ()
        total += sum(_count(part, depth - 1) for _, part in inner) if inner else 1
    return total


def _deepest(program: dict[str, Any]) -> int:
    inner = [part for equation in program["equations"] for _, part in equation.get("programs", ())]
    return 1 + max(map(_deepest, inner)) if inner else 0


class _Drawer:
    """Draws equations; remembers which node each variable comes from, and its aval."""

    def __init__(self, drawn: graphviz.Digraph, inputs: list[str], outputs: list[str]) -> None:
        self._drawn = drawn
        self._inputs = inputs
        self._outputs = outputs
        self._from: dict[str, str] = {}
        self._aval: dict[str, str] = {}
        self._nodes = 0
        self._clusters = 0

    def whole(self, program: dict[str, Any], depth: int) -> None:
        """The outermost program, whose inputs are the user's traced leaves."""
        for place, (name, aval) in enumerate(program["inputs"]):
            label = self._inputs[place] if len(self._inputs) == len(program["inputs"]) else f"input {place}"
            self._source(self._drawn, name, aval, f"{label}\n{aval}", _INPUT)
        self._inside(self._drawn, program, depth)
        for place, name in enumerate(program["outputs"]):
            label = self._outputs[place] if place < len(self._outputs) else f"out[{place}]"
            node = self._node(self._drawn, label, _OUTPUT)
            self._edge(name, node)

    def _inside(self, home: graphviz.Digraph, program: dict[str, Any], depth: int) -> None:
        for name, aval in program["constants"]:
            self._source(home, name, aval, f"constant\n{aval}", _CONSTANT)
        for equation in program["equations"]:
            self._equation(home, equation, depth)

    def _equation(self, home: graphviz.Digraph, equation: dict[str, Any], depth: int) -> None:
        inner = equation.get("programs", [])
        name = equation["primitive"] + (f" {equation['label']}" if "label" in equation else "")
        if inner and depth:
            self._open(home, name, equation, depth)
            return
        tooltip = " · ".join(part for part in (equation.get("source", ""), equation.get("stack", "")) if part)
        node = self._node(home, name, _FOLDED if inner else _EQUATION, tooltip)
        for operand in equation["in"]:
            self._edge(operand, node)
        for out, aval in equation["out"]:
            self._from[out], self._aval[out] = node, aval

    def _open(self, home: graphviz.Digraph, name: str, equation: dict[str, Any], depth: int) -> None:
        """An equation with programs inside, as clusters; what goes in and comes out is tied to their ends."""
        operands: list[str] = []
        for parameter, program in equation["programs"]:
            self._clusters += 1
            with home.subgraph(name=f"cluster_{self._clusters}") as cluster:
                title = name if len(equation["programs"]) == 1 else f"{name}: {parameter}"
                cluster.attr(label=title, color="#a3abb5", style="rounded", fontname="monospace", fontsize="11")
                operands = equation["in"][-len(program["inputs"]) :] if program["inputs"] else []
                for place, (inner, aval) in enumerate(program["inputs"]):
                    self._source(cluster, inner, aval, f"{place}: {aval}", {"shape": "plaintext"})
                    if place < len(operands):
                        self._edge(operands[place], self._from[inner])
                self._inside(cluster, program, depth - 1)
        if len(equation["programs"]) == 1:
            for (out, aval), inner in zip(equation["out"], equation["programs"][0][1]["outputs"], strict=False):
                self._from[out], self._aval[out] = self._from.get(inner, ""), aval
            return
        # Which of several programs runs is decided here: their results meet in a node of their own.
        node = self._node(home, name, _EQUATION, equation.get("source", ""))
        for operand in equation["in"][: -len(operands) or None]:
            self._edge(operand, node)
        for _, program in equation["programs"]:
            for inner in program["outputs"]:
                self._edge(inner, node)
        for out, aval in equation["out"]:
            self._from[out], self._aval[out] = node, aval

    def _source(self, home: graphviz.Digraph, name: str, aval: str, label: str, look: dict[str, str]) -> None:
        self._from[name], self._aval[name] = self._node(home, label, look), aval

    def _node(self, home: graphviz.Digraph, label: str, look: dict[str, str], tooltip: str = "") -> str:
        import graphviz

        self._nodes += 1
        name = f"n{self._nodes}"
        home.node(
            name, graphviz.escape(label.replace("\n", "\v")).replace("\v", "\\n"), tooltip=tooltip or label, **look
        )
        return name

    def _edge(self, variable: str, node: str) -> None:
        origin = self._from.get(variable)
        if origin:  # a literal has none: it is part of the equation
            self._drawn.edge(origin, node, label=self._aval.get(variable, ""))
