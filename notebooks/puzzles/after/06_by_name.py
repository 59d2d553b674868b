"""Passing an argument by its name compiles once more."""

import jax
import jax.numpy as jnp


import functools
import inspect


def in_one_form(jitted):
    """Call `jitted` in one form, whether arguments are given by position, by keyword or as defaults."""
    signature = inspect.signature(jitted)

    @functools.wraps(jitted)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return jitted(*bound.args, **bound.kwargs)

    return call


@jax.jit
def resized(x, scale):
    return x * scale

resized = in_one_form(resized)


x = jnp.ones(3)
print(resized(x, jnp.float32(2)))
print(resized(x, jnp.float32(3)))
print(resized(x, scale=jnp.float32(4)))
