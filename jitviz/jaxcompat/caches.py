"""JAX's caches of traces: what they hold, and whether they were cleared.

In: the caches.  Out: functions and counts.
Must never: add an entry for a function of the user's, or remove one; or raise because a version lacks a name.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any, Literal

from . import private
from .jits import jitted_function, source_info_in

_pjit, _util = private.module("jax._src.pjit"), private.module("jax._src.util")
_partial_eval = private.module("jax._src.interpreters.partial_eval")


def _cached_keys() -> list[Any]:
    """The keys of JAX's cache of traces, see https://github.com/jax-ml/jax/blob/main/jax/_src/pjit.py.

    Each is the function, held weakly, then the rest.
    """
    try:
        return list(_pjit._infer_params_cached.cache_keys())
    except Exception:
        return []


def _function_of_key(key: Any) -> Any:
    return key[0]() if isinstance(key[0], weakref.ref) else key[0]


def functions_with_filled_caches() -> list[Any]:
    """Functions that JAX holds traces of, and the functions among their static arguments: Equinox keeps the user's
    there."""
    found: list[Any] = []
    for key in _cached_keys():
        found.append(_function_of_key(key))
        for part in key[1:]:
            for inner in part if isinstance(part, tuple) else ():
                found.extend(_callables(getattr(inner, "static_args", ()), 4))
    return found


def functions_traced_as(source_info: str) -> list[Any]:
    """The functions that JAX holds traces of under "step at train.py:12", and the functions among their static
    arguments."""
    found: list[Any] = []
    for key in _cached_keys():
        parts = [inner for part in key[1:] if isinstance(part, tuple) for inner in part]
        if any(source_info_in(part) == source_info for part in parts):
            found.append(_function_of_key(key))
            found.extend(inner for part in parts for inner in _callables(getattr(part, "static_args", ()), 4))
    return [function for function in found if function is not None]


def _callables(value: Any, depth: int) -> list[Any]:
    if isinstance(value, FunctionType):
        return [value]
    if depth and isinstance(value, tuple | list):
        return [found for part in value for found in _callables(part, depth - 1)]
    return []


def trace_count(jitted: Any) -> int:
    """How many traces of a `jax.jit` object's function JAX holds."""
    fun = jitted_function(jitted)
    return sum(1 for key in _cached_keys() if _function_of_key(key) is fun)


def traces_made() -> int | None:
    """How many traces JAX has made in this process; None where a version does not tell."""
    try:
        return int(_partial_eval.trace_to_jaxpr.cache_info().misses)
    except Exception:
        return None


class ClearedProbe:
    """Tells whether JAX's caches were cleared since the last look, by entries that only clearing removes.

    Neither probe depends on JAX's trace context: a look from inside a `with jax.enable_x64(True)` is no clearing.
    """

    def __init__(self) -> None:
        self._everything = _cached_object()
        self._all_token = self._everything()
        self._key = lambda: None  # held weakly by the cache that is probed: entries go with the probe
        self._marker = self._enter(_Marker())

    def _enter(self, marker: _Marker) -> Callable[[], _Marker | None]:
        """Have `marker` held by that cache alone which `f.clear_cache()` empties.

        Its keys hold the trace context, which cannot be left out there; but an entry of any context keeps the marker
        alive. Entering it again also keeps it from being dropped as the oldest.
        """
        cached: Any = getattr(_pjit, "_infer_params_cached", None)
        try:
            cached(self._key, marker, None, (), None)
        except Exception:
            return lambda: marker  # this version has no such cache: nothing is ever told of it
        return weakref.ref(marker)

    def peek(self) -> Literal["all", "function", ""]:
        """ "all" after `jax.clear_caches()`, "function" after some `f.clear_cache()`, else ""."""
        return "all" if self._everything() is not self._all_token else "function" if self._marker() is None else ""

    def look(self) -> Literal["all", "function", ""]:
        """The same, once: from now on what comes is what counts."""
        cleared = self.peek()
        self._all_token, self._marker = self._everything(), self._enter(self._marker() or _Marker())
        return cleared


def _cached_object() -> Callable[[], object]:
    """Returns the same object until `jax.clear_caches()`; for ever where this version has no such cache."""
    try:
        found: Callable[[], object] = _util.cache(trace_context_in_key=False)(object)
    except Exception:
        return lambda: None
    return found


class _Marker:
    """What a probe enters into a cache."""
