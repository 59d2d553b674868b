"""The jaxpr of a compile as a graph in DOT.

In: a `Compile`.  Out: a `graphviz.Digraph`, which draws itself where Graphviz is installed and is DOT text anywhere.
Must never: run a program, save when a picture is asked for; decide what is open.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..views.program.graph import AT_ONCE, Cluster, Graph, Node, shape_graph
from ..views.program.texts import check_compile
from ..views.schema import GraphView

if TYPE_CHECKING:
    import graphviz  # type: ignore[import-untyped]  # it has no types

    from ..model import Compile
    from ..recording import Recording

# Shapes tell what is what without colours. These colours are for pages that have none of their own: a front end finds
# the class `jitviz-LOOK` on each node and cluster, and gives it those of its theme.
_NODES = {
    "input": {"shape": "box", "style": "rounded,filled", "fillcolor": "#dbe9f6", "color": "#2f73b7"},
    "constant": {"shape": "box", "style": "dashed,filled", "fillcolor": "#f7ead2", "color": "#a8690a"},
    "output": {"shape": "box", "style": "rounded,filled", "fillcolor": "#dff0e3", "color": "#2b7a3d"},
    "operand": {"shape": "plaintext"},
    "equation": {"shape": "ellipse", "style": "filled", "fillcolor": "#ffffff", "color": "#7a828c"},
    "closed": {"shape": "box3d", "style": "filled", "fillcolor": "#eef0f2", "color": "#7a828c"},
}
_CLUSTERS = {"program": "rounded", "branch": "rounded,dotted", "inlined": "rounded,dashed", "group": "rounded,dashed"}
# Graphviz knows how wide its letters are without having the font, and they are as wide as those of most that are
# drawn in place of it: where the engine runs in a browser, boxes fit their texts.
_FONT = "Courier"
_GREY = "#6b737d"  # of lines and letters that stand on the page itself, be it light or dark
_AVALS = 3  # that one edge names
MOST_DRAWN = 200  # nodes of a picture that Python draws, since somebody waits for it


def graph(compile: Compile) -> graphviz.Digraph:
    """Draw a compile's jaxpr: traced inputs, constants, equations, outputs; inner programs (jit, scan) are clusters.

    Edges carry dtype[shape]; the tooltip of an equation is its line in the user's source. Equations that were folded
    into this program by a call of an `inline=True` function are a cluster too, where they tell which call it was.
    Over 1 500 nodes, inner programs are closed into one node each, from the innermost outwards, and the title says so.

    Raises:
        ValueError: there is no jaxpr, because the trace failed or was made before the recording.
        TypeError: it is no compile.
    """
    try:
        shaped = shape_graph(check_compile(compile, "graph"))
    except LookupError as error:
        raise ValueError(error.args[0]) from None
    drawn = _draw(shaped, compile.function)
    drawn.attr(label="\n".join(filter(None, (shaped.title, shaped.note))), labelloc="t")
    return drawn


def view_graph(
    recording: Recording,
    compile: int,
    open: Sequence[str] | None,  # noqa: A002  # as the browser calls it
    has_svg: bool = False,
) -> GraphView:
    """The graph of compile number `compile` for a screen; with `has_svg` drawn, where there is an engine to draw it.

    `open` are the ids of the clusters that are open, None for those that open by themselves.

    Raises:
        LookupError: there is no jaxpr of it.
    """
    row = recording.compiles[compile]
    inlined = {
        call.source: call.function
        for call, _ in recording.facts.calls.summed()
        if call.outcome == "inlined" and call.source
    }
    shaped = shape_graph(
        row, open, most_nodes=AT_ONCE, sources=recording.text(compile, "sources") or "[]", inlined=inlined
    )
    drawn = _draw(shaped, row.function)
    lines = [(one.id, one.line) for one in _all(shaped.items) if one.line >= 0]
    return GraphView(
        dot=drawn.source,
        svg=draw_svg(drawn.source) if has_svg and shaped.n_nodes <= MOST_DRAWN else "",
        node=tuple(name for name, _ in lines),
        node_line=tuple(line for _, line in lines),
        cluster=shaped.openable,
        cluster_open=shaped.opened,
        n_nodes=shaped.n_nodes,
        note=shaped.note,
    )


def draw_svg(dot: str) -> str:
    """The picture of a DOT text as an `<svg>` element, or "" where there is no `dot` on the PATH, or it fails."""
    program = _program()
    if program is None:
        return ""
    try:
        done = subprocess.run([program, "-Tsvg"], input=dot.encode(), capture_output=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    svg = done.stdout.decode(errors="replace")
    return svg[svg.find("<svg") :] if "<svg" in svg else ""


@cache
def _program() -> str | None:
    return shutil.which("dot")


def _draw(shaped: Graph, name: str) -> graphviz.Digraph:
    try:
        import graphviz
    except ModuleNotFoundError:
        told = "A graph needs graphviz, which is not installed: pip install graphviz"
        raise ModuleNotFoundError(told, name="graphviz") from None

    looks = {"rankdir": "TB", "bgcolor": "transparent", "fontname": _FONT}
    drawn = graphviz.Digraph(name, graph_attr=looks | _haste(shaped.n_nodes, len(shaped.edges)))
    drawn.attr("node", fontname=_FONT, fontsize="11")
    drawn.attr("edge", fontname=_FONT, fontsize="9", color=_GREY, fontcolor=_GREY, arrowsize="0.7")
    drawn.attr(fontcolor=_GREY)
    _draw_items(drawn, shaped.items)
    for (origin, target), avals in shaped.edges.items():
        more = [f"{len(avals) - _AVALS} more"] if len(avals) > _AVALS else []
        drawn.edge(origin, target, label=_escape("\n".join(avals[:_AVALS] + more)))
    return drawn


def _haste(n_nodes: int, n_edges: int) -> dict[str, str]:
    """How hard the engine tries. Of a thousand nodes, or of hundreds of edges, the best picture takes minutes."""
    if n_nodes <= 100 and n_edges <= 150:
        return {}
    patience = "2" if n_nodes <= 400 else "0.5"
    return {"nslimit": patience, "nslimit1": patience, "mclimit": "0.3", "splines": "line"}


def _draw_items(home: graphviz.Digraph, items: Sequence[Node | Cluster]) -> None:
    for item in items:
        tooltip = _escape(item.tooltip) or " "  # without one, the engine repeats the label
        if isinstance(item, Node):
            look: dict[str, Any] = _NODES[item.look]
            shown = {"id": item.id, "class": f"jitviz-{item.look}", "tooltip": tooltip}
            home.node(item.id, _escape(item.label), **look, **shown)
            continue
        with home.subgraph(name=f"cluster_{item.id}") as cluster:
            cluster.attr(
                label=_escape(item.label),
                id=item.id,
                color="#a3abb5",
                style=_CLUSTERS[item.look],
                fontsize="11",
                labeljust="l",  # beside the edges that come in, and not under them
                tooltip=tooltip,
                **{"class": f"jitviz-{item.look}"},
            )
            _draw_items(cluster, item.items)


def _escape(text: str) -> str:
    import graphviz

    return "\\n".join(graphviz.escape(line) for line in text.split("\n"))


def _all(items: Sequence[Node | Cluster]) -> Iterator[Node | Cluster]:
    for item in items:
        yield item
        if isinstance(item, Cluster):
            yield from _all(item.items)
