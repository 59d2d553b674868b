"""A recording as one HTML file that opens anywhere, offline, with every tab of the panel working.

In: a `Recording` and a path.  Out: the file.
Must never: load anything (the page's own policy forbids it), or hold data in an element that executes.

Without scripts, the page shows the static HTML, which it also contains.
"""

import json
from base64 import b64encode
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ..recording import Recording, whole_file
from ..views import PANEL, Panel, shape_panel
from .answers import UnansweredError, answer, list_tree_questions, name_question
from .assets import pack_bundle, pack_bytes, pack_chunk, read_text, to_letters
from .html import fragment
from .jaxpr_graph import is_installed
from .kept_answers import LEVEL, keep, write

_PACK_FROM = 8_000  # characters; shorter data stays readable in the source of the page


def write_page(recording: Recording, path: Path, most_ir_bytes: int | None = None) -> Path:
    """Write the page and return its path.

    It holds all program texts, or as many as fit into `most_ir_bytes` when packed, and the answers about them that do
    not take long; see `kept_answers`.

    Raises:
        OSError: the file cannot be written.
    """
    panel = shape_panel(recording, PANEL)
    kept = keep(recording, panel, most_ir_bytes, has_engine=not is_installed())
    needs_engine = kept.has_graphs and not is_installed()
    panel = replace(panel, not_kept=kept.note)
    answers = _trees(recording, panel) | {name: _base64(body) for name, body in kept.answers.items()}
    title = escape(f"jitviz · {panel.label}" if panel.label else "jitviz")
    opener = read_text("opener.js")
    page = Template(read_text("page.html")).substitute(
        title=title,
        fragment=fragment(recording),
        view=_escape_script(_pack(panel)),
        answers=_escape_script(json.dumps(answers)),
        # What draws program texts; and graphs, where this machine cannot: that is bigger than everything else.
        code=to_letters(pack_chunk("code")) if kept.answers else "",
        graphviz=to_letters(pack_chunk("graphviz")) if needs_engine else "",
        wasm=" 'wasm-unsafe-eval'" if needs_engine else "",
        bundle=to_letters(pack_bundle()),
        opener=opener,
        digest=b64encode(sha256(opener.encode()).digest()).decode(),
    )
    with whole_file(path) as place:
        place.write_text(page, encoding="utf-8", newline="\n")
    return path


def _trees(recording: Recording, panel: Panel) -> dict[str, Any]:
    """The answers to all questions about arguments and outputs that the panel may ask, by name."""
    answers: dict[str, Any] = {}
    for kind, params in list_tree_questions(recording, panel):
        with suppress(UnansweredError):
            packed = _pack(answer(recording, kind, params), level=1)  # columns pack as well, in a quarter of the time
            answers[name_question(kind, params)] = json.loads(packed)
    return answers


def _pack(value: object, level: int = LEVEL) -> str:
    """JSON, packed if it is long."""
    text = write(value)
    return text if len(text) < _PACK_FROM else json.dumps(_base64(pack_bytes(text.encode(), level)))


def _base64(packed: bytes) -> dict[str, str]:
    return {"gzip": b64encode(packed).decode()}


def _escape_script(text: str) -> str:
    """JSON that can neither end its element nor start another."""
    return text.replace("<", "\\u003c")
