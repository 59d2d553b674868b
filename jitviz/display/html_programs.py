"""The programs in a saved notebook, as static HTML: whole texts to download, and graphs of small programs.

In: a `Recording`, and its kept answers.  Out: well-formed HTML.
Must never: need a script, or delay the end of a cell for a slow picture.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Container, Iterator
from html import escape
from typing import get_args

from ..model import Compile, ListingName
from ..model.quantities import count, size
from ..recording import Recording
from ..views.schema import GraphView
from ..views.words import plain, plain_lines
from .answers import RefusedError, answer, name_question
from .assets import pack_bytes
from .jaxpr_graph import draw_svg
from .kept_answers import Kept

# The <pre> of a notebook has margins, a background and a scroll bar of its own.
PRE = "margin:0 0 0 12px;padding:0;background:none;white-space:pre-wrap;font-size:12px;line-height:1.5"
# Someone waits for the pictures: two of this size take a few hundredths of a second.
MOST_NODES = 40
_MOST_GRAPHS = 2
_MOST_SVG = 20_000  # characters
_MOST_DOT_LINES = 60


def draw_programs(recording: Recording, kept: Kept, shown: Container[tuple[int, str]]) -> Iterator[str]:
    """A line for each version with kept texts, except those that are `shown` in full."""
    n_graphs = 0
    for row in recording.compiles:
        name = plain(f"{row.function}, version {row.version}", 100)
        if links := list(_links(row, kept, shown)):
            yield f"<div><small>whole texts of <code>{escape(name)}</code>: {' · '.join(links)}</small></div>"
        # A picture takes as much room as everything else, and some time: it is drawn only if someone called `show`.
        question = {"compile": row.index, "open": None}
        has_graph = not kept.is_bounded and name_question("graph", question) in kept.answers
        if has_graph and n_graphs < _MOST_GRAPHS and (graph := _graph(recording, question)) is not None:
            n_graphs += 1
            yield f"<details><summary><small>graph of <code>{escape(name)}</code></small></summary>"
            yield f"{_picture(graph, name)}</details>"


def _links(row: Compile, kept: Kept, shown: Container[tuple[int, str]]) -> Iterator[str]:
    """The texts of a version as download links, packed. An untrusted notebook drops the links."""
    for name in get_args(ListingName):
        packed = kept.answers.get(name_question("listing", {"compile": row.index, "name": name}))
        if packed is not None and (row.index, name) not in shown:
            text = json.loads(gzip.decompress(packed))["text"].encode(errors="replace")
            again = pack_bytes(text, 6)
            file = f"{''.join(filter(str.isalnum, row.function))}-{row.version}.{name}.txt.gz"
            uri = f"data:application/gzip;base64,{b64encode(again).decode()}"
            yield f'<a download="{escape(file)}" href="{uri}">{name}</a> ({size(len(text))})'


def _graph(recording: Recording, question: dict[str, int | None]) -> GraphView | None:
    try:
        view: GraphView = answer(recording, "graph", question)
    except RefusedError:
        return None
    return view if view.n_nodes <= MOST_NODES else None


def _picture(view: GraphView, name: str) -> str:
    """The graph as a picture if Graphviz is installed, else as DOT text."""
    svg = draw_svg(view.dot)
    if 0 < len(svg) <= _MOST_SVG:
        source = b64encode(svg.encode()).decode()
        alt = escape(f"graph of {name}: {count(view.n_nodes, 'node')}")
        return f'<img alt="{alt}" style="max-width:100%" src="data:image/svg+xml;base64,{source}"/>'
    lines = view.dot.splitlines()
    if len(lines) > _MOST_DOT_LINES:
        lines[_MOST_DOT_LINES:] = [f"// {count(len(lines) - _MOST_DOT_LINES, 'more line')}"]
    text = plain_lines("\n".join(lines))
    return f'<pre style="{PRE}">{escape(text)}</pre>'
