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
made_once = jax.jit(model.apply)
for _ in range(3):
    x = made_once(x)
print(x)
