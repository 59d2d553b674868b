"""The jaxpr of a compile as a graph of its data flow: what of it is open.

In: a `Compile`, and the ids of what is open.  Out: `Graph`, which `display` draws.
Must never: have too many nodes to read: inner programs are closed first, and `note` says so.

The graph is drawn with everything open. Then each closed cluster becomes one node, which takes over all edges inside.
"""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...model import Compile, count
from .graph_parts import CallGroups, Drawer, GraphNode
from .inputs_outputs import leaves_of_inputs, leaves_of_outputs

MOST_NODES = 1_500
AT_ONCE = 24  # nodes that a screen shows legibly


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
    drawer = Drawer(CallGroups(program, json.loads(compile.recording.text(compile.index, "sources") or "[]")))
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
    """The ids of the open clusters, the number of nodes, and of clusters that stay closed for lack of room."""
    opened, refused, n_nodes = set[str](), 0, _n_closed(items)
    waiting = deque(_closable(items))
    while waiting:
        cluster = waiting.popleft()
        inside = cluster.items or []
        if wanted is not None and cluster.id not in wanted:
            continue
        more = _n_closed(inside) - 1
        if n_nodes + more > most:
            refused += 1
            continue
        n_nodes += more
        opened.add(cluster.id)
        waiting.extend(_closable(inside))
    return opened, n_nodes, refused


def _closable(items: Sequence[GraphNode]) -> Iterator[GraphNode]:
    """The outermost clusters that can be closed."""
    for item in items:
        yield from [item] if item.can_close else _closable(item.items or ())


def _n_closed(items: Sequence[GraphNode]) -> int:
    """The number of nodes if all clusters that can be closed are closed."""
    return sum(1 if item.items is None or item.can_close else _n_closed(item.items) for item in items)


def _close(
    items: Sequence[GraphNode], opened: set[str], openable: list[str], home: dict[str, str]
) -> Iterator[GraphNode]:
    """The items with all clusters closed that are not `opened`. `home` gets the one node for all inside of them."""
    for item in items:
        openable += [item.id] * item.can_close
        if item.items is None:
            yield item
        elif item.can_close and item.id not in opened:
            home.update((inner.id, item.id) for inner in walk(item.items))
            yield replace(item, look="closed", items=None)
        else:
            yield replace(item, items=list(_close(item.items, opened, openable, home)))


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
