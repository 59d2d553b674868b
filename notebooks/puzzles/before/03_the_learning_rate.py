"""A schedule lowers the rate, and each new rate compiles."""

import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames="rate")
def update(w, rate):
    return w - rate * w


w = jnp.ones(3)
for rate in (0.3, 0.2, 0.1):
    w = update(w, rate)
print(w)
