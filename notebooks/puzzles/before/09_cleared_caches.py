"""Memory was short once. Since then each epoch compiles."""

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return x * 2


x = jnp.ones(3)
for _ in range(3):
    x = step(x)
    jax.clear_caches()
print(x)
