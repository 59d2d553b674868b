"""The ways to jit a function, and what is true of each: the one place that tells them apart.

In: the name that a `Function` carries (`Function.api`).  Out: its row of the table.
Must never: import jax; recordings are read where there is none.

A new wrapper is a row here and an adapter in `jitviz.capture.origins`, which captures its calls.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrapper:
    """`name` is what a user writes to jit a function.

    `has_all_hits` says that each of its calls runs Python code of the wrapper, so that every hit is seen on every
    version of Python. JAX answers hits of the others in C++ (https://github.com/jax-ml/jax/pull/24828); from Python
    3.12 on, `sys.monitoring` reports most of them.
    `is_static_by_leaf` says that each leaf that is no array is static, and arrays are traced; with the others a whole
    argument is static where `static_argnums` or `static_argnames` say so.
    `is_loop` says that nobody jitted anything: JAX compiles what an eager loop runs, and the loop goes by its own name.
    `is_run_by_jax` says that JAX jits a function of its own that runs the user's, at times another one for each call.
    `takes_shapes` says that `lower` takes a `jax.ShapeDtypeStruct` in place of an array.
    `changes_arguments` says that arguments are objects that a call may change: one that was built anew would lose that.
    `outputs_before` are the outputs of the program that the wrapper adds before the user's own.
    """

    name: str
    has_all_hits: bool = False
    is_static_by_leaf: bool = False
    is_loop: bool = False
    is_run_by_jax: bool = False
    takes_shapes: bool = False
    changes_arguments: bool = False
    outputs_before: int = 0


JAX = Wrapper("jax.jit", takes_shapes=True)
PMAP = Wrapper("jax.pmap", is_run_by_jax=True)
NNX = Wrapper("nnx.jit", changes_arguments=True)
LOOP = Wrapper("jax.lax", is_loop=True, is_run_by_jax=True)
JITVIZ = Wrapper("jitviz.filter_jit", has_all_hits=True, is_static_by_leaf=True, takes_shapes=True)
# Equinox adds an output that it waits for, to raise runtime errors of the program:
# https://github.com/patrick-kidger/equinox/blob/main/equinox/_jit.py.
EQUINOX = Wrapper("equinox.filter_jit", has_all_hits=True, is_static_by_leaf=True, outputs_before=1)

_BY_NAME = {wrapper.name: wrapper for wrapper in (JAX, PMAP, NNX, LOOP, JITVIZ, EQUINOX)}


def named(name: str) -> Wrapper:
    """The row of this name; one that promises nothing where a newer jitviz recorded it."""
    return _BY_NAME.get(name) or Wrapper(name)
