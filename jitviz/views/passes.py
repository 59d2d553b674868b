"""XLA's passes of one compile, those that took most of it first.

In: the passes of a `Compile`.  Out: lines of text; none where it was not profiled.
Must never: count the time of a pass for what it lies in as well.
"""

from __future__ import annotations

from collections import Counter

from ..model import Pass
from .words import count, plain, seconds

_MOST = 6
_LEAST = 0.01  # of the whole


def tell_passes(passes: tuple[Pass, ...]) -> tuple[str, ...]:
    """One line for the whole, and one for each kind of pass with its own time."""
    whole_s = sum(one.duration_s for one in passes if one.parent is None)
    own = [one.duration_s for one in passes]
    for one in passes:
        if one.parent is not None:
            own[one.parent] -= one.duration_s
    spent: dict[str, float] = {}
    often = Counter[str]()
    for one, own_s in zip(passes, own, strict=True):
        name = one.name.partition(" (")[0]
        spent[name] = spent.get(name, 0.0) + max(0.0, own_s)  # what goes on beside it on other threads is no less
        often[name] += 1
    longest = sorted(spent, key=lambda name: -spent[name])[:_MOST]
    rows = [
        f"  {seconds(spent[name])} in `{plain(name, 80)}`{f', {often[name]:,} times' if often[name] > 1 else ''}"
        for name in longest
        if spent[name] > _LEAST * whole_s
    ]
    return (f"XLA's passes: {count(len(passes), 'span')}, {seconds(whole_s)}", *rows) if passes else ()
