"""The objects that `jax.jit` returns, and the functions inside them.

In: jit objects, their options, functions.  Out: functions, names and options.
"""

import functools
import inspect
import sys
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

import jax

from .jax_frames import BOUNDARY, is_jax_file
from .raw import attributes, bound, closure_of, is_a, unwrapped
from .shardings import partition_text, sharding_text

# The transformation that returned a function, by the name of the function's code.
_TRANSFORM_OF_CODE = {"grad_f": "grad", "grad_f_aux": "grad", "value_and_grad_f": "value_and_grad", "vmap_f": "vmap"}

PjitFunction: type = type(jax.jit(lambda: None))


def jitted_function(jitted: Any) -> Any:
    """The function inside a `jax.jit` object."""
    return getattr(jitted, "_fun", None)


def inner_function(called: Any) -> Any:
    """The user's function inside jits, transformations, partials, bound methods and wrappers, as far as it is known."""
    *_, function = unwrapped(called, _inside)
    return function


def _inside(called: Any) -> Any:
    if is_a(called, PjitFunction):
        return jitted_function(called)
    if is_a(called, MethodType):
        return called.__func__
    if is_a(called, functools.partial):
        return bound(called)[0]
    held = attributes(called)
    if type(called) is FunctionType and is_jax_file(called.__code__.co_filename):
        held = closure_of(called) | held
    return held.get("__wrapped__", held.get("_fun", held.get("fun", held.get("f"))))


def jit_info(jitted: Any) -> Any:
    """The options of a `jax.jit` object; every call of `jax.jit` makes a new options object."""
    return getattr(jitted, "_jit_info", None)


def is_own_jit(function: Any) -> bool:
    """Whether JAX itself exports a jitted version of this function (`jnp.linalg.norm`)."""
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    exported = getattr(module, getattr(function, "__name__", ""), None)
    exported = getattr(exported, "_func", exported)  # the jit inside a `jax.numpy.ufunc`
    return is_a(exported, PjitFunction) and jitted_function(exported) is function


def transform_of(function: FunctionType) -> str:
    """The transformation that returned this function: "grad", "value_and_grad", "vmap", or ""."""
    code = function.__code__
    if not is_jax_file(code.co_filename):
        return ""
    if code.co_name == BOUNDARY:
        inner = closure_of(function).get("fun")
        return transform_of(inner) if isinstance(inner, FunctionType) else ""
    return _TRANSFORM_OF_CODE.get(code.co_name, "")


def signature_in(info: Any) -> inspect.Signature | None:
    """The signature of the jitted function, from the options of its jit."""
    return getattr(info, "fun_signature", None)


def source_info_in(info: Any) -> str:
    """The jitted function as JAX names it in jaxprs: "step at train.py:12"."""
    return str(getattr(info, "fun_sourceinfo", "") or "")


@dataclass(frozen=True)
class Marked:
    """The static and the donated parameters of a `jax.jit`, by position and by name."""

    static_at: tuple[int, ...] = ()
    static_names: tuple[str, ...] = ()
    donated_at: tuple[int, ...] = ()
    donated_names: tuple[str, ...] = ()


def marked(info: Any) -> Marked:
    """The static and donated parameters of a jit. JAX adds the name for each position, and the reverse."""
    options = (getattr(info, f"{kind}_{by}", ()) for kind in ("static", "donate") for by in ("argnums", "argnames"))
    statics, static_names, donated, donated_names = (tuple(part or ()) for part in options)
    if jax.__version_info__ < (0, 9):  # there the positions of donated arguments do not count static ones
        for index in sorted(statics):
            donated = tuple(position + (position >= index) for position in donated)
    return Marked(statics, static_names, donated, donated_names)


def jit_options(info: Any) -> tuple[tuple[str, str], ...]:
    """The options of a jit that are part of a cache key and differ from their defaults."""
    shown: list[tuple[str, str]] = []
    for name in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames"):
        value = getattr(info, name, ())
        if value:
            shown.append((name, repr(tuple(value))))
    inline = getattr(info, "inline", False)
    inline = getattr(inline, "value", inline)  # an enum from jax 0.12 on, where True becomes "jax_late"
    if inline not in (False, "auto"):
        shown.append(("inline", "True" if inline == "jax_late" else str(inline)))
    if getattr(info, "keep_unused", False):
        shown.append(("keep_unused", "True"))
    for name in ("device", "backend"):
        if getattr(info, name, None) is not None:
            shown.append((name, str(getattr(info, name))))
    for name in ("in_shardings", "out_shardings"):
        leaves = getattr(info, f"{name}_leaves", ())
        texts = [  # a bare spec has no devices: those of `jax.set_mesh` count
            f"P{partition_text(leaf)}" if is_a(leaf, jax.sharding.PartitionSpec) else sharding_text(leaf)
            for leaf in leaves
            if type(leaf).__name__ != "UnspecifiedValue"
        ]
        if texts:
            shown.append((name, ", ".join(texts)))
    if getattr(info, "compiler_options_kvs", ()):
        shown.append(("compiler_options", repr(dict(info.compiler_options_kvs))))
    return tuple(shown)
