"""A function that calls itself while it is traced is told like a loop, if its calls do the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jitviz
from jitviz.model.finding import Finding

X = np.ones(64, np.float32)


def found(function: Callable[..., Any]) -> list[Finding]:
    with jitviz.record() as rec:
        jax.jit(function)(X)
    return [one for one in rec.findings if one.kind == "unrolled"]


def relax(x: Any) -> Any:
    return x - 0.1 * jnp.tanh(x) * jnp.sin(x)


def smooth(x: Any, n: int) -> Any:
    return smooth(relax(x), n - 1) if n else x


def test_a_recursion_is_told_like_a_loop() -> None:
    (one,) = found(lambda x: smooth(x, 40))
    line = f"tests/findings/program/test_recursions.py:{smooth.__code__.co_firstlineno + 1}"
    summary = f"The recursion at `{line}` was traced 39 calls deep: 195 of 200 equations"
    assert (one.summary, one.source, one.count) == (summary, line, 39)
    assert one.advice == (
        "Write the recursion as a `jax.lax.fori_loop` with what each call passes on as the carry, so that the body is "
        "traced once instead of 39 times. If each call has its own parameters, stack them along a new first axis and "
        "use `jax.lax.scan`."
    )


def test_calls_of_a_tree_do_not_do_the_same() -> None:
    def halved(x: Any) -> Any:
        if x.size == 1:
            return x
        even, odd = halved(x[::2]), halved(x[1::2])
        return jnp.concatenate([even + odd, even - odd])

    assert found(halved) == []


def test_a_loop_around_a_recursion_is_told_alone() -> None:
    def looped(x: Any) -> Any:
        for _ in range(20):
            x = smooth(x, 9)
        return x

    (one,) = found(looped)
    assert one.summary.startswith("The loop at ")
