"""Passing an argument by its name compiles once more."""

import jax
import jax.numpy as jnp


@jax.jit
def scaled(x, scale):
    return x * scale


x = jnp.ones(3)
print(scaled(x, jnp.float32(2)), scaled(x, jnp.float32(3)))
print(scaled(x, scale=jnp.float32(4)))
