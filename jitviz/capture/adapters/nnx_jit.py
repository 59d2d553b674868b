"""Calls of `nnx.jit` functions.

In: a `Site`.  Out: an `Origin`, whose arguments are live objects, before NNX splits them; outputs.
Must never: import flax.
"""

from __future__ import annotations

from typing import Any

from ...jaxcompat import equinox_internals, flax_internals, jits, output_trees
from ...jaxcompat.frame_locals import Inferred
from ...model import Signature, wrappers
from ..arguments.origin import Origin
from . import functions
from .adapter import Adapter, Outputs, leaves_at
from .jax_jit import origin_of, with_flat
from .jax_sites import Site


def of_nnx(site: Site) -> Origin | None:
    """The call of an `nnx.jit` function at this site."""
    call = flax_internals.read_nnx_call(site.caller)
    if call is None:
        return None
    return with_flat(_of_call(site.held.fun, site.held.info, *call), site.held.flat)


def _build(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
    inner = flax_internals.jitted_attribute(fun)
    if inner is None or equinox_internals.is_equinox_jit(fun):
        return None
    return _of_call(jits.jitted_function(inner), jits.jit_info(inner), args, kwargs)


def _of_call(fun: Any, info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin:
    signature = functions.signature_of(functions.innermost(flax_internals.inside_nnx(fun)))
    return origin_of(fun, wrappers.NNX, functions.parameters(signature, args, kwargs), info)


def _outputs(inferred: Inferred, signature: Signature) -> Outputs:
    """Leaves without a treedef. State that NNX updates in place has the path of its argument."""
    avals, paths = output_trees.output_avals(inferred.jaxpr), output_trees.output_paths(inferred.jaxpr)
    places = [name for name, form in signature.form if form == "positional"]
    named = flax_internals.named_outputs(paths, places, [leaf.path for leaf in signature.traced])
    return Outputs(leaves_at(zip(named, avals, strict=True)), None)


ADAPTER = Adapter(wrappers.NNX, of_nnx, _build, _outputs, (flax_internals.NNX_FILE,))
