"""The answers that a page or a saved notebook keeps, so that programs can be read without a kernel.

In: a `Recording` and a budget.  Out: packed answers by the name of their question, and a note on those left out.
Must never: compute an answer that is certain to be too large.
"""

import gzip
import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, get_args

from ..model import TEXT_TITLES, first_of, size
from ..model.rows import TextName
from ..recording import Recording
from ..views import Panel
from ..views.schema import GraphView
from .answers import Params, Question, UnansweredError, answer, list_program_questions, name_question
from .assets import pack_bytes

# Packed bytes of program texts and their links, graphs and comparisons that a saved notebook keeps for each cell.
KEPT_IR_NBYTES = 60_000
# Links, graphs and comparisons take less than a microsecond per packed byte of program text, and the end of a cell, or
# `to_html`, waits for them. Beyond this many bytes they are computed only when someone opens them.
CELL_WORK_NBYTES = 150_000
PAGE_WORK_NBYTES = 3_000_000
LEVEL = 6  # of gzip: a panel waits for it
_SMALL = 2_000  # bytes
_DRAWN_AT_ONCE = 2  # graphs
_NAMED = 6  # left-out answers that are named; the rest is counted
_WORDS = {"links": "links", "facts": "costs", "graph": "graph", "difference": "comparison of the {name}"}


@dataclass(frozen=True)
class KeptAnswers:
    """Answers as gzipped JSON by the name of their question, and a sentence on what was left out, or ""."""

    answers: dict[str, bytes] = field(default_factory=dict)
    note: str = ""

    @property
    def has_graphs(self) -> bool:
        return any(name.startswith("graph ") for name in self.answers)


def keep(recording: Recording, panel: Panel, most_ir_bytes: int | None, *, has_engine: bool = True) -> KeptAnswers:
    """Keep the answers about programs; beyond `most_ir_bytes`, the biggest are left out first.

    Sizes are those of the packed answers; None keeps all texts. Slow answers (links, graphs and comparisons of large
    programs) are left out either way, since someone waits for the panel. If the reader has no engine for graphs, small
    ones are drawn here.
    """
    worth, left_out = _without_costly(recording, list_program_questions(panel), most_ir_bytes)
    packed = list(_answered(recording, worth, has_engine))
    if most_ir_bytes is not None:
        packed.sort(key=lambda pair: -len(pair[1]))
        packed.reverse()  # of two of a size, the first is left out
        n_kept = bisect_right(list(accumulate(len(body) for _, body in packed)), most_ir_bytes)
        left_out += [(question, len(body)) for question, body in packed[n_kept:]]
        del packed[n_kept:]
    note = _tell(left_out, panel, most_ir_bytes) if left_out else ""
    return KeptAnswers({name_question(*question): body for question, body in packed}, note)


# What a cell keeps that nobody asked about.
ONLY_ASKED = KeptAnswers(
    note="Without its kernel, program texts, links, graphs and comparisons are lost; `%%filterjit` keeps those of its "
    "cell."
)


def pack(body: Any) -> bytes:
    """JSON as gzip, the same bytes each time."""
    return pack_bytes(write(body).encode(), LEVEL)


def write(body: Any) -> str:
    """JSON; dataclasses are written as objects."""
    return json.dumps(body, default=vars, separators=(",", ":"), allow_nan=False)


def join(kept: KeptAnswers) -> dict[str, bytes]:
    """The answers as they are sent: the small ones together, under "", since each part of a message has a cost."""
    small = {name: packed for name, packed in kept.answers.items() if len(packed) < _SMALL}
    together = {name: json.loads(gzip.decompress(packed)) for name, packed in small.items()}
    return {name: packed for name, packed in kept.answers.items() if name not in small} | (
        {"": pack(together)} if together else {}
    )


def _without_costly(
    recording: Recording, questions: Iterable[Question], most_ir_bytes: int | None
) -> tuple[list[Question], list[tuple[Question, int]]]:
    """The questions that are worth asking, and the others with their size, 0 if unknown. A recording holds its texts
    packed, with source locations, which more than doubles their size."""
    most_text, room = (math.inf, PAGE_WORK_NBYTES) if most_ir_bytes is None else (4 * most_ir_bytes, CELL_WORK_NBYTES)
    worth: list[Question] = []
    costly: list[tuple[Question, int]] = []
    unread = recording.unread  # a saved notebook must not keep what is only half known
    for kind, params in questions:
        if unread.intersection(params.values()):
            continue
        nbytes, is_text = sum(map(len, _texts(recording, kind, params))), kind == "listing"
        if nbytes > (most_text if is_text else room):
            costly.append(((kind, params), nbytes if is_text else 0))
            continue
        worth.append((kind, params))
        room -= 0 if is_text else nbytes
    return worth, costly


