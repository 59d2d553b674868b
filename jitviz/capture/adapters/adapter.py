"""The interface to one way of jitting a function: how to find or build its calls, and how to name its outputs.

In: nothing.  Out: `Adapter`, and functions that several adapters use.
Must never: know a wrapper; each has a row in `jitviz.model.wrappers` and a file of its own here, which `finding` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...jaxcompat import output_trees
from ...jaxcompat.frame_locals import Inferred
from ...model import Leaf, Signature
from ...model.wrappers import Wrapper
from ...recording.redaction import redacted_path
from ..arguments import array_facts
from ..arguments.origin import Origin
from ..arguments.walk import array_leaf
from .jax_sites import Site


class Outputs(NamedTuple):
    """The leaves of the user's own return value, and its treedef; None where the treedef is unknown."""

    leaves: tuple[Leaf, ...]
    treedef: Any


class Adapter(NamedTuple):
    """The functions that capture the calls of one wrapper.

    `find` reads the user's call off the stack; `build` makes a call from a jitted function, args and kwargs, and runs
    nothing. Both return None for other wrappers. `outputs` names the outputs that JAX inferred for a call. `files` are
    path endings of the files in which the wrapper calls `jax.jit` functions.
    """

    wrapper: Wrapper
    find: Callable[[Site], Origin | None]
    build: Callable[[Any, tuple[Any, ...], dict[str, Any]], Origin | None]
    outputs: Callable[[Inferred, Signature], Outputs]
    files: tuple[str, ...] = ()


def outputs_as_returned(inferred: Inferred, signature: Signature) -> Outputs:
    """The outputs of a wrapper that returns exactly what the user's function returned."""
    avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
    return Outputs(leaves_at((f"out{path}", aval) for path, aval in zip(paths, avals, strict=True)), inferred.out_tree)


def leaves_of_backward(jaxpr: Any) -> tuple[Leaf, ...]:
    """The outputs of a backward pass, named by position: JAX chose the inputs to differentiate with respect to."""
    return leaves_at((f"out[{place}]", aval) for place, aval in enumerate(output_trees.output_avals(jaxpr)))


def leaves_at(pairs: Iterable[tuple[str, Any]]) -> tuple[Leaf, ...]:
    """A leaf for each (path, aval)."""
    return tuple(array_leaf(redacted_path(path), array_facts.facts_of_aval(aval)) for path, aval in pairs)
