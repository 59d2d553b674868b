"""JAX's trace caches: what they hold, and whether they were cleared.

In: the caches.  Out: functions and counts.
Must never: add or remove an entry for a user's function.
"""

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any, Literal

import jax

from . import private
from .jits import jitted_function, source_info_in

_pjit, _util = private.module("jax._src.pjit"), private.module("jax._src.util")
_partial_eval = private.module("jax._src.interpreters.partial_eval")


def _cached_keys() -> list[Any]:
    """The keys of JAX's trace cache: each is a weak reference to the function, then everything else. See
    https://github.com/jax-ml/jax/blob/main/jax/_src/pjit.py."""
    try:
        return list(_pjit._infer_params_cached.cache_keys())
    except Exception:
        return []


def _function_of_key(key: Any) -> Any:
    return key[0]() if isinstance(key[0], weakref.ref) else key[0]


def functions_with_traces(source_info: str = "") -> list[Any]:
    """The functions that JAX holds traces of, and the functions among their static arguments, where Equinox keeps the
    user's function; with `source_info` ("step at train.py:12") only those traced under it."""
    functions: list[Any] = []
    for key in _cached_keys():
        parts = [inner for part in key[1:] if isinstance(part, tuple) for inner in part]
        if not source_info or any(source_info_in(part) == source_info for part in parts):
            functions.append(_function_of_key(key))
            functions.extend(inner for part in parts for inner in _callables(getattr(part, "static_args", ()), 4))
    return [function for function in functions if function is not None]


def _callables(value: Any, depth: int) -> list[Any]:
    if isinstance(value, FunctionType):
        return [value]
    if depth and isinstance(value, tuple | list):
        return [function for part in value for function in _callables(part, depth - 1)]
    return []


def trace_count(jitted: Any) -> int:
    """The number of traces that JAX holds of the function of a `jax.jit` object."""
    fun = jitted_function(jitted)
    return sum(1 for key in _cached_keys() if _function_of_key(key) is fun)


def traces_made() -> int | None:
    """The number of traces that JAX has made in this process; None where a version does not tell. Up to jax 0.8 it need
    not tell: there a trace that JAX finds in its cache sends no event."""
    if jax.__version_info__ < (0, 9):
        return None
    try:
        return int(_partial_eval.trace_to_jaxpr.cache_info().misses)
    except Exception:
        return None


class ClearedProbe:
    """Tells whether JAX's caches were cleared since the last look, by entries that only clearing removes. Neither entry
    depends on JAX's trace context: looking inside `with jax.enable_x64(True)` does not count as clearing."""

    def __init__(self) -> None:
        self._everything = _cached_object()
        self._all_token = self._everything()
        self._key = lambda: None  # the cache holds it weakly, so the entry goes away with the probe
        self._marker = self._enter(_Marker())

    def _enter(self, marker: "_Marker") -> "Callable[[], _Marker | None]":
        """Let the cache that `f.clear_cache()` empties be the only owner of `marker`.

        The keys of that cache always include the trace context, but an entry under any context keeps the marker alive.
        Entering it again also keeps it from being evicted as the oldest entry.
        """
        cached: Any = getattr(_pjit, "_infer_params_cached", None)
        try:
            cached(self._key, marker, None, (), None)
        except Exception:
            return lambda: marker  # this version has no such cache: it never counts as cleared
        return weakref.ref(marker)

    def peek(self) -> Literal["all", "function", ""]:
        """Return "all" after `jax.clear_caches()`, "function" after any `f.clear_cache()`, else ""."""
        return "all" if self._everything() is not self._all_token else "function" if self._marker() is None else ""

    def look(self) -> Literal["all", "function", ""]:
        """Return the same and start over: only later clearing counts from now on."""
        cleared = self.peek()
        self._all_token, self._marker = self._everything(), self._enter(self._marker() or _Marker())
        return cleared


def _cached_object() -> Callable[[], object]:
    """A function that returns the same object until `jax.clear_caches()`; forever if this version has no such cache."""
    try:
        cached: Callable[[], object] = _util.cache(trace_context_in_key=False)(object)
    except Exception:
        return lambda: None
    return cached


class _Marker:
    """The object that a probe enters into a cache."""
