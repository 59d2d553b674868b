"""What a jitted function returns, as leaves under the user's names.

In: what JAX inferred of a miss, and the signature.  Out: `Leaf` and `Node` rows under `out`, or under what NNX updates
in place.
Must never: wait for an output, or show how a wrapper packed it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..model import Leaf, Node, Signature
from . import _jaxcompat as compat
from . import arrays
from .identity import token
from .raw import type_name
from .walk import Rows, array_leaf, one_level, static_leaf, walk

_STATES = re.compile(r"\.states\[\d+\]")  # how NNX holds the arrays of a live object
_UPDATED = re.compile(r"\[(0\]\[\d+|1\]\['\w+')\]\.states\[\d+\]\[\d+\]$")


def leaves_of(inferred: compat.Inferred, api: str, signature: Signature) -> tuple[Leaf, ...]:
    """The leaves of the user's own return value; static ones of a filter_jit stand last."""
    avals, paths = compat.output_avals(inferred.jaxpr), compat.output_paths(inferred.jaxpr)
    if api == "nnx.jit":
        return _leaves(zip(_nnx_paths(paths, signature), avals, strict=True))
    sealed = compat.sealed_output(inferred.out_tree) if api == "jitviz.filter_jit" else None
    if sealed is not None:
        traced, static = sealed
        mine = _leaves((f"out{path}", aval) for path, aval in zip(traced, avals, strict=True))
        return (*mine, *(static_leaf(f"out{path}", value) for path, value in static))
    pairs = list(zip(paths, avals, strict=True))
    if api != "equinox.filter_jit":
        return _leaves((f"out{path}", aval) for path, aval in pairs)
    # Equinox returns (marker, arrays, the static rest in the treedef)
    rows = Rows()
    for value in compat.static_outputs(inferred.out_tree):
        walk(value, "out", "arrays", rows)
    statics = (leaf for leaf in rows.leaves if leaf.role == "static" and not leaf.is_metadata)
    return (*_leaves((f"out{path[3:]}", aval) for path, aval in pairs if path.startswith("[1]")), *statics)


class _Hole:
    """Stands for an array where only the tree round it is looked at."""

    __slots__ = ()


def nodes_of(inferred: compat.Inferred, api: str, leaves: tuple[Leaf, ...]) -> tuple[Node, ...]:
    """The containers that these leaves stand in, and the Nones between them, parents first.

    None of them where a class of the user's does not take stand-ins for its arrays, or goes by other paths.
    """
    treedef = _tree_of(inferred.out_tree, api)
    if treedef is None:
        return ()
    try:
        tree = treedef.unflatten([_Hole() for _ in range(treedef.num_leaves)])
    except Exception:  # the user's, and of no account: its leaves are shown all the same
        return ()
    known = {leaf.path for leaf in leaves}
    nodes: list[Node] = []
    stack = [("out", tree)]
    while stack:
        path, value = stack.pop()
        if value is None and path not in known:  # else a static leaf that Equinox took out
            nodes.append(Node(path, "NoneType"))
        level = None if value is None or type(value) is _Hole else one_level(value)
        if level is not None:
            nodes.append(_node(path, value, [step for step, _ in level[0]]))
            stack += [(path + step, part) for step, part in reversed(level[0])]
        elif value is not None and path not in known:
            return ()
    return tuple(nodes)


def _node(path: str, value: Any, steps: list[str]) -> Node:
    kind = type(value)
    is_builtin = kind.__module__ in ("builtins", "collections")
    name = kind.__name__ if is_builtin else type_name(kind)
    return Node(path, name, tuple(steps), None if is_builtin else token(kind))


def _tree_of(out_tree: Any, api: str) -> Any:
    """The treedef of the user's own return value; None where it is not to be had."""
    if api == "nnx.jit":
        return None
    if api == "equinox.filter_jit":
        return out_tree.children()[1]
    data = compat.node_data(out_tree)
    return data[1].treedef if data is not None and data[0].__name__ == "Output" else out_tree


def leaves_of_backward(jaxpr: Any) -> tuple[Leaf, ...]:
    """What a backward pass returns: JAX chose the inputs to differentiate by, so that only places name them."""
    return _leaves((f"out[{place}]", aval) for place, aval in enumerate(compat.output_avals(jaxpr)))


def _leaves(pairs: Iterable[tuple[str, Any]]) -> tuple[Leaf, ...]:
    return tuple(array_leaf(path, arrays.facts_of_aval(aval)) for path, aval in pairs)


def _nnx_paths(paths: list[str], signature: Signature) -> list[str]:
    """NNX returns (new state of the arguments, of the keyword arguments, the user's value), live objects as states.

    The state of an argument has its arrays in the order of the signature; those are named as they are there.
    """
    places = [name for name, form in signature.form if form == "positional"]
    updated: dict[str, list[str]] = {}
    for path in filter(_UPDATED.match, paths):
        updated.setdefault(path.partition(".")[0], []).append(path)
    names: dict[str, str] = {}
    for root, mine in updated.items():
        key = root[4:-1].strip("'")
        name = key if root.startswith("[1]") else places[int(key)] if int(key) < len(places) else ""
        leaves = [leaf.path for leaf in signature.traced if re.match(rf"{re.escape(name)}[.\[]", leaf.path)]
        if len(leaves) == len(mine):
            names.update(zip(mine, leaves, strict=True))
    return [names.get(path) or _nnx_path(path, paths) for path in paths]


def _nnx_path(path: str, paths: list[str]) -> str:
    """The path of an array of the return value. Of an object with one array the path of the object."""
    owner = re.sub(r"\.states\[\d+\]\[\d+\]$", "", path)
    is_alone = sum(other.startswith(owner + ".states") for other in paths) == 1
    return "out" + _STATES.sub("", owner if is_alone else path).removeprefix("[2]")
