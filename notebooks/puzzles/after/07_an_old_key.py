"""Two ways to make a key of random numbers, and two compiles."""

import jax


@jax.jit
def sample(key):
    return jax.random.normal(key, (3,)) > 0


print(sample(jax.random.key(0)).shape)
print(sample(jax.random.key(1)).shape)
