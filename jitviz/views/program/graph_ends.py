"""Inputs and outputs of a program, gathered by the subtrees that they stand in.

In: the paths of the leaves.  Out: the subtrees that are drawn, each with the places of its leaves.
Must never: gather what can be looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model.paths import steps_to

_MOST = 24  # inputs, or outputs, that can be looked at one by one
_FEW = 8  # subtrees that stand for more of them


def gather(paths: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The path of each subtree and the places of what is in it, in order; the biggest are divided first."""
    if len(paths) <= _MOST:
        return [(path, [place]) for place, path in enumerate(paths)]
    chains = [steps_to(path) for path in paths]
    done: list[tuple[str, list[int]]] = []
    waiting = _divide(chains, range(len(paths)), 0)
    depths = dict.fromkeys(waiting, 0)
    while waiting:
        name = max(waiting, key=lambda one: len(waiting[one]))
        places, depth = waiting.pop(name), depths[name] + 1
        below = _divide(chains, places, depth) if len(places) > 1 else {}
        if below and len(done) + len(waiting) + len(below) <= _FEW:
            waiting |= below
            depths |= dict.fromkeys(below, depth)
        else:
            done.append((paths[places[0]] if len(places) == 1 else name, places))
    return sorted(done, key=lambda group: group[1][0])


def _divide(chains: Sequence[Sequence[str]], places: Iterable[int], depth: int) -> dict[str, list[int]]:
    """By the step at this depth; into nothing where one of them ends before it."""
    groups: dict[str, list[int]] = {}
    for place in places:
        if depth >= len(chains[place]):
            return {}
        groups.setdefault(chains[place][depth], []).append(place)
    return groups
