"""Calls and hits in words, as far as they were seen.

In: counts, and which hits were seen.  Out: short phrases for sentences, chips and tables.
Must never: count what was not seen; where no hit was, there is no number of hits, and none of calls.
"""

from __future__ import annotations

from ..model import HitsSeen
from .schema import FunctionView
from .words import count


def at_least(number: int, seen: HitsSeen) -> str:
    """A number of calls or hits for a table: "≥ 3" where more may have happened unseen."""
    if seen == "none":
        return "not seen"
    if seen == "all":
        return f"{number:,}"
    return f"≥ {number:,}" if number else "none seen"


def count_seen(number: int, noun: str, seen: HitsSeen) -> str:
    """The same for a sentence: "at least 3 calls"."""
    return ("" if seen == "all" else "at least ") + count(number, noun)


def tell_calls(function: FunctionView) -> str:
    """ "12 calls: 10 hits, 2 compiles, 1 avoidable recompile"; where no hits are seen, "2 compiles; hits not seen"."""
    seen = function.hits_seen
    kinds = [count(function.hits, "hit")] if function.hits or (seen == "all" and function.calls) else []
    kinds.append(count(function.compiles, "compile"))
    for number, noun in (
        (function.avoidable, "avoidable recompile"),
        (function.recompiles - function.avoidable, "expected recompile"),
        (function.traces, "retrace"),
        (function.inlined, "inlined call"),
        (function.errors, "error"),
    ):
        if number:
            kinds.append(count(number, noun))
    if seen == "none":
        return f"{', '.join(kinds)}; hits not seen"
    if not function.calls:
        return ", ".join(kinds)
    return f"{count_seen(function.calls, 'call', seen)}: {', '.join(kinds)}"


def tell_site(calls: int, hits: int, compiles: int, seen: HitsSeen) -> str:
    """ "3 calls, 2 hits, 1 compile" of a line; one that only traced or lowered made no call."""
    told = [count(compiles, "compile")]
    if not calls:
        return told[0] if compiles else "ahead of time only"
    if hits or seen == "all":
        told.insert(0, count(hits, "hit"))
    if seen != "none":
        told.insert(0, count_seen(calls, "call", seen))
    return ", ".join(told)
