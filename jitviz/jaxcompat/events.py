"""The events of `jax.monitoring`: its functions are public, the strings are JAX's own.

In: the lists of listeners.  Out: the phase of an event; whether a listener is registered.
Must never: register or remove a listener, or raise because a version lacks a name.
"""

from __future__ import annotations

from collections.abc import Callable

from ..model import PhaseName
from . import private

_monitoring = private.module("jax._src.monitoring")

PHASE_OF_EVENT: dict[str, PhaseName] = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}

# JAX sends this, in seconds, during the compile phase and on its thread, if it found the executable in its disk cache.
SAVED_BY_DISK = "/jax/compilation_cache/compile_time_saved_sec"

_LISTS = ("_scalar_listeners", "_event_time_span_listeners", "_event_duration_secs_listeners")


def is_listening(*listeners: Callable[..., None], before: bool) -> tuple[bool, ...]:
    """Whether each of these listeners is still registered: any code may clear them all.

    If a version does not show its lists, the answer is `before`.
    """
    if not all(hasattr(_monitoring, name) for name in _LISTS):
        return (before,) * len(listeners)
    registered = [listener for name in _LISTS for listener in getattr(_monitoring, name)]
    return tuple(listener in registered for listener in listeners)
