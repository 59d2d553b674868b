"""The events of `jax.monitoring`: its functions are public, the strings are JAX's own.

In: the lists of listeners.  Out: which phase an event tells of, and who listens.
Must never: register or remove a listener; or raise because a version lacks a name.
"""

from __future__ import annotations

from collections.abc import Callable

from jax._src import monitoring as _monitoring

from ..model import PhaseName

PHASE_OF_EVENT: dict[str, PhaseName] = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}


def is_listening(on_start: Callable[..., None], on_end: Callable[..., None]) -> tuple[bool, bool]:
    """Whether a listener for scalars and one for time spans are registered still: anybody may clear them all."""
    return on_start in _monitoring._scalar_listeners, on_end in _monitoring._event_time_span_listeners
