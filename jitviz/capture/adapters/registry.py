"""The user's call behind a miss, and its outputs.

In: a `Site`, or the outputs that JAX inferred.  Out: an `Origin`, or None for JAX's own work; `Outputs`.
Must never: keep what it reads.

The user's own arguments are one or two frames above JAX's: under a wrapper (Equinox, NNX, jitviz's filters, an eager
loop) they are read from the wrapper's frame, so nothing has to be mapped back.
"""

from __future__ import annotations

from ...jaxcompat.frame_locals import Inferred
from ...model import Signature
from ...model.wrappers import Wrapper
from ..arguments.origin import Origin
from . import equinox_jit, filter_jit, jax_jit, lax_loops, nnx_jit
from .adapter import Adapter, Outputs
from .jax_sites import Site

# Tried in this order: every wrapper finally calls `jax.jit`.
ADAPTERS: tuple[Adapter, ...] = (
    equinox_jit.ADAPTER,
    filter_jit.ADAPTER,
    nnx_jit.ADAPTER,
    lax_loops.ADAPTER,
    lax_loops.PMAP,
    jax_jit.ADAPTER,
)


def find_origin(site: Site) -> Origin | None:
    """The user's call behind a miss; None if there is none, and for the backward pass of an eager `grad`."""
    if site.kind == "backward":
        return None
    found = (adapter.find(site) for adapter in ADAPTERS)
    return next((origin for origin in found if origin is not None), None)


def jitted_in(filename: str) -> Wrapper:
    """The wrapper whose code in this file calls `jax.jit` functions; `jax.jit` itself for any other file."""
    return next((one.wrapper for one in ADAPTERS if filename.endswith(one.files)), jax_jit.ADAPTER.wrapper)


def outputs_of(jitted_by: Wrapper, inferred: Inferred, signature: Signature) -> Outputs:
    """The outputs of a call, under the user's names."""
    return next(one for one in ADAPTERS if one.wrapper is jitted_by).outputs(inferred, signature)
