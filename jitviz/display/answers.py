"""What a panel asks for when someone looks closer: whole trees and program texts.

In: a `Recording` and a question as `js/src/wire.ts` describes it.
Out: the answer, as dataclasses of the schema and plain values.
Must never: let an exception of any other kind than `RefusedError` out of `answer`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

from ..views.detail import detail_of_call, detail_of_compile
from ..views.groups import lineage
from ..views.limits import PANEL
from ..views.schema import Detail, ListingName, Panel

if TYPE_CHECKING:
    from ..recording import Recording


class RefusedError(Exception):
    """A question has no answer; the message is a sentence for people."""


def answer(recording: Recording, kind: object, params: object) -> Detail | dict[str, str]:
    """The body of the answer to one question.

    Raises:
        RefusedError: the question is malformed, or the recording has no answer.
    """
    if not isinstance(params, Mapping):
        raise RefusedError("A question needs parameters by name.")
    try:
        if kind == "partition":
            return _partition(recording, params)
        if kind == "listing":
            return _listing(recording, params)
    except LookupError as error:
        raise RefusedError(str(error.args[0] if error.args else error)) from error
    except RefusedError:
        raise
    except Exception as error:
        raise RefusedError(f"This could not be looked up: {type(error).__name__}.") from error
    raise RefusedError("There is no such kind of question.")


def name_question(kind: str, params: Mapping[str, object]) -> str:
    """ "listing compile 0 name hlo": what a page keeps the answer under."""
    return " ".join([kind, *(str(part) for item in params.items() for part in item)])


def foresee(recording: Recording, panel: Panel) -> Iterator[tuple[str, dict[str, object]]]:
    """All questions that a panel may ask, trees before texts.

    Of the calls whose version was not compiled here, it asks only for the first of each version.
    """
    versions = [version for function in panel.functions for version in function.versions if not version.is_before]
    for version in versions:
        yield "partition", {"compile": version.index}
    first: dict[tuple[str, int], int] = {}
    for call in recording.calls:
        if call.compile is None or call.compile.start_s < 0:
            first.setdefault((lineage(call), call.version or 0), call.index)
    for index in first.values():
        yield "partition", {"call": index}
    for version in versions:
        for listing in version.listings:
            yield "listing", {"compile": version.index, "name": listing.name}


def _partition(recording: Recording, params: Mapping[str, Any]) -> Detail:
    if "compile" in params:
        return detail_of_compile(recording, _number(params, "compile"), PANEL)
    return detail_of_call(recording, _number(params, "call"), PANEL)


def _listing(recording: Recording, params: Mapping[str, Any]) -> dict[str, str]:
    index = _number(params, "compile")
    name: ListingName | None = next((one for one in get_args(ListingName) if one == params.get("name")), None)
    if name is None:
        raise RefusedError("There is no such program text.")
    if not 0 <= index < len(recording.compiles):
        raise RefusedError(f"The recording has no compile {index}; it has {len(recording.compiles)}.")
    text = recording.text(index, name)
    if text is None:
        raise RefusedError("JAX did not show this text.")
    return {"text": text}


def _number(params: Mapping[str, Any], name: str) -> int:
    value = params.get(name)
    if type(value) is not int:
        raise RefusedError(f"A question needs the number of a {name}.")
    return value
