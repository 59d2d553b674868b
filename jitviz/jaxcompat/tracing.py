"""Whether code that runs now is being traced, and what JAX takes for an array.

In: JAX's state of this thread.  Out: yes or no.
Must never: change it; or raise because a version lacks a name.
"""

from __future__ import annotations

from typing import Any

from jax._src import config as _config
from jax._src import core as _core
from jax._src.interpreters import partial_eval as _partial_eval

from ..raw import is_a, mro_of


def is_staging() -> bool:
    """Whether code that runs now is being traced into a jaxpr (and not merely differentiated or batched eagerly)."""
    trace = _core.trace_ctx.trace
    for _ in range(64):
        if trace is None:
            return False
        if isinstance(trace, _partial_eval.DynamicJaxprTrace):
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def is_tracer(value: Any) -> bool:
    """Whether a value stands for an array that is not there yet."""
    return is_a(value, _core.Tracer)


def is_input_type(kind: type) -> bool:
    """Whether JAX takes values of a class as arrays. `jax.typeof` prints what it refuses, so ask this before."""
    return any(base in _core.pytype_aval_mappings for base in mro_of(kind))


def is_jit_disabled() -> bool:
    """Whether jitted functions run uncompiled here: `jax.disable_jit()`."""
    return bool(_config.disable_jit.value)
