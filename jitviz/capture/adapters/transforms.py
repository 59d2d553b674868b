"""Programs that an eager transformation makes of a jitted function: their names, and the function.

In: a call under a transformation, or JAX's note in a jaxpr.  Out: words ("vmap of linearize, by x"), and the function.
"""

import types
from collections.abc import Sequence
from typing import Any

import jax

from ...filters.kernel import functions_with_programs
from ...jaxcompat import caches, tracing
from ...jaxcompat.raw import is_a
from ...model import Function, wrappers
from ..arguments import array_facts
from ..arguments.flattened import Flat
from ..arguments.origin import Argument, Origin
from ..arguments.walk import is_array
from ..sources import is_library
from . import functions
from .registry import jitted_in


def transform_of_call(words: str, origin: Origin) -> str:
    """The transformations `words`, with the arguments they differentiate, if not all, and batch axes other than 0.
    `jax.grad(f, 0)` and `jax.grad(f, 1)` are two programs, as are `jax.vmap(f, 0)` and `jax.vmap(f, 1)`."""
    if not words:
        return ""
    by, others, over = [], [], []
    for argument in origin.arguments:
        leaves = _leaves_of(argument) if argument.rule != "static" else []
        inside = [tracing.inside_tracer(leaf) for leaf in leaves]
        if any(part.is_differentiated for part in inside):
            by.append(argument.name)
        elif any(array_facts.facts_of(leaf) for leaf in leaves if argument.rule == "traced" or is_array(leaf)):
            others.append(argument.name)
        axes = sorted({part.axes for part in inside if any(part.axes)})
        over += [f"{'/'.join(map(str, places))} of {argument.name}" for places in axes]
    if by and others:
        words += f", by {' and '.join(by)}"
    return words + (f", over axis {' and '.join(over)}" if over else "")


def _leaves_of(argument: Argument) -> Sequence[Any]:
    flat = argument.flat
    return flat.leaves if type(flat) is Flat else jax.tree_util.tree_leaves(argument.value)


def function_traced_as(info: str, name: str) -> Function | None:
    """A function in JAX's caches that was only traced inside another program, as under `jax.checkpoint`."""
    traced = [function for function in caches.functions_with_traces(info) if is_a(function, types.FunctionType)]
    users = [function for function in traced if not is_library(function.__code__.co_filename)]
    if users:
        by = (jitted_in(function.__code__.co_filename, function) for function in traced)
        jitted_by = next((wrapper for wrapper in by if wrapper is not wrappers.JAX), wrappers.JAX)
        return functions.identify(users[-1], jitted_by)
    ours = [function for function in functions_with_programs() if traced and functions.names_of(function)[0] == name]
    return functions.identify(ours[-1], wrappers.JITVIZ) if ours else None
