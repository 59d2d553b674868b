"""Whose call a miss was, and whose outputs came of it.

In: a `Site`, or what JAX inferred.  Out: an `Origin`, or None for what is JAX's own business; `Outputs`.
Must never: keep what it reads.

The user's own arguments stand one or two frames above JAX's: under a wrapper (Equinox, NNX, jitviz's filters, an eager
loop) the frame of the wrapper is read, so that nothing has to be mapped back.
"""

from __future__ import annotations

from ...jaxcompat.frame_locals import Inferred
from ...model import Signature
from ...model.wrappers import Wrapper
from ..arguments.origin import Origin
from . import equinox, filters, jit, loops, nnx
from .adapter import Adapter, Outputs
from .sites import Site

# Asked in this order: every wrapper calls `jax.jit` in the end.
ADAPTERS: tuple[Adapter, ...] = (equinox.ADAPTER, filters.ADAPTER, nnx.ADAPTER, loops.ADAPTER, loops.PMAP, jit.ADAPTER)


def find_origin(site: Site) -> Origin | None:
    """The user's call behind a miss; None where there is none, and for the backward pass of an eager `grad`."""
    if site.kind == "backward":
        return None
    found = (adapter.find(site) for adapter in ADAPTERS)
    return next((origin for origin in found if origin is not None), None)


def jitted_in(filename: str) -> Wrapper:
    """The wrapper whose file of this name calls a `jax.jit` function; `jax.jit` itself where that is nobody's."""
    return next((one.wrapper for one in ADAPTERS if filename.endswith(one.files)), jit.ADAPTER.wrapper)


def outputs_of(jitted_by: Wrapper, inferred: Inferred, signature: Signature) -> Outputs:
    """What a call returned, as the user calls it."""
    return next(one for one in ADAPTERS if one.wrapper is jitted_by).outputs(inferred, signature)
