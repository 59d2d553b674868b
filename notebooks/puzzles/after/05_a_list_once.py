"""One of the calls compiles again, with the same numbers."""

import jax
import jax.numpy as jnp


@jax.jit
def total(pair):
    return pair[0] + pair[1]


x = jnp.ones(3)
print(total((x, x)), total((x, x)))
print(total(tuple([x, x])))
