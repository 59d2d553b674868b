"""Whose call a miss was.

In: a `Site`.  Out: an `Origin`, or None for what is JAX's own business.
Must never: keep what it reads.

The user's own arguments stand one or two frames above JAX's: under a wrapper (Equinox, NNX, jitviz's filters, an eager
loop) the frame of the wrapper is read, so that nothing has to be mapped back.
"""

from __future__ import annotations

from ...jaxcompat import frames
from ..arguments.origin import Origin
from . import filters as filter_origins
from . import jit as jit_origins
from . import loops as loop_origins
from .sites import Site


def find_origin(site: Site) -> Origin | None:
    """The user's call behind a miss; None where there is none, and for the backward pass of an eager `grad`."""
    if site.kind == "backward":
        return None
    found = filter_origins.of_equinox(site) or filter_origins.of_filters(site) or jit_origins.of_nnx(site)
    if found is not None:
        return found
    if site.jax_caller is not None and frames.is_frame(site.jax_caller, frames.APPLY_PRIMITIVE):
        found = loop_origins.of_loop(site)
        if found is not None:
            return found
    return jit_origins.of_jit(site)
