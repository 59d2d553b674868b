"""Calls of `jax.jit` functions.

In: a `MissFrame`.  Out: an `Origin`, or None for functions that JAX jitted for itself.
Must never: list JAX's own (`jit(iota)`, `_threefry_split`), or leave out the user's `jax.jit(jnp.sin)`.
"""

import types
from collections.abc import Sequence
from typing import Any, cast

from ...jaxcompat import jax_frames, jits
from ...jaxcompat.frame_locals import FlatArguments
from ...jaxcompat.raw import is_a, type_name
from ...model import Form, wrappers
from ...model.wrappers import Wrapper
from ..arguments.flattened import Flat
from ..arguments.origin import Argument, Origin
from ..sources import is_stdlib
from . import functions
from .adapter import Adapter
from .jax_sites import MissFrame


def _of_call(fun: Any, info: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin:
    signature = jits.signature_in(info)
    rows = functions.parameters(signature, args, kwargs)
    origin = origin_of(fun, wrappers.JAX, rows, info)
    origin.defaults = functions.defaults_of(signature, (name for name, _, _ in rows))
    return origin


def origin_of(fun: Any, jitted_by: Wrapper, rows: list[tuple[str, Any, str]], info: Any) -> Origin:
    """A call of a jitted function, with static and donated arguments as the jit options say."""
    marked = jits.marked(info)
    count = sum(given == "positional" for _, _, given in rows)
    static_at = {index % count if count and index < 0 else index for index in marked.static_at}
    names = [name.partition("[")[0] for name, _, _ in rows]
    arguments = []
    for index, (name, value, given) in enumerate(rows):
        is_positional = given == "positional"
        is_static = index in static_at if is_positional else name in marked.static_names
        is_donated = index in marked.donated_at if is_positional else name in marked.donated_names
        arguments.append(Argument(name, value, "static" if is_static else "traced", is_donated))
    return Origin(
        fun,
        jitted_by,
        arguments,
        form=cast(tuple[tuple[str, Form], ...], tuple((name, given) for name, _, given in rows)),
        options=jits.jit_options(info),
        input_order=(*names[:count], *sorted(names[count:])),
    )


def with_flat(origin: Origin, found: FlatArguments | None) -> Origin:
    """The same call, with the leaves of its arguments that JAX has flattened already."""
    whole = None if found is None else Flat.of(*found)
    if whole is not None:
        origin.give_flat([flat for part in whole.children() for flat in part.children()], origin.form)
    return origin


def is_internal(site: MissFrame) -> bool:
    """Whether JAX jitted this function for itself, and not at the user's request."""
    fun = site.held.fun
    if is_a(fun, jits.PjitFunction):
        return False  # jax.jit(jnp.sin): a jit around a jitted function is the user's
    if not is_of_jax(functions.innermost(fun)):
        return False
    # a context manager may be around a call that JAX makes
    caller = next((frame for frame in jax_frames.stack(site.jax_caller) if not is_stdlib(frame)), None)
    return caller is None or jax_frames.is_jax_file(caller.f_code.co_filename) or jits.is_own_jit(fun)


def is_of_jax(function: Any) -> bool:
    """Whether a function is defined in jax."""
    if is_a(function, types.FunctionType):
        return jax_frames.is_jax_file(function.__code__.co_filename)
    return type_name(type(function)).split(".")[0] in ("jax", "jaxlib")


class JaxJit(Adapter):
    """`jax.jit`. Every other wrapper finally calls it, so this one is tried last."""

    wrapper = wrappers.JAX

    def find(self, site: MissFrame) -> Origin | None:
        held = site.held
        if held.fun is None or is_internal(site):
            return None
        return with_flat(_of_call(held.fun, held.info, held.args, held.kwargs), held.flat)

    def build(self, fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Origin | None:
        inside = self.inside(fun)
        return None if inside is None else _of_call(inside, jits.jit_info(fun), args, kwargs)

    def inside(self, fun: Any) -> Any:
        return jits.jitted_function(fun) if is_a(fun, jits.PjitFunction) else None

    def jits(self, fun: Any) -> Sequence[Any]:
        return (fun,)
