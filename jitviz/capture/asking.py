"""A call that was not made, beside the calls that were.

In: a jitted function and arguments.  Out: the miss that the call would be, and the misses before it.
Must never: call, trace, compile, read an array or move one; or leave an event in a recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax

from .. import model
from ..jaxcompat import tracing
from ..recording.folding import Fold
from .arguments.origin import Origin
from .arguments.signature import signature_of
from .hooks.history import PER_LINEAGE
from .hooks.watcher import watcher
from .origins import asked, functions
from .origins.transforms import transform_of_call
from .session import watch
from .traces import replayed


@dataclass
class Asked:
    """The miss that a call would be, if it is one, and what came before it. `doubt` says why nothing can be said."""

    miss: model.Miss
    past: Fold
    doubt: str = ""


def ask(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
    """What is known of a call before it is made.

    Raises:
        TypeError: `fun` is not jitted, or cannot be called like this.
    """
    watch()
    origin = asked.of_asked(fun, args, kwargs)
    if origin is None:
        raise TypeError(
            f"predict takes a jitted function and its arguments; this is a plain {type(fun).__name__}. "
            "Write predict(jax.jit(f), x), or predict(step, x) where step is jitted."
        )
    row = functions.identify(origin.function, origin.jitted_by)
    words = tracing.transforms_of(_leaves(origin))
    signature = signature_of(origin, is_transformed=bool(words))
    with watcher.lock:
        number = watcher.number_of(row)
        past = Fold()
        for event in replayed(row.lineage):
            past.add(event)
        scopes: set[str] = {clearing.scope for clearing in watcher.history.clearings_since(row.lineage)}
        scopes.add(watcher.probe.peek() if watcher.probe is not None else "")
        cleared = "all" if "all" in scopes else "function" if "function" in scopes else ""
        is_warm = watcher.is_warm(number)
        is_forgotten = len(past.misses) >= PER_LINEAGE and watcher.functions.may_be_traced(number, signature)
    transform = transform_of_call(words or "", origin)
    miss = model.Miss(row, signature, transform=transform, is_warm=is_warm, cleared=cleared)
    return Asked(miss, past, _doubt(origin, miss, is_inside=words is None, is_forgotten=is_forgotten))


def _leaves(origin: Origin) -> list[Any]:
    """What JAX is given: the arrays among these, and what it takes for one."""
    given = [argument.value for argument in origin.arguments if argument.rule != "static"]
    return [leaf for value in (origin.root, *given) for leaf in jax.tree_util.tree_leaves(value)]


def _doubt(origin: Origin, miss: model.Miss, *, is_inside: bool, is_forgotten: bool) -> str:
    signature = miss.signature
    if is_inside or any(leaf.type == "Tracer" for leaf in signature.leaves):
        return "it was asked inside another trace, of which the call would be a part"
    if tracing.is_jit_disabled():
        return "jit is disabled here"
    if asked.is_own_of_jax(origin):
        return "JAX jitted this function for its own use, which jitviz does not track"
    if signature.is_partial:
        return signature.note
    if miss.cleared == "function":
        return "the cache of some function was cleared, and which one is not known"
    return "it has so many versions that the oldest were forgotten" if is_forgotten else ""
