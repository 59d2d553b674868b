"""XLA's passes of one compile, the longest first, and the source lines of its fusions.

In: the passes of a `Compile`.  Out: lines of text, or nodes of a tree; none if the compile was not profiled.
Must never: count the time of an inner pass for the outer one too, or the time of two parallel passes twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from ..jaxcompat.texts.names import fusion_of, pass_of
from ..model import Pass
from ..model.quantities import count, seconds
from ..recording import Recording
from .time_tree import Node
from .words import plain, plain_path

_MOST = 6
_LEAST = 0.01  # of the whole
_NAME_CHARS = 80
_MOST_LINES = 3  # named for one fusion


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
        name = pass_of(one.name)
        spent[name] = spent.get(name, 0.0) + max(0.0, own_s)  # negative if inner passes ran in parallel
        often[name] += 1
    longest = sorted(spent, key=lambda name: -spent[name])[:_MOST]
    rows = [
        f"{seconds(spent[name])} in `{plain(name, _NAME_CHARS)}`" + (f", {often[name]:,} times" * (often[name] > 1))
        for name in longest
        if spent[name] > _LEAST * whole_s
    ]
    return (f"XLA's passes: {count(len(passes), 'span')}, {seconds(whole_s)}", *rows) if passes else ()


def add_passes(node: Node, passes: tuple[Pass, ...], tell: Callable[[str], str]) -> None:
    """Put passes below a node, merged by name; `tell` describes a fusion, given its name.

    A pass on another thread counts as inside the pass of the first thread that ran meanwhile. If that one, or one
    around it, has the same name, the two are siblings. The outermost pass is the whole phase.
    """
    paths: list[tuple[Node, ...]] = []
    keys: list[tuple[str, ...]] = []
    until: dict[int, float] = {}
    for one in passes:
        above, names = (paths[one.parent], keys[one.parent]) if one.parent is not None else ((node,), ("",))
        name = pass_of(one.name)
        if name in names:
            place = names.index(name)
            above, names = above[:place], names[:place]
        if one.parent is not None:
            above, names = (*above, above[-1].child("pass", name)), (*names, name)
        if fusion := fusion_of(one.name):
            above, names = (*above, above[-1].child("fusion", fusion, partial(tell, fusion))), (*names, fusion)
        paths.append(above)
        keys.append(names)
        end_s = one.start_s + one.duration_s
        for each in above[1:]:
            each.seconds += max(0.0, end_s - max(one.start_s, until.get(id(each), 0.0)))
            until[id(each)] = max(end_s, until.get(id(each), 0.0))


def tell_fusion(recording: Recording, compile: int, name: str) -> str:
    """ "sine_add_fusion of model.py:8, model.py:9"."""
    from .program.fusions import lines_of

    lines = lines_of(recording, compile, name)
    told = [plain_path(line, _NAME_CHARS) for line in lines[:_MOST_LINES]]
    more = [f"{len(lines) - _MOST_LINES:,} more"] if len(lines) > _MOST_LINES else []
    return f"{plain(name, _NAME_CHARS)}{' of ' if told else ''}{', '.join([*told, *more])}"
