"""A recording as one HTML file that opens anywhere, offline, with every tab of the panel working.

In: a `Recording` and a path.  Out: the file.
Must never: load anything; the page forbids itself to. Data is in elements that do not execute, with `<` escaped.

Without scripts the page shows the static HTML, which is in it as well.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from ..views import shape_panel
from ..views.limits import PANEL
from ..views.schema import Panel
from .answers import RefusedError, answer, foresee, name_question
from .html import fragment

if TYPE_CHECKING:
    from ..recording import Recording

_STATIC = files(__package__) / "static"
_PACK_FROM = 8_000  # characters; what is shorter stays readable in the source of the page
_MOST_ANSWERS = 2_000_000  # characters; what does not fit is refused by the page, with a sentence


def write_page(recording: Recording, path: Path) -> Path:
    """Write the page and return its path.

    Raises:
        OSError: the file cannot be written.
    """
    panel = shape_panel(recording, PANEL)
    title = escape(f"jitviz · {panel.label}" if panel.label else "jitviz")
    # A text in the bundle must not end the element that it is in.
    bundle = (_STATIC / "jitviz.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    page = Template((_STATIC / "page.html").read_text(encoding="utf-8")).substitute(
        title=title,
        fragment=fragment(recording),
        view=_inert(_pack(panel)),
        answers=_inert(json.dumps(_answers(recording, panel))),
        bundle=bundle,
        digest=b64encode(sha256(bundle.encode()).digest()).decode(),
    )
    path.write_text(page, encoding="utf-8", newline="\n")
    return path


def _answers(recording: Recording, panel: Panel) -> dict[str, Any]:
    """Answers to everything that the panel may ask, by the name of the question, as far as there is room."""
    answers: dict[str, Any] = {}
    room = _MOST_ANSWERS
    for kind, params in foresee(recording, panel):
        try:
            packed = _pack(answer(recording, kind, params))
        except RefusedError:
            continue
        room -= len(packed)
        if room < 0:
            break
        answers[name_question(kind, params)] = json.loads(packed)
    return answers


def _pack(value: object) -> str:
    """JSON, packed if it is long. Dataclasses are written as objects."""
    text = json.dumps(value, default=vars, separators=(",", ":"), allow_nan=False)
    if len(text) < _PACK_FROM:
        return text
    return json.dumps({"gzip": b64encode(gzip.compress(text.encode(), mtime=0)).decode()})


def _inert(text: str) -> str:
    """JSON that cannot end the element it is in, or begin another."""
    return text.replace("<", "\\u003c")
