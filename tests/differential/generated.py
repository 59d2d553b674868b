"""Programs composed of nested JAX transformations, and of errors inside them.

In: names from `WRAPPERS`, the innermost first, and a name from `MANNERS`.  Out: a program of new functions.
"""

import contextlib
import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import lax
from jax._src.config import enable_x64  # public from jax 0.8 on
from jax.sharding import Mesh, PartitionSpec

import jitviz

Fun = Callable[[Any], Any]  # from an array to an array of the same shape


def _custom_vjp(fun: Fun) -> Fun:
    made = jax.custom_vjp(fun)
    made.defvjp(lambda x: (fun(x), x), lambda x, ct: (ct * x,))
    return made


def _custom_jvp(fun: Fun) -> Fun:
    made = jax.custom_jvp(fun)
    made.defjvp(lambda primals, tangents: (made(*primals), tangents[0] * 2))
    return made


def _spread(fun: Fun) -> Fun:
    mesh, everywhere = Mesh(np.array(jax.devices()[:1]), ("i",)), PartitionSpec()
    return jax.shard_map(fun, mesh=mesh, in_specs=everywhere, out_specs=everywhere, check_vma=False)


def _with_callback(fun: Fun) -> Fun:
    inner = jax.jit(lambda x: x + 1)
    return lambda x: fun(jax.pure_callback(lambda x: np.asarray(inner(x)), x, x, vmap_method="sequential"))


def _printing(fun: Fun) -> Fun:
    def printing(x: Any) -> Any:
        jax.debug.callback(lambda x: print(np.asarray(x).shape), x)
        warnings.warn("of the trace", stacklevel=1)
        return fun(x)

    return printing


def _leaking(fun: Fun) -> Fun:
    kept: list[Any] = []
    return lambda x: kept.append(x) or fun(x)


def _refusing(fun: Fun) -> Fun:
    def refuse(x: Any) -> Any:
        out = fun(x)
        if x.shape[-1] == 2:
            raise ValueError("two is refused") from KeyError("the cause")
        return out

    return refuse


def _static(fun: Fun) -> Fun:
    step = jax.jit(lambda x, n: fun(x) * n, static_argnums=1)
    return lambda x: step(x, 2) + step(x, 3)


WRAPPERS: dict[str, Callable[[Fun], Fun]] = {
    "jax.jit": jax.jit,
    "jax.jit, inline": functools.partial(jax.jit, inline=True),
    "jax.jit, static": _static,
    "jax.jit, donating": lambda fun: lambda x: jax.jit(fun, donate_argnums=0)(x + 0),
    "jax.vmap": lambda fun: lambda x: jax.vmap(fun)(x[None])[0],
    "jax.grad": lambda fun: jax.grad(lambda x: fun(x).sum()),
    "jax.checkpoint": jax.checkpoint,
    "scan": lambda fun: lambda x: lax.scan(lambda carry, _: (fun(carry), None), x, length=2)[0],
    "cond": lambda fun: lambda x: lax.cond(x.sum() > 0, fun, lambda x: x, x),
    "while": lambda fun: lambda x: lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, fun(s[1])), (0, x))[1],
    "custom_vjp": _custom_vjp,
    "custom_jvp": _custom_jvp,
    "shard_map": _spread,
    "callback": _with_callback,
    "printing": _printing,
    "leaking": _leaking,
    "refusing": _refusing,
    "nan": lambda fun: lambda x: fun(jnp.log(x - 1)),
    "if": lambda fun: lambda x: fun(x) if x[0] > 5 else x,
    "equinox.filter_jit": eqx.filter_jit,
    "equinox.filter_grad": lambda fun: eqx.filter_grad(lambda x: fun(x).sum()),
    "error_if": lambda fun: lambda x: fun(eqx.error_if(x, x.sum() > 3, "too much")),
    "nnx.jit": nnx.jit,
    "jitviz.filter_jit": jitviz.filter_jit,
}
MANNERS: dict[str, Callable[[], Any]] = {
    "as it is": contextlib.nullcontext,
    "disable_jit": jax.disable_jit,
    "debug_nans": lambda: jax.debug_nans(True),
    "checking_leaks": jax.checking_leaks,
    "enable_x64": lambda: enable_x64(True),
    "ahead of time": contextlib.nullcontext,
}


def program(wrappers: Sequence[str], manner: str, sizes: Sequence[int]) -> Callable[[], Any]:
    """A program that calls one function with arrays of the given sizes."""

    def run() -> Any:
        fun: Fun = lambda x: jnp.sin(x) * 2  # noqa: E731 - as users write them
        for name in wrappers:
            fun = WRAPPERS[name](fun)
        outs: list[Any] = []
        with MANNERS[manner]():
            for size in sizes:
                x = np.arange(size, dtype=np.float32)
                if manner == "ahead of time":
                    outs.append(jax.jit(fun).lower(x).compile()(x))
                else:
                    outs.append(jax.block_until_ready(fun(x)))
        return outs

    return run
