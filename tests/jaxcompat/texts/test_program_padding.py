"""Where a mask can undo padding, and where padding changes the result."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, starmap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jitviz.jaxcompat.texts.program_comparison import compare_programs

W = np.ones((5, 3), np.float32)
KERNEL = np.ones((3, 3, 1, 1), np.float32)
TABLE = np.ones((100, 4), np.float32)


# Up to jax 0.7, an index is compared with 0 in the program.
IS_NEW = jax.__version_info__ >= (0, 8)
LAST = "elements from the end" if IS_NEW else "a loop or a choice that depends on the size"


def vector(n: int) -> Any:
    return np.arange(n, dtype=np.float32)


def batch(n: int) -> Any:
    return np.ones((n, 5), np.float32)


def matrix(n: int) -> Any:
    return 2 * np.eye(n, dtype=np.float32)


def sequences(n: int) -> Any:
    return np.ones((2, n, 10), np.float32)


def tall(n: int) -> Any:
    return np.ones((1, n, 8, 1), np.float32)


def images(n: int) -> Any:
    return np.ones((n, 8, 8, 1), np.float32)


def matrices(n: int) -> Any:
    return np.ones((n, 3, 3), np.float32)


def tokens(n: int) -> Any:
    return np.zeros((2, n), np.int32)


def labels(n: int) -> Any:
    return np.zeros(n, np.int32)


def obstacles(f: Callable[..., Any], make: Callable[[int], Any]) -> list[tuple[str, str]]:
    """From a smaller to a larger size, and back."""
    programs = [jax.jit(f).lower(make(n)).as_text() for n in (48, 56, 48)]
    return [(found.kind, found.obstacle) for found in starmap(compare_programs, pairwise(programs))]


def convolved(x: Any, w: Any) -> Any:
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def pooled(x: Any) -> Any:
    return lax.reduce_window(x, -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def masked_mean(x: Any) -> Any:
    mask = jnp.arange(x.shape[0]) >= 0
    return jnp.where(mask, x, 0).sum() / mask.sum()


def noisy(x: Any) -> Any:
    return x + jax.random.normal(jax.random.key(0), x.shape)


def dropped_out(x: Any) -> Any:
    return jax.grad(lambda w: (x @ w * jax.random.bernoulli(jax.random.key(0), 0.5, (len(x), 3))).mean())(W)


def attention(x: Any) -> Any:
    return jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((len(x),) * 2, bool)), x @ x.T, -9)) @ x


def next_tokens(t: Any) -> Any:
    return jax.grad(lambda e: (e[t[:, :-1]][..., 0] * (t[:, 1:] > 0)).mean())(TABLE)


def cross_entropy(logits: Any, y: Any) -> Any:
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean()


SOUND: list[tuple[str, Callable[..., Any], Callable[[int], Any]]] = [
    ("softmax, of which some is taken", lambda x: jax.nn.softmax(x)[:3], vector),
    ("masked mean", masked_mean, vector),
    ("mean and variance", lambda x: (x.mean(0), x.var(0), x.std(0, ddof=1)), batch),
    ("logarithm of a mean", lambda x: jax.nn.logsumexp(x) - jnp.log(x.shape[0]), vector),
    ("largest, product, any", lambda x: (x.max(), x.prod(), (x > 0).any()), vector),
    ("gradient of a mean", lambda x: jax.grad(lambda w: jnp.mean(jax.nn.relu(x @ w) ** 2))(W), batch),
    ("layer norm", lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), batch),
    ("attention", attention, batch),
    ("cross entropy", lambda y: jax.grad(cross_entropy)(jnp.ones((len(y), 5)), y), labels),
    ("an index for each row", lambda y: jnp.ones((len(y), 5))[jnp.arange(len(y)), y].mean(), labels),
    ("one-hot", lambda y: jax.nn.one_hot(y, 5).sum(1).mean(), labels),
    ("embedding", lambda t: jax.grad(lambda e: e[t].mean())(jnp.asarray(TABLE)), tokens),
    ("embedding of positions", lambda x: x[:, :4] * TABLE[: len(x)] + jnp.asarray(TABLE)[jnp.arange(len(x))], batch),
    ("next tokens", next_tokens, tokens),
    ("sums of segments", lambda x: jax.ops.segment_sum(x, jnp.zeros(len(x), int), 4), vector),
    ("flat and back", lambda x: x.reshape(-1, 10).reshape(2, x.shape[1], 10).sum(1), sequences),
    ("heads", lambda x: x.reshape(2, -1, 5, 2).sum((0, 1)), sequences),
    ("positions as they are", lambda x: x * jnp.arange(len(x)), vector),
    ("a batch that is sorted, transformed, scanned", lambda x: (
        jnp.sort(x, 1)[:, 0], jnp.fft.fft(x).real, jnp.cumsum(x, 1), x[:, ::-1], jnp.argmax(x, 1), lax.top_k(x, 2)[0],
        lax.scan(lambda c, row: (c + row.sum(), None), 0.0, x.T)[0],
    ), batch),
    ("a batch of convolutions", lambda x: jax.grad(lambda w: convolved(x, w).mean())(KERNEL), images),
    ("a batch that is pooled", jax.grad(lambda x: pooled(x).mean()), images),
    ("a batch of matrices", lambda x: (jnp.linalg.solve(x, x), jnp.linalg.cholesky(x)), matrices),
    ("random numbers for each row", noisy, batch),
    ("dropout", dropped_out, batch),
    ("a loop until it is done", lambda x: lax.while_loop(lambda c: c.sum() < 3, lambda c: c * 2, x), vector),
    ("a branch", lambda x: lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: x, x), vector),
    ("a token in front", lambda x: jnp.concatenate([jnp.zeros(1), x]).sum(), vector),
]  # fmt: skip

_POSITIONS, _LOOP, _MATRIX = (
    "positions that depend on the size",
    "a loop or a choice that depends on the size",
    "a routine for whole matrices",
)
OBSTACLES: list[tuple[str, Callable[..., Any], Callable[[int], Any], str]] = [
    ("fft", lambda x: jnp.abs(jnp.fft.fft(x)), vector, "a Fourier transform"),
    ("resize", lambda x: jax.image.resize(x, (32,), "linear"), vector, _POSITIONS),
    ("linspace", lambda x: x * jnp.linspace(0, 1, len(x)), vector, _POSITIONS),
    ("share of the length", lambda x: x * (jnp.arange(len(x)) / len(x)), vector, _POSITIONS),
    ("random numbers in rows", noisy, lambda n: batch(n).T, _POSITIONS),
    ("eigvalsh", lambda x: jnp.linalg.eigvalsh(x)[:3], matrix, _MATRIX),
    ("slogdet", lambda x: jnp.linalg.slogdet(x)[1], matrix, _MATRIX),
    ("cholesky", jnp.linalg.cholesky, matrix, _MATRIX),
    ("sort", jnp.sort, vector, "a sort"),
    ("median", jnp.median, vector, "a sort"),
    ("top k", lambda x: lax.top_k(x, 3)[0], vector, "the largest elements"),
    ("cumsum", jnp.cumsum, vector, "a window or a cumulative sum"),
    ("cumprod", jnp.cumprod, vector, "a window or a cumulative sum"),
    ("argmax", jnp.argmax, vector, "an argmax or another reduction without an identity"),
    ("reverse", lambda x: x[::-1], vector, "a reversal"),
    ("the last one", lambda x: x[-1], vector, LAST),
    ("roll", lambda x: jnp.roll(x, 1), vector, "elements from the end"),
    ("twice in a row", lambda x: jnp.concatenate([x, x]), vector, "`concatenate`"),
    ("columns become rows", lambda x: x.T.reshape(-1), batch, "a result with the padding in between"),
    ("scan", lambda x: lax.scan(lambda c, x: (c * x, c), 1.0, x)[0], vector, _LOOP),
    ("loop", lambda x: lax.fori_loop(0, len(x), lambda i, c: c + x[i], 0.0), vector, _LOOP),
    ("convolution", lambda x: convolved(x, KERNEL), tall, "a convolution"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "f", "make"), SOUND)
def test_a_mask_undoes_padding(name: str, f: Callable[..., Any], make: Callable[[int], Any]) -> None:
    assert obstacles(f, make) == [("sizes", "")] * 2, name


@pytest.mark.parametrize(("name", "f", "make", "obstacle"), OBSTACLES)
def test_padding_changes_the_result(
    name: str, f: Callable[..., Any], make: Callable[[int], Any], obstacle: str
) -> None:
    assert obstacles(f, make) == [("sizes", obstacle)] * 2, name
