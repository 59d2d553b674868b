"""A training step as small as can be, with a loop that is unrolled, a scan, and a gradient."""

import jax
import jax.numpy as jnp


def layer(w, x):
    return jnp.tanh(x @ w)


def loss(ws, x):
    for w in ws:
        x = layer(w, x)
    x, _ = jax.lax.scan(lambda x, w: (layer(w, x), None), x, ws)
    return jnp.sum(x)


@jax.jit
def step(ws, x):
    value, grads = jax.value_and_grad(loss)(ws, x)
    return value, ws - 0.1 * grads
