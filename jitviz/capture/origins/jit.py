"""Calls of `jax.jit` and `nnx.jit` functions.

In: a `Site`.  Out: an `Origin`, or None for functions that JAX jitted for itself.
Must never: list JAX's own (`jit(iota)`, `_threefry_split`), or leave out the user's `jax.jit(jnp.sin)`.
"""

from __future__ import annotations

import functools
import types
from typing import Any, cast

from ... import wrappers
from ...jaxcompat import frames, jits, nnx
from ...model import Form
from ...raw import is_a, items_of, type_name
from ...wrappers import Wrapper
from ..arguments.origin import Argument, Origin
from ..sources import is_library, is_stdlib
from . import functions
from .sites import Site


def of_jit(site: Site) -> Origin | None:
    """The call of a `jax.jit` function, or its ahead-of-time work."""
    held = site.held
    if held.fun is None:
        return None
    if _is_internal(held.fun, site):
        return _of_entry(site)
    rows = functions.parameters(jits.signature_in(held.info), held.args, held.kwargs)
    origin = _origin(held.fun, wrappers.JAX, rows, held.info)
    origin.defaults = functions.defaults_of(jits.signature_in(held.info), (name for name, _, _ in rows))
    return origin


def of_nnx(site: Site) -> Origin | None:
    """The call of an `nnx.jit` function: the arguments are live objects, before NNX splits them."""
    call = nnx.read_nnx_call(site.caller)
    if call is None:
        return None
    _, args, kwargs = call
    fun = site.held.fun
    signature = functions.signature_of(functions.innermost(nnx.inside_nnx(fun)))
    return _origin(fun, wrappers.NNX, functions.parameters(signature, args, kwargs), site.held.info)


def _origin(fun: Any, jitted_by: Wrapper, rows: list[tuple[str, Any, str]], info: Any) -> Origin:
    """Mark static and donated arguments as the jit options say."""
    marked = jits.marked(info)
    count = sum(given == "positional" for _, _, given in rows)
    static_at = {place % count if count and place < 0 else place for place in marked.static_at}
    names = [name.partition("[")[0] for name, _, _ in rows]
    arguments = []
    for place, (name, value, given) in enumerate(rows):
        is_positional = given == "positional"
        is_static = place in static_at if is_positional else name in marked.static_names
        is_donated = place in marked.donated_at if is_positional else name in marked.donated_names
        arguments.append(Argument(name, value, "static" if is_static else "traced", is_donated))
    return Origin(
        fun,
        jitted_by,
        arguments,
        keyed=fun,
        form=cast(tuple[tuple[str, Form], ...], tuple((name, given) for name, _, given in rows)),
        options=jits.jit_options(info),
        input_order=(*names[:count], *sorted(names[count:])),
    )


def _of_entry(site: Site) -> Origin | None:
    """The call of a function that JAX jitted for itself and hands one of the user's to as a static argument: `odeint`.

    As an eager loop, it goes by the name that the user called, and what it runs is the function.
    """
    held = site.held
    rows = functions.parameters(jits.signature_in(held.info), held.args, held.kwargs)
    origin = _origin(held.fun, wrappers.LOOP, rows, held.info)
    holders = {
        part.name: part.value for part in origin.arguments if part.rule == "static" and _functions_in(part.value)
    }
    entry = site.jax_caller
    while entry is not None and entry.f_back is not None and frames.is_jax_file(entry.f_back.f_code.co_filename):
        entry = entry.f_back
    # what is handed on may be JAX's, made of the user's: that one was given to the entry
    given = [] if entry is None or not holders else list(entry.f_locals.values())
    users = [function for value in (*holders.values(), *given) for function in _functions_in(value)]
    users = sorted({id(one): one for one in users if _is_users(one)}.values(), key=_line_of)
    if not users:
        return None
    origin.function, origin.bodies = users[0], tuple(users)
    origin.primitive = getattr(held.fun, "__name__", "") if entry is None else entry.f_code.co_name
    origin.arguments = [argument for argument in origin.arguments if argument.name not in holders]
    return origin


def _functions_in(value: Any) -> list[Any]:
    """The functions in a static argument, which may be a container of them."""
    parts = [value, *items_of(value)]
    parts += [inner for part in parts[1:] for inner in items_of(part)]
    return [part for part in parts if is_a(part, types.FunctionType, types.MethodType, functools.partial)]


def _is_users(function: Any) -> bool:
    code = getattr(functions.innermost(function), "__code__", None)
    return code is not None and not is_library(code.co_filename)


def _line_of(function: Any) -> tuple[int, int]:
    """A set of functions has no order of its own: that of their lines."""
    code = functions.innermost(function).__code__
    places = [(line, start or 0) for line, _, start, _ in code.co_positions() if line]
    return max(places, default=(0, 0))


def _is_internal(fun: Any, site: Site) -> bool:
    """Whether JAX jitted this for itself, and not because the user asked."""
    if is_a(fun, jits.PjitFunction):
        return False  # jax.jit(jnp.sin): a jit round a jitted function is the user's
    if not is_of_jax(functions.innermost(fun)):
        return False
    caller = site.jax_caller
    while caller is not None and is_stdlib(caller):  # a context manager round a call of JAX's
        caller = caller.f_back
    return caller is None or frames.is_jax_file(caller.f_code.co_filename) or jits.is_own_jit(fun)


def is_of_jax(function: Any) -> bool:
    """Whether a function is defined in jax."""
    if is_a(function, types.FunctionType):
        return frames.is_jax_file(function.__code__.co_filename)
    return type_name(type(function)).split(".")[0] in ("jax", "jaxlib")
