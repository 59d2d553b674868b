"""The first step compiles, and so does the second. All later ones are fast."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(state):
    return {"x": state["x"] * 0.9, "time": state["time"] + np.float32(0.1)}


state = {"x": jnp.ones(3), "time": 0.0}
for _ in range(4):
    state = step(jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype=jnp.result_type(leaf)), state))
print(state["time"])
