"""Questions to answer before looking at the panel, each with its answer.

In: a finished `Recording`.  Out: `Quiz`, or None if there is nothing to ask.
Must never: give away an answer in a question: avals and values belong to the answers.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import islice
from typing import TypeVar

from ..model import Call, Leaf, hits_seen
from ..recording import Recording
from ..recording.calls import Calls
from .schema import CallQuestion, LeafQuestion, Quiz
from .screen_limits import NAME_CHARS, SENTENCE_CHARS, VALUE_CHARS, Limits
from .words import aval, plain, plain_path

_T = TypeVar("_T")
_UNSEEN = "The quiz leaves out hits that could not be seen, and numbers the calls without them."


def shape_quiz(recording: Recording, limits: Limits) -> Quiz | None:
    """Ask whether each call hit or compiled, and which leaves were traced in the first call whose arguments are known.

    Calls that did neither (retraced, inlined, raised) are left out. If there are too many calls or leaves, the first
    of each kind is asked about, and some others.
    """
    calls, plain_calls = recording.facts.calls, _first_calls(recording, limits.questions)
    asked = _choose(plain_calls, lambda call: (call.lineage, call.outcome, call.version, call.source), limits.questions)
    first = next((call for call in plain_calls if _leaves(call)), None)
    leaves = _leaves(first) if first is not None else []
    shown = _choose(leaves, lambda leaf: (leaf.role, leaf.type), limits.questions)
    if not asked:
        return None
    return Quiz(
        calls=tuple(
            CallQuestion(
                function=plain(call.function, NAME_CHARS),
                number=calls.number_of(call.index),
                source=plain_path(call.source, VALUE_CHARS),
                truth="hit" if call.outcome == "hit" else "compile",
                because=plain(_tell_call(call, calls), SENTENCE_CHARS),
            )
            for call in asked
        ),
        n_more_calls=calls.n_at.total() - len(asked),
        function=plain(first.function, NAME_CHARS) if first is not None else "",
        call=calls.number_of(first.index) if first is not None else 0,
        source=plain_path(first.source, VALUE_CHARS) if first is not None else "",
        leaves=tuple(_ask_leaf(leaf) for leaf in shown),
        n_more_leaves=len(leaves) - len(shown),
        note=_UNSEEN if any(hits_seen(call.function_info, recording.hits_seen) != "all" for call in asked) else "",
    )


def _first_calls(recording: Recording, most: int) -> list[Call]:
    """The calls to choose from, in order: the first in each row of alike ones, and the first of all."""
    alike = (call for call, _ in recording.facts.calls.alike() if call.index >= 0)
    firsts = (call for call in recording.calls if call.outcome in ("hit", "compile"))
    calls = {call.index: call for call in alike if call.outcome in ("hit", "compile")}
    calls |= {call.index: call for call in islice(firsts, most)}  # these rows have the time of one call
    return [calls[index] for index in sorted(calls)]


def _leaves(call: Call) -> list[Leaf]:
    return [leaf for leaf in call.signature.leaves if not leaf.is_metadata] if call.signature is not None else []


def _choose(items: Sequence[_T], kind_of: Callable[[_T], Hashable], most: int) -> list[_T]:
    """At most `most` items, in order: the first of each kind, then the first of all. Not every chosen item is the first
    of its kind, so that being chosen does not give the answer away."""
    first: dict[Hashable, int] = {}
    for place, item in enumerate(items):
        first.setdefault(kind_of(item), place)
    places = dict.fromkeys([*list(first.values())[:most], *range(min(most, len(items)))])
    return [items[place] for place in sorted(list(places)[:most])]


def _tell_call(call: Call, calls: Calls) -> str:
    compile = call.compile
    if compile is None:
        return "The version was already compiled." if call.outcome == "hit" else ""
    if call.outcome == "compile":
        return compile.reasons[0].summary if compile.reasons else ""
    if compile.call is None:
        return f"It ran version {compile.version}, which was compiled before."
    return f"It ran version {compile.version}, which call {calls.number_of(compile.call.index):,} compiled."


def _ask_leaf(leaf: Leaf) -> LeafQuestion:
    if leaf.role == "traced":
        because = f"An input of the program: `{aval(leaf.dtype, leaf.shape)}`."
    else:
        because = f"Part of the cache key: `{plain(leaf.repr or leaf.type, VALUE_CHARS)}`."
    return LeafQuestion(
        path=plain_path(leaf.path, VALUE_CHARS),
        type=plain(leaf.type, NAME_CHARS),
        truth=leaf.role,
        because=plain(because, SENTENCE_CHARS),
    )
