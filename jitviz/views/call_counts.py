"""The calls and hits that were seen, in words.

In: counts, and which hits were seen.  Out: short phrases for sentences and chips.
Must never: count what was not seen; if no hit is seen, neither hits nor calls have a number.
"""

from collections import Counter
from collections.abc import Sequence

from ..model import HitsSeen
from ..model.quantities import count

RECOMPILES = ("avoidable recompile", "maybe avoidable recompile", "expected recompile")
RARE = ("retrace", "inlined call", "error")


def at_least(number: int, seen: HitsSeen) -> str:
    """A number of calls or hits for a chip: "≥ 3" if there may have been more, unseen."""
    if seen == "none":
        return "not seen"
    if seen == "all":
        return f"{number:,}"
    return f"≥ {number:,}" if number else "none seen"


def count_seen(number: int, noun: str, seen: HitsSeen) -> str:
    """A number of calls or hits for a sentence: "at least 3 calls"."""
    return ("" if seen == "all" else "at least ") + count(number, noun)


def tell_calls(counts: Counter[str], seen: HitsSeen) -> str:
    """ "12 calls: 10 hits, 2 compiles, 1 avoidable recompile"; if no hits are seen, "2 compiles; hits not seen"."""
    kinds = [count(counts["hit"], "hit")] if counts["hit"] or (seen == "all" and counts["call"]) else []
    kinds += [count(counts["compile"], "compile"), *tell_rare(counts)]
    if seen == "none":
        return f"{', '.join(kinds)}; hits not seen"
    if not counts["call"]:
        return ", ".join(kinds)
    return f"{count_seen(counts['call'], 'call', seen)}: {', '.join(kinds)}"


def tell_rare(counts: Counter[str], nouns: Sequence[str] = (*RECOMPILES, *RARE)) -> list[str]:
    """What there is any of: ["1 avoidable recompile", "2 errors"]."""
    return [count(counts[noun], noun) for noun in nouns if counts[noun]]


def tell_site(counts: Counter[str], seen: HitsSeen) -> str:
    """ "3 calls, 2 hits, 1 compile", for one line. A line that only traced or lowered made no call."""
    if counts["inlined call"] and counts["inlined call"] == counts["call"]:
        return count_seen(counts["call"], "inlined call", seen)
    told = [count(counts["compile"], "compile")]
    if not counts["call"]:
        return told[0] if counts["compile"] else "ahead of time only"
    if counts["hit"] or seen == "all":
        told.insert(0, count(counts["hit"], "hit"))
    if seen != "none":
        told.insert(0, count_seen(counts["call"], "call", seen))
    return ", ".join(told)
