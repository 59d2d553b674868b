"""A call that was not made: what it would be, from the jitted function and the arguments.

In: what is jitted, by anything, and arguments.  Out: an `Origin`.
Must never: call, trace or compile.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from ...filters.jit import FilterJit
from ...filters.methods import Bound
from ...jaxcompat import equinox, jits, nnx
from ...raw import is_a, member
from ..arguments.origin import Origin
from .filters import of_equinox_call, of_filter_arguments
from .functions import innermost
from .jit import is_of_jax, of_jit_call, of_nnx_call


def of_asked(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
    """What the call would be; None where `fun` is not jitted."""
    fun, args, kwargs = _unbound(fun, args, kwargs)
    if is_a(fun, FilterJit):
        layout, values = fun.set_up().binder.bind(args, kwargs)
        return of_filter_arguments(fun, layout.arguments(values), None)
    if nnx.is_equinox_jit(fun):
        return of_equinox_call(equinox.equinox_call(fun, args, kwargs), None)
    if is_a(fun, jits.PjitFunction):
        return of_jit_call(jits.jitted_function(fun), jits.jit_info(fun), args, kwargs)
    inner = nnx.jitted_attribute(fun)
    if inner is not None:
        return of_nnx_call(jits.jitted_function(inner), jits.jit_info(inner), args, kwargs)
    return None


def is_own_of_jax(origin: Origin) -> bool:
    """Whether JAX jitted the function for itself (`jnp.sin`)."""
    return is_of_jax(innermost(origin.function)) and jits.is_own_jit(origin.function)


def _unbound(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """What methods, partials and limits call in the end, and with what."""
    for _ in range(16):
        if is_a(fun, types.MethodType, Bound):
            fun, args = fun.__func__, (fun.__self__, *args)
        elif is_a(fun, functools.partial):
            held, names = member(fun, functools.partial, "args"), member(fun, functools.partial, "keywords")
            fun, args, kwargs = member(fun, functools.partial, "func"), (*held, *args), {**names, **kwargs}
        elif hasattr(fun, "__jitviz_counter__"):
            fun = fun.__wrapped__
        else:
            break
    return fun, args, kwargs
