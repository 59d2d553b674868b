"""The events of `jax.monitoring`: its functions are public, the strings are JAX's own.

In: the lists of listeners.  Out: the phase of an event; whether a listener is registered; what registers one.
"""

from collections.abc import Callable

import jax.monitoring

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

# JAX sends this before it looks for an executable in that cache.
ASKED_DISK = "/jax/compilation_cache/compile_requests_use_cache"

_LISTS = ("_event_listeners", "_scalar_listeners", "_event_time_span_listeners", "_event_duration_secs_listeners")


def is_listening(*listeners: Callable[..., None], before: bool) -> tuple[bool, ...]:
    """Whether each of these listeners is still registered: any code may clear them all. If a version does not show its
    lists, the answer is `before`."""
    if not all(hasattr(_monitoring, name) for name in _LISTS):
        return (before,) * len(listeners)
    registered = [listener for name in _LISTS for listener in getattr(_monitoring, name)]
    return tuple(listener in registered for listener in listeners)


def change_of(kind: str, *, should_listen: bool) -> Callable[[Callable[..., None]], None] | None:
    """The function that registers or unregisters listeners of a kind ("scalar"); None if this version has none. Those
    that unregister are private up to jax 0.8.0."""
    name = f"register_{kind}_listener" if should_listen else f"unregister_{kind.removesuffix('_secs')}_listener"
    change: Callable[[Callable[..., None]], None] | None = getattr(jax.monitoring, name, None)
    return change or getattr(_monitoring, f"_{name}_by_callback", None)
