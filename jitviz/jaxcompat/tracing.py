"""Whether code that runs now is being traced, and what JAX takes for an array.

In: JAX's state of this thread.  Out: yes or no.
Must never: change it; or raise because a version lacks a name.
"""

from __future__ import annotations

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


def is_plain() -> bool:
    """Whether code that runs now is under no transformation at all, and jitted functions are jitted."""
    return _state.trace is _untransformed and not _disable_jit.value


def is_transformed() -> bool:
    """Whether code that runs now is under a transformation; False as well where a version does not tell."""
    return _untransformed is not None and _state.trace is not None and _state.trace is not _untransformed


def is_staging() -> bool:
    """Whether code that runs now is being traced into a jaxpr (and not merely differentiated or batched eagerly)."""
    trace = _state.trace
    for _ in range(64):
        if trace is None:
            return False
        if isinstance(trace, _stagings):
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def is_tracer(value: Any) -> bool:
    """Whether a value stands for an array that is not there yet."""
    return is_a(value, _tracers)


class Inside(NamedTuple):
    """What an eager transformation stands round: the array that its program is given, whether it is differentiated,
    and the axes along which it is batched."""

    value: Any
    is_differentiated: bool = False
    axes: tuple[int, ...] = ()


def inside_tracer(value: Any) -> Inside:
    """The same of any value; what is no tracer of such a transformation is its own."""
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
    return Inside(value, is_differentiated, tuple(axes))


def transforms_of(values: Iterable[Any]) -> str | None:
    """The rules of JAX's that a jitted call of these values goes through, the outermost first ("vmap of jvp").

    The words are those of `frames.TRANSFORM_OF_RULE`; "" for none of them. None inside a trace into a jaxpr, or where a
    transformation is under way that no value is a part of.
    """
    trace, leaves, words = _state.trace, list(values), list[str]()
    while trace is not _untransformed:
        word = _RULE_OF_TRACE.get(type(trace).__name__)
        mine = [is_tracer(leaf) and leaf._trace.tag is trace.tag for leaf in leaves] if word is not None else []
        if word is None or not any(mine):
            return None
        leaves = [_unwrapped(leaf) if is_mine else leaf for leaf, is_mine in zip(leaves, mine, strict=True)]
        words.append(word if getattr(trace, "is_vjp", True) else f"jax.{word}")
        trace = trace.parent_trace
    return " of ".join(reversed(words))


def _unwrapped(tracer: Any) -> Any:
    """What the next transformation out is given."""
    return tracer.val if type(tracer).__name__ == "BatchTracer" else tracer.primal


def transforms_by_name() -> list[str]:
    """What is being evaluated, as JAX writes it into programs: "transpose(jvp())" as ["transpose", "jvp"]."""
    try:
        stack = _source_info_util.current_name_stack().stack
    except Exception:
        return []
    scopes = [(type(scope).__name__, scope.name) for scope in stack]
    return [
        "checkpoint" if name == _REMAT_SCOPE else name
        for kind, name in scopes
        if kind == "Transform" or name == _REMAT_SCOPE
    ]


def is_input_type(kind: type) -> bool:
    """Whether JAX takes values of a class as arrays. `jax.typeof` prints what it refuses, so ask this before."""
    return any(base in _inputs for base in mro_of(kind))


def is_jit_disabled() -> bool:
    """Whether jitted functions run uncompiled here: `jax.disable_jit()`."""
    return bool(_disable_jit.value)
