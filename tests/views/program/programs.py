"""Real programs. A comment at the end of a line names the line: `line_of("tanh")` is its number."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import optax

import jitviz
from jitviz.recording import Recording
from tests.conftest import AS_USUAL

LABEL = "tests/views/program/programs.py"
BLOCKS = 4


def line_of(name: str) -> int:
    lines = Path(__file__).read_text().split("\n")
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"  # {name}"))


def line_in(module: ModuleType, text: str) -> int:
    lines = Path(str(module.__file__)).read_text().split("\n")
    return next(number for number, line in enumerate(lines, 1) if text in line)


def record(function: Callable[..., Any], *args: Any) -> tuple[Recording, int]:
    """A recording of one call, and the number of its last compile."""
    with jitviz.record() as recording:
        function(*args)
    return recording, max(row.index for row in recording.compiles)


# -- a transformer's training step, its blocks in a Python loop -------------------------------------------------------


def norm(x, gain):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gain  # norm


def block(p, x):
    h = norm(x, p["gain"])
    weights = jax.nn.softmax(h @ p["q"] @ jnp.swapaxes(h @ p["k"], -1, -2))  # softmax
    x = x + weights @ (h @ p["v"])
    return x + jax.nn.gelu(norm(x, p["gain"]) @ p["up"]) @ p["down"]  # gelu


def transformer_loss(params, batch):
    x = params["embed"][batch]
    for p in params["blocks"]:  # loop
        x = block(p, x)  # body
    logits = x @ params["out"]  # logits
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch).mean()


def transformer_params(n_blocks: int) -> dict[str, Any]:
    def block_params() -> dict[str, Any]:
        square = {name: jnp.ones((8, 8)) for name in "qkv"}
        return square | {"gain": jnp.ones(8), "up": jnp.ones((8, 32)), "down": jnp.ones((32, 8))}

    return {"embed": jnp.ones((16, 8)), "out": jnp.ones((8, 16)), "blocks": [block_params() for _ in range(n_blocks)]}


optimiser = optax.adam(1e-3)


@functools.partial(jax.jit, compiler_options=AS_USUAL)  # what is fused decides how many bytes it moves
def train(params, state, batch):
    loss, grads = jax.value_and_grad(transformer_loss)(params, batch)  # value_and_grad
    updates, state = optimiser.update(grads, state)  # adam
    return optax.apply_updates(params, updates), state, loss


@functools.cache
def transformer(n_blocks: int = BLOCKS) -> tuple[Recording, int]:
    params = transformer_params(n_blocks)
    return record(train, params, optimiser.init(params), jnp.zeros((2, 5), jnp.int32))


# -- an RNN as a scan, differentiated ---------------------------------------------------------------------------------


@jax.jit
def cell(w, h, x):
    return jnp.tanh(h @ w + x)  # tanh


def rnn_loss(w, xs):
    def step(h, x):
        return cell(w, h, x), jnp.cos(h)  # step

    h, ys = jax.lax.scan(step, jnp.zeros(8), xs)  # scan
    return (h * h).sum() + ys.sum()  # squares


@jax.jit
def rnn_grad(w, xs):
    return jax.value_and_grad(rnn_loss)(w, xs)


@functools.cache
def rnn() -> tuple[Recording, int]:
    return record(rnn_grad, jnp.ones((8, 8)), jnp.ones((5, 8)))


# -- a differential equation ------------------------------------------------------------------------------------------


def field(t, y, args):
    return -args * jnp.sin(y)  # field


@functools.cache
def equation() -> tuple[Recording, int]:
    import diffrax  # which takes a second, and this file is imported for every run

    @jax.jit
    def solve(y0):
        term = diffrax.ODETerm(field)
        return diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y0, args=2.0).ys  # diffeqsolve

    return record(solve, jnp.ones(3))


# -- a function that is folded into another one -----------------------------------------------------------------------


@functools.partial(jitviz.filter_jit, inline=True)
def inner(x, scale):
    return jnp.exp(x) * scale["factor"]  # exp


@jax.jit
def outer(x):
    y = inner(x, {"factor": 3.0})  # first call
    return inner(y + 1.0, {"factor": 2.0})  # second call


@functools.cache
def nested() -> tuple[Recording, int]:
    return record(outer, jnp.ones(4))


# -- a batch of gradients ---------------------------------------------------------------------------------------------


def energy(w, x):
    return jnp.sum(jnp.log1p(w @ x) ** 2)  # log1p


@jax.jit
def gradients(w, xs):
    return jax.vmap(jax.grad(energy), in_axes=(None, 0))(w, xs)  # vmap


@functools.cache
def batched() -> tuple[Recording, int]:
    return record(gradients, jnp.ones((3, 3)), jnp.ones((6, 3)))


Make: TypeAlias = Callable[[], tuple[Recording, int]]
ALL: tuple[Make, ...] = (transformer, rnn, equation, nested, batched)
