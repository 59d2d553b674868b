"""The programs in a saved notebook, as static HTML: whole texts to download, and graphs of small programs.

In: a `Recording`, and its kept answers.  Out: well-formed HTML.
Must never: need a script, or delay the end of a cell for a slow picture.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Container, Iterator
from contextlib import suppress
from html import escape
from typing import get_args

from ..model import Compile, ListingName
from ..model.quantities import count, size
from ..recording import Recording
from ..views.schema import GraphView
from ..views.words import plain
from .answers import RefusedError, answer, name_question
from .assets import pack_bytes
from .kept_answers import Kept

# The <pre> of a notebook has margins, a background and a scroll bar of its own.
PRE = "margin:0 0 0 12px;padding:0;background:none;white-space:pre-wrap;font:12px/1.5 monospace"
# Someone waits for the pictures: two of them take a few hundredths of a second.
_MOST_GRAPHS = 2
_MOST_SVG = 40_000  # characters


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
        if has_graph and n_graphs < _MOST_GRAPHS and (picture := _picture(recording, question, name)):
            n_graphs += 1
            yield f"<details><summary><small>graph of <code>{escape(name)}</code></small></summary>{picture}</details>"


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


def _picture(recording: Recording, question: dict[str, int | None], name: str) -> str:
    """The graph as a picture of its own size, or "" if Graphviz is not installed, or it would be too large."""
    from ..views.program.graph import AT_ONCE  # the panels of most cells have no pictures
    from .jaxpr_graph import draw_svg

    with suppress(RefusedError):
        view: GraphView = answer(recording, "graph", question)
        svg = draw_svg(view.dot) if view.n_nodes <= AT_ONCE else ""
        if 0 < len(svg) <= _MOST_SVG:
            source = b64encode(svg.encode()).decode()
            alt = escape(f"graph of {name}: {count(view.n_nodes, 'node')}")
            image = f'<img alt="{alt}" style="max-width:none" src="data:image/svg+xml;base64,{source}"/>'
            return f'<div style="overflow-x:auto">{image}</div>'
    return ""
