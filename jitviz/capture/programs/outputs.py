"""What a jitted function returns, as leaves under the user's names.

In: what JAX inferred of a miss, and the signature.  Out: `Leaf` rows under `out`, or under what NNX updates in
place.
Must never: wait for an output, or show how a wrapper packed it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import wrappers
from ...jaxcompat import equinox, frame_locals, nnx, outputs
from ...model import Leaf, Signature
from ...wrappers import Wrapper
from ..arguments import arrays
from ..arguments.walk import Rows, array_leaf, static_leaf, walk


def leaves_of(inferred: frame_locals.Inferred, jitted_by: Wrapper, signature: Signature) -> tuple[Leaf, ...]:
    """The leaves of the user's own return value; static ones of a filter_jit stand last."""
    avals, paths = outputs.output_avals(inferred.jaxpr), outputs.output_paths(inferred.jaxpr)
    if jitted_by is wrappers.NNX:
        places = [name for name, form in signature.form if form == "positional"]
        return _leaves(
            zip(nnx.named_outputs(paths, places, [leaf.path for leaf in signature.traced]), avals, strict=True)
        )
    sealed = outputs.sealed_output(inferred.out_tree) if jitted_by is wrappers.JITVIZ else None
    if sealed is not None:
        traced, static = sealed
        mine = _leaves((f"out{path}", aval) for path, aval in zip(traced, avals, strict=True))
        rows = Rows()
        return (*mine, *(static_leaf(f"out{path}", value, rows) for path, value in static))
    pairs = list(zip(paths, avals, strict=True))
    if jitted_by is not wrappers.EQUINOX:
        return _leaves((f"out{path}", aval) for path, aval in pairs)
    # Equinox returns (marker, arrays, the static rest in the treedef)
    rows = Rows()
    for value in equinox.static_outputs(inferred.out_tree):
        walk(value, "out", "arrays", rows)
    statics = (leaf for leaf in rows.leaves if leaf.role == "static" and not leaf.is_metadata)
    return (*_leaves((f"out{path[3:]}", aval) for path, aval in pairs if path.startswith("[1]")), *statics)


def leaves_of_backward(jaxpr: Any) -> tuple[Leaf, ...]:
    """What a backward pass returns: JAX chose the inputs to differentiate by, so that only places name them."""
    return _leaves((f"out[{place}]", aval) for place, aval in enumerate(outputs.output_avals(jaxpr)))


def _leaves(pairs: Iterable[tuple[str, Any]]) -> tuple[Leaf, ...]:
    return tuple(array_leaf(path, arrays.facts_of_aval(aval)) for path, aval in pairs)