def _answered(
    recording: Recording, questions: Iterable[Question], has_engine: bool
) -> Iterator[tuple[Question, bytes]]:
    """The packed answers; those that depend on equal texts alone are made once."""
    questions = list(questions)
    graphs = dict(_graphs(recording, questions)) if not has_engine else {}
    made: dict[object, bytes] = {}
    for question in questions:
        kind, params = question
        versions = [recording.compiles[index].transform for index in _compiles(params)]
        key = kind, params.get("name"), *versions, *_texts(recording, kind, params)
        with suppress(UnansweredError):
            if (packed := made.get(key)) is None:
                body: Any = graphs.get(name_question(*question)) or answer(recording, kind, params)
                packed = pack(body)
                # A graph and the facts name the arguments; so does the advice of links.
                if kind in ("listing", "difference") or (kind == "links" and not body.advice):
                    made[key] = packed
            yield question, packed


def _graphs(recording: Recording, questions: Iterable[Question]) -> Iterator[tuple[str, GraphView]]:
    """The graphs with their pictures, by the name of their question. Each different one is drawn once, beside others:
    Graphviz draws in processes of its own."""
    views: dict[str, GraphView] = {}
    for kind, params in questions:
        if kind == "graph":
            with suppress(UnansweredError):
                views[name_question(kind, params)] = answer(recording, kind, params)
    if not views:
        return
    from concurrent.futures import ThreadPoolExecutor  # few panels have a graph

    from .jaxpr_graph import MOST_DRAWN, draw_svg

    dots = list(dict.fromkeys(view.dot for view in views.values() if view.n_nodes <= MOST_DRAWN))
    with ThreadPoolExecutor(_DRAWN_AT_ONCE) as beside:
        pictures = dict(zip(dots, beside.map(draw_svg, dots), strict=True))
    yield from ((name, replace(view, svg=pictures.get(view.dot, ""))) for name, view in views.items())


def _compiles(params: Params) -> list[int]:
    """The numbers of the compiles that a question is about."""
    return [params[name] for name in ("compile", "before", "after") if name in params]


def _texts(recording: Recording, kind: str, params: Params) -> list[bytes]:
    """The packed texts that an answer is computed from."""
    read: dict[str, tuple[TextName, ...]] = {"facts": (), "links": get_args(TextName), "graph": ("jaxpr",)}
    names = read[kind] if kind in read else (params["name"],)
    return [recording.facts.texts.get((index, name), b"") for index in _compiles(params) for name in names]


def _tell(left_out: list[tuple[Question, int]], panel: Panel, most_ir_bytes: int | None) -> str:
    """What was left out, the biggest first, and how to get it."""
    biggest = sorted(left_out, key=lambda pair: -pair[1])
    names = [_name(question, panel) + (f" ({size(nbytes)})" if nbytes else "") for question, nbytes in biggest]
    named = "; ".join(first_of(names, _NAMED))
    if most_ir_bytes is None:
        return (
            f"Too large to compute in advance: {named}. In a notebook, "
            "`jitviz.show` computes them when they are opened."
        )
    return (
        f"Each panel keeps {size(most_ir_bytes)} of program texts. Without its kernel, these are lost: {named}. "
        '`rec = %jitviz last`, then `jitviz.show(rec)` or `rec.to_html("panel.html")` keeps all texts.'
    )


def _name(question: Question, panel: Panel) -> str:
    """ "HLO of step, version 1"."""
    kind, params = question
    index = params.get("compile", params.get("after"))
    title = TEXT_TITLES[params.get("name", "jaxpr")]
    what = title if kind == "listing" else _WORDS[kind].format(name=title)
    for function in panel.functions:
        for version in function.versions:
            if version.index == index and not version.is_before:
                return f"{what} of {function.name}, version {version.version}"
    return what
