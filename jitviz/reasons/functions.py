"""The jitted function itself: is it the same object, compiled with the same options, under the same transform?

In: two misses of one lineage.  Out: changes of the kinds new_function and transform.
Must never: blame the function for what a static leaf already says (the callable object that a loop runs).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Description, Function, Miss, Signature
from .change import Change, Event, Facts
from .statics import closed_over, first_inside

_LOOP_BODY = "f"  # where a callable object that a loop runs is listed among the leaves


def compare_functions(before: Miss, after: Miss) -> Iterator[Change]:
    """Another function object, other jit options, another transform."""
    if before.function.token != after.function.token and not _is_leaf(after):
        yield _made_anew(before.function, after.function)
    yield from compare_options(before.signature, after.signature)
    if before.transform != after.transform:
        yield Change("transform", "", before.transform or "call", after.transform or "call")


def compare_options(before: Signature, after: Signature) -> Iterator[Change]:
    """jit options, donation among them; a second jit of the same function with the same options is a hit."""
    old, new = dict(before.options), dict(after.options)
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name, "not given"), new.get(name, "not given")
        if was != now:
            yield Change("new_function", "", was, now, Facts(event="options", option=name))


def _is_leaf(miss: Miss) -> bool:
    return miss.function.wrapper.is_loop and any(
        leaf.path == _LOOP_BODY and leaf.role == "static" for leaf in miss.signature.leaves
    )


def _made_anew(before: Function, after: Function) -> Change:
    was, now = before.body or Description("function", before.name), after.body or Description("function", after.name)
    is_same_inside = was.token is not None and was.token == now.token
    is_edited = None not in (was.code, now.code) and was.code != now.code
    around: Event = "remade" if after.wrapper.is_loop else "rewrapped"
    facts = Facts(
        event="edited" if is_edited else around if is_same_inside else "anew",
        type=now.type,
        where=after.defined_at,
        is_rerun=after.defined_at.startswith("In [") and _cell(before) != _cell(after),
        inside=first_inside(was, now),
        closes_over=tuple(name for name, part in closed_over(now) if part.code is None),
    )
    return Change("new_function", "", was.text, now.text, facts)


def _cell(function: Function) -> str:
    return function.defined_at.rpartition(":")[0]
