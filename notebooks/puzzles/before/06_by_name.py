"""Passing an argument by its name compiles once more."""

import jax
import jax.numpy as jnp


@jax.jit
def resized(x, scale):
    return x * scale


x = jnp.ones(3)
print(resized(x, jnp.float32(2)))
print(resized(x, jnp.float32(3)))
print(resized(x, scale=jnp.float32(4)))
