"""A call that was not made: what it would be, from the jitted function and the arguments.

In: what is jitted, by anything, and arguments.  Out: an `Origin`.
Must never: call, trace or compile.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from ...filters.methods import Bound
from ...jaxcompat import jits
from ...jaxcompat.raw import is_a, member
from ..arguments.origin import Origin
from .finding import ADAPTERS
from .functions import innermost
from .jit import is_of_jax


def of_asked(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
    """What the call would be; None where `fun` is not jitted."""
    call = _unbound(fun, args, kwargs)
    return next((origin for adapter in ADAPTERS if (origin := adapter.ask(*call)) is not None), None)


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
