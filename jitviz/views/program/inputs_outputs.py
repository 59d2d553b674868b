"""The leaves of the arguments and results that a program's inputs and outputs belong to.

In: a `Compile` and its equations as data.  Out: a leaf, or None, for each input and output; subtrees if there are many.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ...model import Compile, Leaf
from ...model.paths import steps_to

_MOST = 24  # inputs or outputs that are listed one by one
_FEW = 8  # subtrees if there are more


def leaves_of_inputs(row: Compile, program: dict[str, Any]) -> list[Leaf | None]:
    """The leaf of each input; all None if the program has different inputs, such as a gradient from outside."""
    traced = row.signature.traced
    leaves: Sequence[Leaf | None] = traced
    if paths := program.get("paths"):  # a wrapper may pass its arguments on in a different order
        by_path = {leaf.path: leaf for leaf in traced}
        leaves = [by_path.get(path) for path in paths]
    n_inputs = len(program.get("inputs", ()))
    return list(leaves) if len(leaves) == len(traced) == n_inputs else [None] * n_inputs


def leaves_of_outputs(row: Compile, program: dict[str, Any]) -> list[Leaf | None]:
    """The leaf of each output; None for a wrapper's own outputs, and all None if the program has different outputs."""
    n_outputs = len(program.get("outputs", ()))
    leaves = [leaf for leaf in row.outputs if leaf.role == "traced"]
    before = row.function_info.wrapper.outputs_before
    own: list[Leaf | None] = [*[None] * before, *leaves] if n_outputs > len(leaves) else [*leaves]
    return own if len(own) == n_outputs else [None] * n_outputs


def gather(paths: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The path of each subtree and the places of its leaves, in order. The biggest subtrees are divided first."""
    if len(paths) <= _MOST:
        return [(path, [place]) for place, path in enumerate(paths)]
    chains = [steps_to(path) for path in paths]
    done: list[tuple[str, list[int]]] = []
    waiting = _divide(chains, range(len(paths)), 0)
    depths = dict.fromkeys(waiting, 0)
    while waiting:
        name = max(waiting, key=lambda path: len(waiting[path]))
        places, depth = waiting.pop(name), depths[name] + 1
        below = _divide(chains, places, depth, _FEW - len(done) - len(waiting)) if len(places) > 1 else {}
        if below:
            waiting |= below
            depths |= dict.fromkeys(below, depth)
        else:
            done.append((paths[places[0]] if len(places) == 1 else name, places))
    return sorted(done, key=lambda group: group[1][0])


def _divide(
    chains: Sequence[Sequence[str]], places: Iterable[int], depth: int, most: float = math.inf
) -> dict[str, list[int]]:
    """Places by the step of their path at this depth; empty if a path ends before it, or if there are over `most`."""
    groups: dict[str, list[int]] = {}
    for place in places:
        if depth >= len(chains[place]):
            return {}
        groups.setdefault(chains[place][depth], []).append(place)
        if len(groups) > most:
            return {}
    return groups
