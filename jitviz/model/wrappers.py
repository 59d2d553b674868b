"""The ways to jit a function, and their properties: the only place that tells them apart.

In: the name of a wrapper (`Function.api`).  Out: its row of the table.

A new wrapper takes a row here and an adapter in `jitviz.capture.adapters`, which captures its calls.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrapper:
    """`name` is what a user writes to jit a function.

    `has_all_hits`: each call runs Python code of the wrapper, so that every hit is seen on every version of Python. JAX
    answers hits of the others in C++ (https://github.com/jax-ml/jax/pull/24828); from Python 3.12 on, `sys.monitoring`
    reports most of them.
    `is_static_by_leaf`: arrays are traced, and every other leaf is static. With the others, a whole argument is static
    if `static_argnums` or `static_argnames` say so.
    `compares_types`: equal static arguments of two types, `1` and `True`, have a program each.
    `is_loop`: nobody jitted anything. JAX compiles the body of an eager loop, and the function has the loop's name.
    `takes_shapes`: `lower` accepts a `jax.ShapeDtypeStruct` instead of an array.
    `changes_arguments`: a call may change its arguments in place, and changes to a new object would be lost.
    `outputs_before`: the number of outputs that the wrapper adds to the program before the user's.
    `clear`: how to clear what was compiled, with {} for the name of the function.
    """

    name: str
    has_all_hits: bool = False
    is_static_by_leaf: bool = False
    compares_types: bool = False
    is_loop: bool = False
    takes_shapes: bool = False
    changes_arguments: bool = False
    outputs_before: int = 0
    clear: str = "jax.clear_caches()"


JAX = Wrapper("jax.jit", compares_types=True, takes_shapes=True, clear="{}.clear_cache()")
NNX = Wrapper("nnx.jit", compares_types=True, changes_arguments=True)
NNX_PARTIAL = Wrapper("nnx.jit_partial", compares_types=True, changes_arguments=True)
LOOP = Wrapper("jax.lax", is_loop=True)
JITVIZ = Wrapper("jitviz.filter_jit", has_all_hits=True, is_static_by_leaf=True, compares_types=True, takes_shapes=True)
# Equinox adds an output that it waits for, to raise runtime errors of the program:
# https://github.com/patrick-kidger/equinox/blob/main/equinox/_jit.py.
EQUINOX = Wrapper("equinox.filter_jit", has_all_hits=True, is_static_by_leaf=True, outputs_before=1)

_BY_NAME = {wrapper.name: wrapper for wrapper in (JAX, NNX, NNX_PARTIAL, LOOP, JITVIZ, EQUINOX)}


def named(name: str) -> Wrapper:
    """The row of this name; one without any properties if a newer jitviz recorded it."""
    return _BY_NAME.get(name) or Wrapper(name)
