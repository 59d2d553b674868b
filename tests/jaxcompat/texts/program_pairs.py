"""Pairs of programs with a known answer: name, what makes the program, how it is called twice, kind, is_arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class Case(NamedTuple):
    name: str
    before: tuple[Callable[..., Any], tuple[Any, ...]]
    after: tuple[Callable[..., Any], tuple[Any, ...]]
    kind: str
    is_arithmetic: bool = False
    words: str = ""


X = jnp.ones((4, 4))
COMMITTED = jax.device_put(X, jax.devices()[0])
V = jnp.ones(4)
TABLE = np.random.RandomState(0).randn(20, 20).astype("f")


def static(f: Callable[..., Any], /, *args: Any, **values: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return partial(f, **values), args


def rated(x, rate):
    return x - rate * jnp.sin(x)


def rated_twice(x, rate, other=0.5):
    one = jax.jit(lambda x, r: x * 2 - r)
    return one(one(x, rate), other) + one(x, rate)


def nested(x, rate):
    @jax.jit
    def inner(x):
        return x * rate

    return inner(inner(x)) + inner(x)


def fori(x, n):
    return lax.fori_loop(0, n, lambda i, c: c * 0.5, x)


def fori_rate(x, rate):
    return lax.fori_loop(0, 5, lambda i, c: c * rate, x)


def fori_from(x, start):
    return lax.fori_loop(start, start + 5, lambda i, c: c + i, x)


def scan_length(x, n):
    return lax.scan(lambda c, _: (c * 0.5, None), x, None, length=n)[0]


def scan_stacked(x, n):
    return lax.scan(lambda c, _: (c * 0.5, c), x, None, length=n)


def tolerance(x, tol):
    return lax.while_loop(lambda x: jnp.sum(x) > tol, lambda x: x * 0.5, x)


def at_most(x, n):
    return lax.while_loop(lambda s: (s[0] < n) & (jnp.sum(s[1]) > 0.1), lambda s: (s[0] + 1, s[1] * 0.5), (0, x))


def layers(x, *weights):
    for w in weights:
        x = jnp.tanh(x @ w)
    return x


def loss(weights, x):
    return jnp.mean(layers(x, *weights) ** 2)


def sgd(weights, x, rate):
    grads = jax.grad(loss)(weights, x)
    return [w - rate * g for w, g in zip(weights, grads, strict=True)]


def adam(w, m, v, x, rate, beta=0.9):
    g = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    m, v = beta * m + (1 - beta) * g, 0.999 * v + 0.001 * g * g
    return w - rate * m / (jnp.sqrt(v) + 1e-8), m, v


def unrolled(x, n):
    for _ in range(n):
        x = jnp.sin(x) * 0.5
    return x


def cond(x, scale):
    return lax.cond(jnp.sum(x) > 0, lambda x: x * scale, lambda x: x - 1, x)


def cond_branch(x, f):
    return lax.cond(jnp.sum(x) > 0, lambda x: x * 2, f, x)


def in_scan(x, i):
    return lax.scan(lambda c, y: (c + y[i], None), x[0], jnp.stack([x, x]))[0]


CASES = [
    Case("equal", static(rated, X, rate=0.1), static(rated, X, rate=0.1), "same"),
    Case("unused static", static(lambda x, n: x + 1, X, n=1), static(lambda x, n: x + 1, X, n=2), "same"),
    Case("static rate", static(rated, X, rate=0.1), static(rated, X, rate=0.2), "numbers", True),
    Case("infinite", static(rated, X, rate=0.1), static(rated, X, rate=np.inf), "numbers", True),
    Case("nan", static(rated, X, rate=np.nan), static(rated, X, rate=np.float32(1)), "numbers", True),
    Case("complex", static(rated, X, rate=1 + 2j), static(rated, X, rate=1 - 3j), "numbers", True),
    Case("rate in a function called twice", static(nested, X, rate=0.1), static(nested, X, rate=0.2), "numbers", True),
    Case(
        "rate given to a function", static(rated_twice, X, rate=0.1), static(rated_twice, X, rate=0.2), "numbers", True
    ),
    Case(
        "two rates, one function or two",
        static(lambda x, a, b: nested(x, a) + nested(x, b), X, a=0.1, b=0.1),
        static(lambda x, a, b: nested(x, a) + nested(x, b), X, a=0.1, b=0.3),
        "numbers",
        True,
    ),
    Case("rate in a loop", static(fori_rate, X, rate=0.1), static(fori_rate, X, rate=0.2), "numbers", True),
    Case("rate in a branch", static(cond, X, scale=2.0), static(cond, X, scale=3.0), "numbers", True),
    Case(
        "x*2+1 and x*3+5",
        static(lambda x, a, b: x * a + b, X, a=2.0, b=1.0),
        static(lambda x, a, b: x * a + b, X, a=3.0, b=5.0),
        "numbers",
        True,
    ),
    Case("steps of a fori_loop", static(fori, X, n=5), static(fori, X, n=7), "numbers", False),
    Case("start of a loop of 5 steps", static(fori_from, X, start=1), static(fori_from, X, start=2), "numbers", True),
    Case("length of a scan", static(scan_length, X, n=5), static(scan_length, X, n=7), "numbers", False),
    Case("length of a scan with outputs", static(scan_stacked, X, n=5), static(scan_stacked, X, n=7), "sizes"),
    Case("tolerance of a while_loop", static(tolerance, X, tol=0.1), static(tolerance, X, tol=0.2), "numbers", True),
    Case("most steps of a while_loop", static(at_most, X, n=5), static(at_most, X, n=7), "numbers", False),
    Case("static index", static(lambda x, i: x[i], X, i=1), static(lambda x, i: x[i], X, i=2), "numbers", True),
    Case(
        "gradient of a static index",
        static(jax.grad(lambda x, i: jnp.sum(jnp.sin(x[i]))), X, i=1),
        static(jax.grad(lambda x, i: jnp.sum(jnp.sin(x[i]))), X, i=2),
        "numbers",
        True,
    ),
    Case(
        "window", static(lambda x, i: x[i : i + 2], X, i=0), static(lambda x, i: x[i : i + 2], X, i=1), "numbers", True
    ),
    Case("index in a scan", static(in_scan, X, i=1), static(in_scan, X, i=2), "numbers", True),
    Case(
        "indices of an array",
        static(lambda x, i: x[np.array(i)], X, i=(0, 1)),
        static(lambda x, i: x[np.array(i)], X, i=(2, 1)),
        "numbers",
        True,
    ),
    Case(
        "set at a static index",
        static(lambda x, i: x.at[i].set(3.0), X, i=1),
        static(lambda x, i: x.at[i].set(3.0), X, i=2),
        "numbers",
        True,
    ),
    Case(
        "table",
        static(lambda x, t: x @ t, X, t=TABLE[:4]),
        static(lambda x, t: x @ t, X, t=TABLE[4:8]),
        "numbers",
        True,
    ),
    Case(
        "mask",
        static(lambda x, t: jnp.where(t, x, 0), X, t=np.eye(4, dtype=bool)),
        static(lambda x, t: jnp.where(t, x, 0), X, t=np.tri(4, dtype=bool)),
        "numbers",
        True,
    ),
    Case(
        "seed",
        static(lambda x, s: x + jax.random.normal(jax.random.key(s), (4,)), X, s=1),
        static(lambda x, s: x + jax.random.normal(jax.random.key(s), (4,)), X, s=2),
        "numbers",
        True,
    ),
    Case("adam rate", static(adam, X, X, X, X, rate=0.1), static(adam, X, X, X, X, rate=0.01), "numbers", True),
    Case(
        "adam beta", static(adam, X, X, X, X, rate=0.1), static(adam, X, X, X, X, rate=0.1, beta=0.8), "numbers", True
    ),
    Case(
        "clip",
        static(lambda x, a: jnp.clip(x, -a, a), X, a=1.0),
        static(lambda x, a: jnp.clip(x, -a, a), X, a=2.0),
        "numbers",
        True,
    ),
    Case(
        "closed-over numbers",
        static(lambda x, a: x + a, X, a=np.float32(1)),
        static(lambda x, a: x + a, X, a=np.float32(2)),
        "numbers",
        True,
    ),
    Case(
        "pad in front or behind",
        static(lambda x, n: jnp.pad(x, (n, 3 - n)), V, n=1),
        static(lambda x, n: jnp.pad(x, (n, 3 - n)), V, n=2),
        "numbers",
        False,
    ),
    Case(
        "axis",
        static(lambda x, axis: jnp.sum(x, axis), X, axis=0),
        static(lambda x, axis: jnp.sum(x, axis), X, axis=1),
        "other",
    ),
    Case(
        "axis of a sort",
        static(lambda x, axis: lax.sort(x, dimension=axis), X, axis=0),
        static(lambda x, axis: lax.sort(x, dimension=axis), X, axis=1),
        "other",
    ),
    Case(
        "stability of a sort",
        static(lambda x, s: lax.sort(x, is_stable=s), X, s=True),
        static(lambda x, s: lax.sort(x, is_stable=s), X, s=False),
        "other",
    ),
    Case(
        "axis of an iota",
        static(lambda x, d: x + lax.broadcasted_iota(jnp.float32, (4, 4), d), X, d=0),
        static(lambda x, d: x + lax.broadcasted_iota(jnp.float32, (4, 4), d), X, d=1),
        "other",
    ),
    Case(
        "uplo",
        static(lambda x, lower: jax.scipy.linalg.cholesky(x, lower=lower), X, lower=True),
        static(lambda x, lower: jax.scipy.linalg.cholesky(x, lower=lower), X, lower=False),
        "other",
    ),
    Case(
        "triangle",
        static(lambda x, lower: jax.scipy.linalg.solve_triangular(x, x, lower=lower), X, lower=True),
        static(lambda x, lower: jax.scipy.linalg.solve_triangular(x, x, lower=lower), X, lower=False),
        "other",
    ),
    Case(
        "direction of a scan",
        static(lambda x, r: lax.scan(lambda c, y: (c + y, c), x[0], x, reverse=r), X, r=False),
        static(lambda x, r: lax.scan(lambda c, y: (c + y, c), x[0], x, reverse=r), X, r=True),
        "other",
    ),
    Case(
        "row or column",
        static(lambda x, v, axis: x + jnp.expand_dims(v, axis), X, V, axis=0),
        static(lambda x, v, axis: x + jnp.expand_dims(v, axis), X, V, axis=1),
        "other",
    ),
    Case(
        "transposed",
        static(lambda x, t: jnp.sin(jnp.transpose(x, t)), X, t=(0, 1)),
        static(lambda x, t: jnp.sin(jnp.transpose(x, t)), X, t=(1, 0)),
        "other",
    ),
    Case("stride", static(lambda x, s: x[: s * 2 : s], V, s=1), static(lambda x, s: x[: s * 2 : s], V, s=2), "other"),
    Case(
        "compare",
        static(lambda x, f: f(x, 0).sum(), X, f=jnp.greater),
        static(lambda x, f: f(x, 0).sum(), X, f=jnp.less),
        "other",
    ),
    Case(
        "a-b and b-a",
        static(lambda x, y: x - y, X, X + 1),
        static(lambda x, y: y - x, X, X + 1),
        "other",
        words="the same operations on other values",
    ),
    Case(
        "a-b and b-a of another dtype",
        static(lambda x, y: x - y, X, X),
        static(lambda x, y: y - x, X.astype("bfloat16"), X.astype("bfloat16")),
        "other",
    ),
    Case(
        "maximum and minimum",
        static(lambda x, f: f(x, 2), X, f=jnp.maximum),
        static(lambda x, f: f(x, 2), X, f=jnp.minimum),
        "other",
        words="minimum in place of maximum",
    ),
    Case("power", static(lambda x, n: x**n, X, n=2), static(lambda x, n: x**n, X, n=5), "other"),
    Case("branch", static(cond_branch, X, f=jnp.sin), static(cond_branch, X, f=jnp.cos), "other"),
    Case(
        "one more step",
        static(unrolled, X, n=3),
        static(unrolled, X, n=4),
        "other",
        words="one more repetition of 3 operations, 12 operations instead of 9",
    ),
    Case(
        "two steps fewer",
        static(unrolled, X, n=4),
        static(unrolled, X, n=2),
        "other",
        words="2 fewer repetitions of 3 operations, 6 operations instead of 12",
    ),
    Case(
        "one more layer",
        static(layers, X, X, X),
        static(layers, X, X, X, X),
        "other",
        words="one more layer, 6 operations instead of 4, 4 inputs instead of 3",
    ),
    Case(
        "one more layer to train",
        (partial(sgd, rate=0.1), ([X, X], X)),
        (partial(sgd, rate=0.1), ([X, X, X], X)),
        "other",
    ),
    Case(
        "another solver",
        static(lambda x, f: f(x), X, f=jnp.linalg.cholesky),
        static(lambda x, f: f(x), X, f=lambda x: jax.scipy.linalg.lu_factor(x)[0]),
        "other",
    ),
    Case(
        "unrolled or not",
        static(unrolled, X, n=3),
        static(lambda x: lax.fori_loop(0, 3, lambda i, x: jnp.sin(x) * 0.5, x), X),
        "other",
    ),
    Case("rows", static(rated, X, rate=0.1), static(rated, X[:3], rate=0.1), "sizes"),
    Case("rows and rate", static(rated, X, rate=0.1), static(rated, X[:3], rate=0.2), "other"),
    Case("mean", static(loss, [X], jnp.ones((128, 4))), static(loss, [X], jnp.ones((104, 4))), "sizes"),
    Case(
        "training step",
        (partial(sgd, rate=0.1), ([X, X], jnp.ones((128, 4)))),
        (partial(sgd, rate=0.1), ([X, X], jnp.ones((104, 4)))),
        "sizes",
    ),
    Case(
        "half the batch at twice the rate",
        (partial(sgd, rate=0.1), ([X, X], jnp.ones((128, 4)))),
        (partial(sgd, rate=0.2), ([X, X], jnp.ones((64, 4)))),
        "other",
    ),
    Case("last element", static(lambda x: x[-1] * 2, jnp.ones(8)), static(lambda x: x[-1] * 2, jnp.ones(6)), "sizes"),
    Case(
        "standard deviation",
        static(lambda x: jnp.std(x, ddof=1), jnp.ones(8)),
        static(lambda x: jnp.std(x, ddof=1), jnp.ones(6)),
        "sizes",
    ),
    Case(
        "scan of another length",
        static(lambda x: lax.scan(lambda c, y: (c + y, c), x[0], x), jnp.ones(8)),
        static(lambda x: lax.scan(lambda c, y: (c + y, c), x[0], x), jnp.ones(6)),
        "sizes",
    ),
    Case("arange", static(lambda n: jnp.arange(n) * 2, n=8), static(lambda n: jnp.arange(n) * 2, n=6), "sizes"),
    Case("cumsum", static(jnp.cumsum, jnp.ones(8)), static(jnp.cumsum, jnp.ones(6)), "sizes"),
    Case(
        "attention",
        static(lambda q: jax.nn.softmax(q @ q.T / np.sqrt(q.shape[0])), jnp.ones((8, 4))),
        static(lambda q: jax.nn.softmax(q @ q.T / np.sqrt(q.shape[0])), jnp.ones((6, 4))),
        "sizes",
    ),
    Case(
        "pooled",
        static(lambda x, n: lax.reduce_window(x, 0.0, lax.add, (n,), (1,), "VALID"), jnp.ones(8), n=2),
        static(lambda x, n: lax.reduce_window(x, 0.0, lax.add, (n,), (1,), "VALID"), jnp.ones(8), n=3),
        "other",
    ),
    Case(
        "rows and axis",
        static(lambda x, axis: jnp.sum(x, axis), X, axis=0),
        static(lambda x, axis: jnp.sum(x, axis), X[:3], axis=1),
        "other",
    ),
    Case(
        "dtype",
        static(rated, X, rate=0.1),
        static(rated, X.astype("bfloat16"), rate=0.1),
        "form",
        words="an input is tensor<4x4xbf16> instead of tensor<4x4xf32>",
    ),
    Case("dtype and rate", static(rated, X, rate=0.1), static(rated, X.astype("bfloat16"), rate=0.2), "other"),
    Case("integers", static(lambda x: x * 0.5, X), static(lambda x: x * 0.5, X.astype(int)), "form"),
    Case(
        "scalar or one element", static(lambda x, s: x * s, X, 2.0), static(lambda x, s: x * s, X, jnp.ones(1)), "form"
    ),
    Case("row or matrix of one row", static(lambda x, s: x * s, X, V), static(lambda x, s: x * s, X, V[None]), "form"),
    Case(
        "row or matrix of one column",
        static(lambda x, s: x * s, X, V),
        static(lambda x, s: x * s, X, V[:, None]),
        "other",
    ),
    Case(
        "number or input",
        static(lambda x, s: x * s, X, s=2.0),
        static(lambda x, s: x * s, X, 2.0),
        "form",
        words="a constant is an input now",
    ),
    Case(
        "swapped inputs of another dtype",
        static(lambda x, y: x - y, X, X),
        static(lambda x, y: y - x, X, X.astype("bfloat16")),
        "other",
    ),
    Case(
        "static dtype",
        static(lambda x, y, d: x.astype(d) @ y.astype(d), X, X, d="bfloat16"),
        static(lambda x, y, d: x.astype(d) @ y.astype(d), X, X, d="float32"),
        "other",
    ),
    Case(
        "cut to integers",
        static(lambda x, d: x.astype(d) * 2, X, d="int32"),
        static(lambda x, d: x.astype(d) * 2, X, d="float32"),
        "other",
    ),
    Case(
        "weak scalar",
        static(lambda x, s: x * s, X.astype("bfloat16"), 2.0),
        static(lambda x, s: x * s, X.astype("bfloat16"), jnp.float32(2)),
        "form",
        words="a scalar input is promoted to another dtype",
    ),
    Case(
        "callback",
        static(lambda x, f: jax.pure_callback(f, x, x), X, f=np.sin),
        static(lambda x, f: jax.pure_callback(f, x, x), X, f=np.cos),
        "unseen",
    ),
    Case(
        "callback, and another number",
        static(lambda x, f, rate: jax.pure_callback(f, x, x) * rate, X, f=np.sin, rate=0.1),
        static(lambda x, f, rate: jax.pure_callback(f, x, x) * rate, X, f=np.sin, rate=0.2),
        "unseen",
    ),
    Case(
        "callback, and more besides it",
        static(lambda x, f: jax.pure_callback(f, x, x), X, f=np.sin),
        static(lambda x, f: jnp.sin(jax.pure_callback(f, x, x)), X, f=np.sin),
        "other",
    ),
    Case("committed", static(rated, X, rate=0.1), static(rated, COMMITTED, rate=0.1), "same"),
    Case("committed, and a rate", static(rated, X, rate=0.1), static(rated, COMMITTED, rate=0.2), "numbers", True),
]
