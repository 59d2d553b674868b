"""The jaxpr of a compile as a graph in DOT.

In: a `Compile`.  Out: a `graphviz.Digraph`, which is DOT text, and draws itself if Graphviz is installed.
Must never: run a program except to draw a requested picture; decide what is open.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..model.quantities import first_of
from ..views.program.graph import AT_ONCE, Graph, shape_graph, walk
from ..views.program.graph_parts import GraphNode
from ..views.program.texts import check_compile
from ..views.schema import GraphView

if TYPE_CHECKING:
    import graphviz  # type: ignore[import-untyped]  # it has no types

    from ..model import Compile
    from ..recording import Recording

# Shapes tell the kinds of nodes apart without colours. These colours are for pages without their own: a front end
# finds the class `jitviz-LOOK` on each node and cluster, and gives it the colours of its theme.
_NODES = {
    "input": {"shape": "box", "style": "rounded,filled", "fillcolor": "#dbe9f6", "color": "#2f73b7"},
    "constant": {"shape": "box", "style": "dashed,filled", "fillcolor": "#f7ead2", "color": "#a8690a"},
    "output": {"shape": "box", "style": "rounded,filled", "fillcolor": "#dff0e3", "color": "#2b7a3d"},
    "operand": {"shape": "plaintext"},
    "equation": {"shape": "ellipse", "style": "filled", "fillcolor": "#ffffff", "color": "#7a828c"},
    "closed": {"shape": "box3d", "style": "filled", "fillcolor": "#eef0f2", "color": "#7a828c"},
}
_CLUSTERS = {"program": "rounded", "branch": "rounded,dotted", "group": "rounded,dashed"}
_CLUSTER = {"color": "#a3abb5", "fontsize": "11", "labeljust": "l"}  # the label stands beside the incoming edges
# Graphviz knows the widths of its letters without having the font, and most monospaced fonts have the same: boxes fit
# their texts even where the engine runs in a browser.
_FONT = "Courier"
_GREY = "#6b737d"  # of lines and letters directly on the page, which may be light or dark
_AVALS = 2  # named on one edge
MOST_DRAWN = 200  # nodes of a picture that Python draws while someone waits
_NO_DOT = (
    "This graph is not drawn, since the program `dot` of Graphviz is not on the PATH. Install it "
    "(https://graphviz.org/download), or print the graph to see it as DOT text."
)


def graph(compile: Compile) -> graphviz.Digraph:
    """Draw the jaxpr of a compile: traced inputs, constants, equations, outputs. Inner programs (jit, scan) are boxes.

    >>> jitviz.graph(rec.compiles[0]).save("step.gv")

    Edges carry dtype[shape]; the tooltip of an equation is its source line. Above 1 500 nodes, inner programs are
    closed into one node each, innermost first, and the title says so.

    Raises:
        ValueError: there is no jaxpr, because the trace failed or happened before the recording.
        TypeError: `compile` is not a compile.
    """
    try:
        shaped = shape_graph(check_compile(compile, "graph"))
    except LookupError as error:
        raise ValueError(error.args[0]) from None
    drawn = _draw(shaped, compile.function)
    title = f"{compile.function}, version {compile.version}"
    drawn.attr(label="\n".join(filter(None, (title, shaped.note))), labelloc="t")
    return drawn


def view_graph(
    recording: Recording,
    compile: int,
    open: Sequence[str] | None,  # noqa: A002  # as the browser calls it
    has_svg: bool = False,
) -> GraphView:
    """The graph of compile number `compile` for a screen; with `has_svg`, drawn if it is small and Graphviz is there.

    `open` are the ids of the open clusters; None chooses them.

    Raises:
        LookupError: there is no jaxpr of this compile.
    """
    row = recording.compiles[compile]
    shaped = shape_graph(row, open, most_nodes=AT_ONCE)
    lines = [(node.id, node.line) for node in walk(shaped.items) if node.line >= 0]
    dot = _draw(shaped, row.function).source
    return GraphView(
        dot=dot,
        svg=draw_svg(dot) if has_svg and shaped.n_nodes <= MOST_DRAWN else "",
        node=tuple(name for name, _ in lines),
        node_line=tuple(line for _, line in lines),
        cluster=shaped.openable,
        cluster_open=shaped.opened,
        n_nodes=shaped.n_nodes,
        note=shaped.note,
    )


def draw_svg(dot: str) -> str:
    """The picture of a DOT text as an `<svg>` element, or "" if there is no `dot` on the PATH, or it fails."""
    try:
        done = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    svg = done.stdout.decode(errors="replace")
    return svg[svg.find("<svg") :] if "<svg" in svg else ""


def is_installed() -> bool:
    """Whether Graphviz can draw here."""
    return shutil.which("dot") is not None


@cache
def _digraph() -> type[graphviz.Digraph]:
    """The class of the graphs: graphviz's, which shows what to do where a notebook would show a long traceback."""
    try:
        import graphviz
    except ModuleNotFoundError:
        message = "A graph needs graphviz, which is not installed: pip install graphviz"
        raise ModuleNotFoundError(message, name="graphviz") from None

    class Digraph(graphviz.Digraph):  # type: ignore[misc]  # it has no types
        def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:
            try:
                return super()._repr_mimebundle_(*args, **options)
            except graphviz.ExecutableNotFound:
                return {"text/plain": _NO_DOT}

    return Digraph


def _draw(shaped: Graph, name: str) -> graphviz.Digraph:
    looks = {"rankdir": "TB", "bgcolor": "transparent", "fontname": _FONT}
    drawn = _digraph()(name, graph_attr=looks | _limit_effort(shaped.n_nodes, len(shaped.edges)))
    drawn.attr("node", fontname=_FONT, fontsize="11")
    drawn.attr("edge", fontname=_FONT, fontsize="11", color=_GREY, fontcolor=_GREY, arrowsize="0.7")
    drawn.attr(fontcolor=_GREY)
    _draw_items(drawn, shaped.items)
    for (origin, target), avals in shaped.edges.items():
        drawn.edge(origin, target, label=_escape("\n".join(first_of(avals, _AVALS))))
    return drawn


def _limit_effort(n_nodes: int, n_edges: int) -> dict[str, str]:
    """Limits on the engine's effort: the best picture of a thousand nodes, or hundreds of edges, takes minutes."""
    if n_nodes <= 100 and n_edges <= 150:
        return {}
    patience = "2" if n_nodes <= 400 else "0.5"
    return {"nslimit": patience, "nslimit1": patience, "mclimit": "0.3", "splines": "line"}


def _draw_items(home: graphviz.Digraph, items: Sequence[GraphNode]) -> None:
    for item in items:
        # Without a tooltip, the engine repeats the label.
        shown = {"id": item.id, "class": f"jitviz-{item.look}", "tooltip": _escape(item.tooltip) or " "}
        if item.items is None:
            home.node(item.id, _escape(item.label), **_NODES[item.look], **shown)
            continue
        with home.subgraph(name=f"cluster_{item.id}") as cluster:
            cluster.attr(label=_escape(item.label), style=_CLUSTERS[item.look], **_CLUSTER, **shown)
            _draw_items(cluster, item.items)


def _escape(text: str) -> str:
    import graphviz

    return "\\n".join(graphviz.escape(line) for line in text.split("\n"))
