"""Functions with loops in Python, unrolled or not. A comment at the end of a line names it, as in `programs`."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def layer(w, x):
    x = jnp.tanh(x @ w) + jnp.sin(x) * jnp.cos(x)
    x = x / (1.0 + jnp.exp(-x)) - jnp.log1p(x * x)
    return x * jax.lax.rsqrt(jnp.mean(x * x) + 1e-6)


@jax.jit
def over_parameters(ws, x):
    for w in ws:  # over_parameters
        x = layer(w, x)
    return x


@jax.jit
def over_several_lines(ws, x):
    for w in list(  # over_several_lines
        ws,
    ):
        x = layer(w, x)
    return x


@jax.jit
def over_range(x):
    for number in range(100):
        x = jnp.sin(x) * number
        x = jnp.cos(x) + number
    return x


@jax.jit
def that_collects(x):
    seen = []
    for _ in range(100):  # that_collects
        x = jnp.tanh(x) * jnp.cos(x)
        seen.append(jnp.sum(x))
    return seen


@jax.jit
def while_true(x):
    n = 0
    while n < 80:  # while_true
        x, n = jnp.sin(x) * jnp.cos(x), n + 1
    return x


@jax.jit
def in_a_comprehension(ws, x):
    return sum([layer(w, x) for w in ws])  # in_a_comprehension


@jax.jit
def nested(x):
    for _ in range(10):  # nested
        for _ in range(10):
            x = jnp.sin(x) * jnp.cos(x)
    return x


@jax.jit
def over_leaves(params):
    return jax.tree.map(lambda leaf: jnp.sin(leaf) * 2.0 + jnp.cos(leaf), params)


@jax.jit
def over_items(params):
    out = {}
    for name, leaf in params.items():
        out[name] = jnp.sin(leaf) * 2.0 + jnp.cos(leaf)
    return out


@jax.jit
def over_other_shapes(ws, x):
    for w in ws:
        x = jnp.tanh(x @ w) + jnp.mean(x)
        x = x / (1.0 + jnp.exp(-x)) - jnp.log1p(x * x)
    return x


@jax.jit
def a_short_loop(x):
    for _ in range(3):
        x = layer(jnp.ones((4, 4)), x)
        x = layer(jnp.ones((4, 4)), x) + layer(jnp.ones((4, 4)), x) + layer(jnp.ones((4, 4)), x)
        x = layer(jnp.ones((4, 4)), x) + layer(jnp.ones((4, 4)), x) + layer(jnp.ones((4, 4)), x)
    return x


@jax.jit
def a_jitted_body(ws, x):
    for w in ws:
        x = jax.jit(layer)(w, x)
    return x


@jax.jit
def a_scan(ws, x):
    return jax.lax.scan(lambda x, w: (layer(w, x), None), x, ws)[0]


@jax.jit
def over_rows(xs):
    found = []
    for x in xs:
        found.append(jnp.tanh(x) * 2)
    return jnp.stack(found)


@jax.jit
def over_rows_in_a_comprehension(xs):
    return jnp.stack([jnp.tanh(x) * 2 for x in xs])
