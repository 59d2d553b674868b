"""What a panel asks for when someone looks closer: whole trees, program texts, and what ties these to the source.

In: a `Recording` and a question as `js/src/wire.ts` describes it.
Out: the answer, as dataclasses of the schema and plain values.
Must never: let an exception of any other kind than `RefusedError` out of `answer`, or work out what nobody asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, get_args

from ..model import ListingName
from ..views.detail import detail_of_call, detail_of_compile
from ..views.limits import PANEL
from ..views.schema import Detail, Difference, FunctionView, GraphView, Links, Panel, ProgramFacts, Version
from .assets import pack_chunk

if TYPE_CHECKING:
    from ..recording import Recording

Params = Mapping[str, Any]
Question = tuple[str, dict[str, Any]]


class RefusedError(Exception):
    """A question has no answer; the message is a sentence for people."""


def answer(recording: Recording, kind: object, params: object) -> Any:
    """The body of the answer to one question.

    Raises:
        RefusedError: the question is malformed, or the recording has no answer.
    """
    if not isinstance(params, Mapping):
        raise RefusedError("A question needs parameters by name.")
    find = _ANSWERS.get(kind) if isinstance(kind, str) else None
    if find is None:
        raise RefusedError("There is no such kind of question.")
    try:
        return find(recording, params)
    except LookupError as error:
        raise RefusedError(str(error.args[0] if error.args else error)) from error
    except RefusedError:
        raise
    except Exception as error:
        raise RefusedError(f"This lookup failed: {type(error).__name__}.") from error


def name_question(kind: str, params: Mapping[str, object]) -> str:
    """ "listing compile 0 name hlo": what a page keeps the answer under."""
    return " ".join([kind, *(_word(part) for item in params.items() for part in item)])


def foresee_trees(recording: Recording, panel: Panel) -> Iterator[Question]:
    """The questions that a panel may ask for trees.

    Of the calls whose version was not compiled here, it asks only for the first of each version.
    """
    for version in chain.from_iterable(map(_here, panel.functions)):
        yield "partition", {"compile": version.index}
    first: dict[tuple[str, int], int] = {}
    for call in recording.calls:
        if call.compile is None or call.compile.start_s < 0:
            first.setdefault((call.lineage, call.version or 0), call.index)
    for index in first.values():
        yield "partition", {"call": index}


def foresee_programs(panel: Panel) -> Iterator[Question]:
    """The questions that a panel may ask of what was compiled: texts, what ties them together, and comparisons.

    Of the comparisons, those with which a version is compared first; of the graphs, those that open by themselves.
    """
    for function in panel.functions:
        for version in _here(function):
            for listing in version.listings:
                yield "listing", {"compile": version.index, "name": listing.name}
            if version.listings:
                yield "facts", {"compile": version.index}
                yield "links", {"compile": version.index}
                yield "graph", {"compile": version.index, "open": None}
        for before, after in _compared(function):
            for listing in after.listings:
                yield "difference", {"before": before.index, "after": after.index, "name": listing.name}


def _here(function: FunctionView) -> list[Version]:
    return [version for version in function.versions if not version.is_before]


def _compared(function: FunctionView) -> Iterator[tuple[Version, Version]]:
    """Each version with the one that its reasons compare it with, else with the one before."""
    here = _here(function)
    by_index = {version.index: version for version in here}
    for before, after in pairwise(here):
        yield by_index.get(after.compared_with, before), after


def _partition(recording: Recording, params: Params) -> Detail:
    if "compile" in params:
        return detail_of_compile(recording, _number(params, "compile"), PANEL)
    return detail_of_call(recording, _number(params, "call"), PANEL)


def _listing(recording: Recording, params: Params) -> dict[str, str]:
    from ..views.program import shape_listing

    index, name = _compile(recording, params), _listing_name(params)
    return {"text": shape_listing(recording, index, name)}


def _links(recording: Recording, params: Params) -> Links:
    from ..views.program import shape_links

    return shape_links(recording, _compile(recording, params))


def _difference(recording: Recording, params: Params) -> Difference:
    from ..views.program import shape_difference

    before, after = (_compile(recording, params, side) for side in ("before", "after"))
    return shape_difference(recording, before, after, _listing_name(params))


def _facts(recording: Recording, params: Params) -> ProgramFacts:
    from ..views.program import shape_facts

    return shape_facts(recording, _compile(recording, params))


def _graph(recording: Recording, params: Params) -> GraphView:
    from .jaxpr_graph import view_graph

    opened = params.get("open")
    if opened is not None and not (isinstance(opened, list | tuple) and all(isinstance(one, str) for one in opened)):
        raise RefusedError("A graph needs the names of what is open in it.")
    has_svg = params.get("has_svg") is True
    return view_graph(recording, _compile(recording, params), opened, has_svg=has_svg)


def _chunk(_recording: Recording, params: Params) -> dict[str, bytes]:
    return {"code": pack_chunk(str(params.get("name")))}


# Program texts are read by code that is loaded when someone first asks: most panels are never asked.
_ANSWERS: dict[str, Callable[[Recording, Params], Any]] = {
    "partition": _partition,
    "listing": _listing,
    "links": _links,
    "difference": _difference,
    "facts": _facts,
    "graph": _graph,
    "chunk": _chunk,
}


def _compile(recording: Recording, params: Params, name: str = "compile") -> int:
    index = _number(params, name)
    if not 0 <= index < len(recording.compiles):
        raise RefusedError(f"The recording has no compile {index}; it has {len(recording.compiles)}.")
    return index


def _listing_name(params: Params) -> ListingName:
    name: ListingName | None = next((one for one in get_args(ListingName) if one == params.get("name")), None)
    if name is None:
        raise RefusedError("There is no such program text.")
    return name


def _number(params: Params, name: str) -> int:
    value = params.get(name)
    if type(value) is not int:
        raise RefusedError(f"A question needs a number as `{name}`.")
    return value


def _word(part: object) -> str:
    """As JavaScript writes it."""
    return "null" if part is None else str(part)
