"""The traces and transformations of the current thread, tracers, and the types that JAX accepts as arrays.

In: JAX's state of this thread; values.  Out: plain values.
"""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, NamedTuple

from . import private
from .raw import is_a, mro_of

_config, _core = private.module("jax._src.config"), private.module("jax._src.core")
_source_info_util = private.module("jax._src.source_info_util")
_partial_eval = private.module("jax._src.interpreters.partial_eval")

_state: Any = getattr(_core, "trace_ctx", SimpleNamespace(trace=None))
_untransformed: Any = getattr(_core, "eval_trace", None)
_disable_jit: Any = getattr(_config, "disable_jit", SimpleNamespace(value=False))
_tracers: Any = getattr(_core, "Tracer", ())
_stagings: Any = getattr(_partial_eval, "DynamicJaxprTrace", ())
_inputs: Any = getattr(_core, "pytype_aval_mappings", ())
_RULE_OF_TRACE = {"BatchTrace": "vmap", "JVPTrace": "jvp", "LinearizeTrace": "linearize"}
_REMAT_SCOPE = "rematted_computation"


def is_plain(state: Any = _state, untransformed: Any = _untransformed, disable_jit: Any = _disable_jit) -> bool:
    """Whether the current code is under no transformation and jit is not disabled. As this runs at every hit, its
    defaults spare it the globals."""
    return state.trace is untransformed and not disable_jit.value


def is_transformed() -> bool:
    """Whether the current code is under a transformation; also False if a version does not tell."""
    return _untransformed is not None and _state.trace is not None and _state.trace is not _untransformed


def is_staging() -> bool:
    """Whether the current code is being traced into a jaxpr, and not only differentiated or batched eagerly."""
    trace = _state.trace
    for _ in range(64):
        if trace is None:
            return False
        if isinstance(trace, _stagings):
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def equation_count() -> int:
    """The number of equations of the current trace so far; 0 outside any."""
    return len(_equations())


def newest_call() -> Any:
    """The jaxpr of the newest equation of the current trace, if that calls a jitted function; else None."""
    newest: Any = next(reversed(_equations()), None)
    newest = newest() if callable(newest) else newest  # a weak reference, or a function that jax 0.7 keeps it in
    is_call = newest is not None and newest.primitive.name in ("jit", "pjit")
    return newest.params.get("jaxpr") if is_call else None


def _equations() -> list[Any]:
    equations: list[Any] = getattr(getattr(_state.trace, "frame", None), "tracing_eqns", [])
    return equations


def is_tracer(value: Any) -> bool:
    """Whether a value is a tracer: a placeholder for an array."""
    return is_a(value, _tracers)


class InnerArray(NamedTuple):
    """The array inside a tracer of an eager transformation, which is the input of the transformed program; whether it
    is differentiated; and the axes along which it is batched."""

    value: Any
    is_differentiated: bool = False
    axes: tuple[int, ...] = ()


def inside_tracer(value: Any) -> InnerArray:
    """The array inside a tracer of an eager transformation; any other value is returned as it is."""
    is_differentiated, axes = False, []
    for _ in range(64):
        kind = type(value).__name__ if is_tracer(value) else ""
        if kind == "BatchTracer":
            axes.append(value.batch_dim if type(value.batch_dim) is int else 0)
        elif kind in ("JVPTracer", "LinearizeTracer"):
            is_differentiated = True
        else:
            break
        value = _unwrapped(value)
    return InnerArray(value, is_differentiated, tuple(axes))


def transforms_of(values: Iterable[Any]) -> str | None:
    """The transformations that a jitted call with these values goes through, outermost first ("vmap of jvp").

    The words are those of `jax_frames.TRANSFORM_OF_RULE`; "" if there are none. None inside a trace into a jaxpr, or
    under a transformation in which none of the values takes part.
    """
    trace, leaves, words = _state.trace, list(values), list[str]()
    while trace is not _untransformed:
        word = _RULE_OF_TRACE.get(type(trace).__name__)
        takes_part = [is_tracer(leaf) and leaf._trace.tag is trace.tag for leaf in leaves] if word is not None else []
        if word is None or not any(takes_part):
            return None
        leaves = [_unwrapped(leaf) if is_mine else leaf for leaf, is_mine in zip(leaves, takes_part, strict=True)]
        words.append(word if getattr(trace, "is_vjp", True) else f"jax.{word}")
        trace = trace.parent_trace
    return " of ".join(reversed(words))


def _unwrapped(tracer: Any) -> Any:
    """The value that the next outer transformation sees."""
    return tracer.val if type(tracer).__name__ == "BatchTracer" else tracer.primal


def transforms_by_name() -> list[str]:
    """The current transformations as JAX writes them into programs: ["transpose", "jvp"] for "transpose(jvp())"."""
    try:
        stack = _source_info_util.current_name_stack().stack
    except Exception:
        return []
    return [
        "checkpoint" if scope.name == _REMAT_SCOPE else scope.name
        for scope in stack
        if type(scope).__name__ == "Transform" or scope.name == _REMAT_SCOPE
    ]


def is_input_type(kind: type) -> bool:
    """Whether JAX accepts values of a class as arrays. Call it before `jax.typeof`, which prints values it refuses."""
    return any(base in _inputs for base in mro_of(kind))


def is_jit_disabled() -> bool:
    """Whether `jax.disable_jit()` is on, so that jitted functions run uncompiled."""
    return bool(_disable_jit.value)
