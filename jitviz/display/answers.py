"""Answers to the questions of a panel: whole trees, program texts, and their links to the source.

In: a `Recording` and a question as `js/src/wire/messages.ts` describes it.
Out: the answer, as dataclasses of the schema and plain values.
Must never: raise anything but `UnansweredError` from `answer`, or compute an answer before its question.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from itertools import chain, pairwise
from typing import Any

from ..recording import Recording
from ..views import PANEL, FunctionView, Panel, Version
from ..views.score import shape_score
from ..views.timeline import drawn_calls
from ..views.versions import shape_detail
from .assets import read_chunk

Params = Mapping[str, Any]
Question = tuple[str, dict[str, Any]]


class UnansweredError(Exception):
    """A question has no answer; the message is a sentence for people."""


def answer(recording: Recording, kind: str, params: Params) -> Any:
    """The body of the answer to one question.

    Raises:
        UnansweredError: the recording has no answer, or the answer cannot be computed.
    """
    try:
        return _ANSWERS[kind](recording, **params)
    except (LookupError, ModuleNotFoundError) as error:  # the latter says what to install
        raise UnansweredError(str(error.args[0] if error.args else error)) from error
    except Exception as error:
        raise UnansweredError(f"This lookup failed: {type(error).__name__}.") from error


def name_question(kind: str, params: Mapping[str, object]) -> str:
    """ "listing compile 0 name hlo": the name under which a page keeps the answer."""
    words = ("null" if part is None else str(part) for item in params.items() for part in item)  # null as in JavaScript
    return " ".join([kind, *words])


def list_tree_questions(recording: Recording, panel: Panel) -> Iterator[Question]:
    """The questions about trees that a panel may ask. Of the calls whose version was not compiled here, it asks only
    about the first of each version, and about those whose arguments are known without a version."""
    for version in chain.from_iterable(map(_compiled_here, panel.functions)):
        yield "partition", {"compile": version.index}
    first: dict[tuple[str, int], int] = {}
    for place, (call, _) in enumerate(drawn_calls(recording, PANEL) if recording.earlier else ()):
        if call.compile is not None and call.compile.start_s < 0:
            first.setdefault((call.lineage, call.compile.version), place)
    for index in (*first.values(), *panel.timeline.signed_calls):
        yield "partition", {"call": index}


def list_program_questions(panel: Panel) -> Iterator[Question]:
    """The questions about programs that a panel may ask: texts, facts, links, graphs and comparisons. Of the
    comparisons and graphs, these are the ones that a panel opens with."""
    for function in panel.functions:
        for version in _compiled_here(function):
            for listing in version.listings:
                yield "listing", {"compile": version.index, "name": listing.name}
            if version.listings:
                yield "facts", {"compile": version.index}
                yield "links", {"compile": version.index}
                yield "graph", {"compile": version.index, "open": None}
        here = _compiled_here(function)
        by_index = {version.index: version for version in here}
        for previous, after in pairwise(here):  # compared with the one that its reasons name, or else the previous one
            before = by_index.get(after.compared_with, previous)
            for listing in after.listings:
                yield "difference", {"before": before.index, "after": after.index, "name": listing.name}


def _compiled_here(function: FunctionView) -> list[Version]:
    return [version for version in function.versions if not version.is_before]


def _import_later(module: str, function: str) -> Callable[..., Any]:
    """A function of a module that is imported at the first question: most panels are never asked about programs."""
    return lambda *args, **params: getattr(import_module(module, __package__), function)(*args, **params)


_listing = _import_later("..views.program", "shape_listing")
_ANSWERS: dict[str, Callable[..., Any]] = {
    "partition": shape_detail,
    "score": lambda recording, **params: shape_score(recording, PANEL, **params),
    "listing": lambda recording, **params: {"text": _listing(recording, **params)},
    "links": _import_later("..views.program", "shape_links"),
    "difference": _import_later("..views.program", "shape_difference"),
    "facts": _import_later("..views.program", "shape_facts"),
    "graph": _import_later(".jaxpr_graph", "view_graph"),
    "chunk": lambda _, name: {"code": read_chunk(name)},
}
