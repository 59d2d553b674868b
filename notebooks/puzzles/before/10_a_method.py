"""The model is one object, and each call of its method compiles."""

import jax
import jax.numpy as jnp


class Model:
    def __init__(self, scale):
        self.scale = scale

    def apply(self, x):
        return x * self.scale


model = Model(2.0)
x = jnp.ones(3)
for _ in range(3):
    x = jax.jit(model.apply)(x)
print(x)
