"""The adapters: which one a miss, a jitted object or a file belongs to.

In: a `MissFrame`, a jitted object, the name of a file, or the outputs that JAX inferred.  Out: what the adapter says of
it.

The user's own arguments are one or two frames above JAX's: under a wrapper (Equinox, NNX, jitviz's filters, an eager
loop) they are read from the wrapper's frame, so nothing has to be mapped back.
"""

from typing import Any, NamedTuple

from ...jaxcompat import caches
from ...jaxcompat.equinox_internals import wrapped_by
from ...jaxcompat.frame_locals import Inferred
from ...jaxcompat.raw import unwrapped
from ...model import Signature, Token
from ...model.wrappers import Wrapper
from ..arguments.origin import Origin
from . import functions
from .adapter import Adapter, UserOutputs
from .equinox_jit import EquinoxJit
from .filter_jit import OurFilterJit
from .jax_jit import JaxJit
from .jax_sites import MissFrame
from .lax_loops import LaxLoops
from .nnx import NnxJit, NnxPartial

# Tried in this order: every wrapper finally calls `jax.jit`.
ADAPTERS: tuple[Adapter, ...] = (
    *(EquinoxJit(), OurFilterJit(), NnxPartial(), NnxJit()),
    *(LaxLoops(), JaxJit()),
)


def find_origin(site: MissFrame) -> Origin | None:
    """The user's call behind a miss; None if there is none, and for the backward pass of an eager `grad`."""
    if site.kind == "backward":
        return None
    return next((origin for adapter in ADAPTERS if (origin := adapter.find(site)) is not None), None)


def build_origin(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
    """A call of a jitted object; None for anything that is not jitted."""
    return next((origin for adapter in ADAPTERS if (origin := adapter.build(fun, args, kwargs)) is not None), None)


class Jitted(NamedTuple):
    """A jitted object, with the adapter of its wrapper."""

    adapter: Adapter
    object: Any

    @property
    def token(self) -> Token:
        """The token of the function inside."""
        is_tree = self.adapter.wrapper.is_static_by_leaf
        return functions.token_of(self.adapter.inside(self.object), is_tree=is_tree)

    def trace_count(self) -> int:
        """How many traces JAX holds of it."""
        return sum(map(caches.trace_count, self.adapter.jits(self.object)))


def jitted_under(fun: Any) -> Jitted | None:
    """The jitted object under wrappers that name what they wrap; None for a plain function."""
    pairs = ((adapter, layer) for layer in unwrapped(fun, wrapped_by) for adapter in ADAPTERS)
    return next((Jitted(adapter, layer) for adapter, layer in pairs if adapter.inside(layer) is not None), None)


def jitted_in(filename: str, fun: Any) -> Wrapper:
    """The wrapper whose code in this file calls `jax.jit` of `fun`; `jax.jit` itself for any other file."""
    return next((adapter.wrapper for adapter in ADAPTERS if adapter.calls_from(filename, fun)), ADAPTERS[-1].wrapper)


def outputs_of(jitted_by: Wrapper, inferred: Inferred, signature: Signature) -> UserOutputs:
    """The outputs of a call, under the user's names."""
    return next(adapter for adapter in ADAPTERS if adapter.wrapper is jitted_by).outputs(inferred, signature)


def install_hooks() -> None:
    """Let every wrapper report its calls; again whenever one may have been imported since."""
    for adapter in ADAPTERS:
        adapter.install()


def uninstall_hooks() -> None:
    """Leave every wrapper as it was."""
    for adapter in ADAPTERS:
        adapter.uninstall()
