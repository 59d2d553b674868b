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


# Told inside the compile phase, on its thread, where JAX found the executable in its cache on disk: seconds.
SAVED_BY_DISK = "/jax/compilation_cache/compile_time_saved_sec"


def is_listening(*listeners: Callable[..., None]) -> tuple[bool, ...]:
    """Which of our listeners are registered still: anybody may clear them all."""
    registered = (
        *_monitoring._scalar_listeners,
        *_monitoring._event_time_span_listeners,
        *_monitoring._event_duration_secs_listeners,
    )
    return tuple(listener in registered for listener in listeners)
