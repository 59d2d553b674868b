"""Calls of `nnx.jit` functions.

In: a `Site`, or a jitted object.  Out: an `Origin`, whose arguments are live objects, before NNX splits them; outputs.
"""

from collections.abc import Sequence
from typing import Any

from ...jaxcompat import flax_internals, jits, output_trees
from ...jaxcompat.frame_locals import Inferred
from ...model import Signature, wrappers
from ..arguments.origin import Origin
from . import functions
from .adapter import Adapter, Outputs, leaves_at
from .jax_jit import origin_of, with_flat
from .jax_sites import Site


class NnxJit(Adapter):
    """`nnx.jit`."""

    wrapper = wrappers.NNX
    files = (flax_internals.NNX_FILE,)

    def find(self, site: Site) -> Origin | None:
        call = flax_internals.read_nnx_call(site.caller)
        return None if call is None else with_flat(_of_call(site.held.fun, site.held.info, *call), site.held.flat)

    def build(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
        inside = self.inside(fun)
        if inside is None:
            return None
        return _of_call(inside, jits.jit_info(flax_internals.jitted_attribute(fun)), args, kwargs)

    def inside(self, fun: Any) -> Any:
        jitted = flax_internals.jitted_attribute(fun)
        return None if jitted is None else jits.jitted_function(jitted)

    def jits(self, fun: Any) -> Sequence[Any]:
        return (flax_internals.jitted_attribute(fun),)

    def outputs(self, inferred: Inferred, signature: Signature) -> Outputs:
        """Leaves without a treedef. State that NNX updates in place has the path of its argument."""
        avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
        places = [name for name, form in signature.form if form == "positional"]
        named = flax_internals.named_outputs(paths, places, [leaf.path for leaf in signature.traced])
        return Outputs(leaves_at(zip(named, avals, strict=True)), None)


def _of_call(fun: Any, info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin:
    signature = functions.signature_of(functions.innermost(flax_internals.inside_nnx(fun)))
    return origin_of(fun, wrappers.NNX, functions.parameters(signature, args, kwargs), info)
