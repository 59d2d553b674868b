"""A training step of the size that people wait for: twelve transformer blocks, their gradient, and adam."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

WIDTH, HEADS, LENGTH, WORDS, BLOCKS = 64, 4, 32, 128, 12

optim = optax.adam(1e-3)


def arguments() -> tuple[Any, Any, Any]:
    """Weights, the state of adam, and a batch of word numbers."""
    square = lambda rows=WIDTH, columns=WIDTH: jnp.full((rows, columns), 0.01)  # noqa: E731
    block = {name: square() for name in "qkvo"} | {"up": square(columns=4 * WIDTH), "down": square(rows=4 * WIDTH)}
    block |= {"first": jnp.ones(WIDTH), "second": jnp.ones(WIDTH)}
    weights = {
        "words": square(rows=WORDS),
        "blocks": [dict(block) for _ in range(BLOCKS)],
        "out": square(columns=WORDS),
    }
    return weights, optim.init(weights), np.zeros((4, LENGTH), np.int32)


def normalise(x: Any, scale: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def attend(block: Any, x: Any) -> Any:
    def heads(array: Any) -> Any:
        return array.reshape(array.shape[0], LENGTH, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    inner = normalise(x, block["first"])
    query, key, value = (heads(inner @ block[name]) for name in "qkv")
    scores = query @ key.swapaxes(-1, -2) / (WIDTH // HEADS) ** 0.5
    weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9))
    return (weights @ value).transpose(0, 2, 1, 3).reshape(x.shape) @ block["o"]


def loss(weights: Any, batch: Any) -> Any:
    x = weights["words"][batch]
    for block in weights["blocks"]:
        x = x + attend(block, x)
        x = x + jax.nn.gelu(normalise(x, block["second"]) @ block["up"]) @ block["down"]
    logits = x @ weights["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], batch[:, 1:]).mean()


def step(weights: Any, state: Any, batch: Any) -> Any:
    value, grads = jax.value_and_grad(loss)(weights, batch)
    updates, state = optim.update(grads, state)
    return optax.apply_updates(weights, updates), state, value
