"""A hypothetical call: the miss that it would be.

In: a jitted function and arguments.  Out: that miss, and the misses before it.
Must never: call, trace, compile, read an array or move one; or leave an event in a recording.
"""

import functools
import types
from typing import Any

import jax

from .. import model
from ..filters.methods import Bound
from ..jaxcompat import jits, tracing
from ..jaxcompat.raw import bound, is_a, unwrapped
from ..recording.folding import Fold, widest_scope
from .adapters import functions
from .adapters.jax_jit import is_of_jax
from .adapters.registry import build_origin
from .adapters.transforms import transform_of_call
from .arguments.origin import Origin
from .arguments.signature import signature_of
from .log.history import PER_LINEAGE
from .log.watcher import watcher
from .session import watch
from .traces import folded


def hypothetical_miss(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[model.Miss, Fold, str]:
    """The miss that a call would be, if it is one; the past of its function; why nothing is known, or "".

    Raises:
        TypeError: `fun` is not jitted, or cannot be called like this.
    """
    watch()
    *_, call = unwrapped((fun, args, kwargs), _called_inside)
    origin = build_origin(*call)
    if origin is None:
        raise TypeError(
            f"predict takes a jitted function and its arguments; this is a plain {type(fun).__name__}. "
            "Jit it first, with jax.jit."
        )
    _check(origin, *call[1:])
    row = functions.identify(origin.function, origin.jitted_by)
    words = tracing.transforms_of(_inputs(origin))
    signature = signature_of(origin, is_transformed=bool(words))
    with watcher.lock:
        number = watcher.number_of(row)
        past = folded(row.lineage)
        scopes: list[str] = [clearing.scope for clearing in watcher.history.clearings_since(row.lineage)]
        cleared = widest_scope([*scopes, watcher.probe.peek() if watcher.probe is not None else ""])
        is_warm = watcher.is_warm(number)
        is_forgotten = len(past.misses) >= PER_LINEAGE and watcher.functions.may_be_traced(number, signature)
    transform = transform_of_call(words or "", origin)
    miss = model.Miss(row, signature, transform=transform, is_warm=is_warm, cleared=cleared)
    return miss, past, _doubt(origin, miss, is_inside=words is None, is_forgotten=is_forgotten)


def _check(origin: Origin, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise a TypeError if the function cannot take these arguments. A wrapper that holds some itself is not asked."""
    signature = functions.signature_of(origin.function)
    if signature is not None and len(origin.arguments) == len(args) + len(kwargs):
        signature.bind(*args, **kwargs)


_Call = tuple[Any, tuple[Any, ...], dict[str, Any]]  # function, args, kwargs


def _called_inside(call: _Call) -> _Call | None:
    """The call that a method, a partial or a limit makes; None for any other."""
    fun, args, kwargs = call
    if is_a(fun, types.MethodType, Bound):
        return fun.__func__, (fun.__self__, *args), kwargs
    if is_a(fun, functools.partial):
        func, bound_args, bound_kwargs = bound(fun)
        return func, (*bound_args, *args), {**bound_kwargs, **kwargs}
    return (fun.__wrapped__, args, kwargs) if hasattr(fun, "__jitviz_counter__") else None


def _inputs(origin: Origin) -> list[Any]:
    """The leaves that JAX would receive."""
    given = [argument.value for argument in origin.arguments if argument.rule != "static"]
    return [leaf for value in (origin.root, *given) for leaf in jax.tree_util.tree_leaves(value)]


def _doubt(origin: Origin, miss: model.Miss, *, is_inside: bool, is_forgotten: bool) -> str:
    signature = miss.signature
    if is_inside or any(leaf.type == "Tracer" for leaf in signature.leaves):
        return "it was asked inside another trace, which would include the call"
    if tracing.is_jit_disabled():
        return "jit is disabled here"
    if is_of_jax(functions.innermost(origin.function)) and jits.is_own_jit(origin.function):
        return "JAX jitted this function for its own use, which jitviz does not track"
    if signature.is_partial:
        return signature.note
    if miss.cleared == "function":
        return "the cache of some function was cleared, and it is not known which"
    return "it has so many versions that the oldest were forgotten" if is_forgotten else ""
