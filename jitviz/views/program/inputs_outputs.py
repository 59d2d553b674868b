"""The leaves of the arguments and results that a program's inputs and outputs belong to.

In: a `Compile` and its equations as data.  Out: a leaf, or None, for each input and output; subtrees if there are many.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ...model import Compile, Leaf, steps_to

_MOST = 12  # inputs or outputs, or subtrees of them if there are more


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
    """The path of each subtree and the positions of its leaves, in order. The biggest are divided first."""
    if len(paths) <= _MOST:
        return [(path, [position]) for position, path in enumerate(paths)]
    chains = [steps_to(path) for path in paths]
    done: list[tuple[str, list[int]]] = []
    waiting = _divide(chains, range(len(paths)), 0)
    while waiting:
        most = max(len(positions) for _, positions, _ in waiting)
        biggest = [one for one in waiting if len(one[1]) == most]
        waiting = [one for one in waiting if len(one[1]) < most]
        below = [part for _, positions, depth in biggest for part in _divide(chains, positions, depth + 1)]
        is_whole = sum(len(positions) for _, positions, _ in below) == most * len(biggest)
        if most > 1 and is_whole and len(done) + len(waiting) + len(below) <= _MOST:
            waiting += below
        else:
            done += [(paths[positions[0]] if most == 1 else name, positions) for name, positions, _ in biggest]
    return sorted(done, key=lambda group: group[1][0])


def _divide(chains: Sequence[Sequence[str]], positions: Iterable[int], depth: int) -> list[tuple[str, list[int], int]]:
    """Places by the step of their path at this depth, with that depth; none of a path that ends before it."""
    groups: dict[str, list[int]] = {}
    for position in positions:
        if depth < len(chains[position]):
            groups.setdefault(chains[position][depth], []).append(position)
    return [(step, inside, depth) for step, inside in groups.items()]
