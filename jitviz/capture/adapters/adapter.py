"""The interface to one way of jitting a function.

In: nothing.  Out: `Adapter`, and functions that several adapters use.
Must never: know a wrapper; each has a row in `jitviz.model.wrappers` and a file here, which `registry` lists.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...jaxcompat import output_trees
from ...jaxcompat.frame_locals import Inferred
from ...model import Leaf, Signature
from ...model.wrappers import Wrapper
from ...recording.redaction import redacted_path
from ..arguments import array_facts
from ..arguments.origin import Origin
from ..arguments.walk import array_leaf
from .jax_sites import MissFrame


class UserOutputs(NamedTuple):
    """The leaves of the user's own return value, and its treedef; None where the treedef is unknown."""

    leaves: tuple[Leaf, ...]
    treedef: Any


class Adapter:
    """One way of jitting a function, whole: its calls, what is inside its jitted objects, its outputs, its hook.

    What is not overridden suits a wrapper without objects of its own, and whose calls another adapter finds. `files`
    are path endings of the files in which the wrapper calls `jax.jit` functions.
    """

    wrapper: Wrapper
    files: tuple[str, ...] = ()

    def find(self, site: MissFrame) -> Origin | None:
        """The user's call at this site, read off the stack; None for a call of another wrapper."""
        return None

    def build(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
        """A call of a jitted object with these arguments, which runs nothing; None for an object of another wrapper."""
        return None

    def inside(self, fun: Any) -> Any:
        """The function inside a jitted object, as it is in the cache key; None for an object of another wrapper."""
        return None

    def jits(self, fun: Any) -> Sequence[Any]:
        """The `jax.jit` objects that a jitted object of this wrapper has made so far."""
        return ()

    def calls_from(self, filename: str, fun: Any) -> bool:
        """Whether code of this wrapper in this file calls `jax.jit` of `fun`."""
        return filename.endswith(self.files)

    def outputs(self, inferred: Inferred, signature: Signature) -> UserOutputs:
        """The outputs that JAX inferred for a call. Here: exactly what the user's function returned."""
        avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
        pairs = zip(paths, avals, strict=True)
        return UserOutputs(leaves_at((f"out{path}", aval) for path, aval in pairs), inferred.out_tree)

    def install(self) -> None:
        """Begin to report the calls of this wrapper, if no other hook sees them; again if it was imported since."""

    def uninstall(self) -> None:
        """Leave the wrapper as it was."""


def leaves_of_backward(jaxpr: Any) -> tuple[Leaf, ...]:
    """The outputs of a backward pass, named by position: JAX chose the inputs to differentiate with respect to."""
    return leaves_at((f"out[{index}]", aval) for index, aval in enumerate(output_trees.output_avals(jaxpr)))


def leaves_at(pairs: Iterable[tuple[str, Any]]) -> tuple[Leaf, ...]:
    """A leaf for each (path, aval)."""
    return tuple(array_leaf(redacted_path(path), array_facts.facts_of_aval(aval)) for path, aval in pairs)
