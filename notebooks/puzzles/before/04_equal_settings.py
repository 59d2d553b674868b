"""The settings are equal in each call, and each call compiles."""

import functools

import jax
import jax.numpy as jnp


class Settings:
    def __init__(self, scale):
        self.scale = scale


@functools.partial(jax.jit, static_argnums=1)
def scaled(x, settings):
    return x * settings.scale


x = jnp.ones(3)
for _ in range(3):
    x = scaled(x, Settings(2.0))
print(x)
