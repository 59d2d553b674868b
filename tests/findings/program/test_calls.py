"""Functions that Python called many times outside loops, nested jits in loops, and two loops on one line: each is told
with its own count and the rewrite that fits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jitviz
from jitviz.model.finding import Finding

X, WS = np.ones((3, 4), np.float32), [np.eye(4, dtype=np.float32)] * 12
HERE = "tests/findings/program/test_calls.py"


def found(function: Callable[..., Any], *args: Any) -> list[Finding]:
    with jitviz.record() as rec:
        jax.jit(function)(*args)
    assert rec.facts.failures == []
    return [one for one in rec.findings if one.kind == "unrolled"]


def layer(x: Any, w: Any) -> Any:
    h = jnp.tanh(x @ w) + jnp.sin(x) * jnp.cos(x)
    h = h / (1.0 + jnp.exp(-h)) - jnp.log1p(h * h)
    return h * jax.lax.rsqrt((h * h).sum() + 1e-6)


def test_calls_that_are_written_out_are_told_like_the_turns_of_a_loop() -> None:
    def model(ws: Any, x: Any) -> Any:
        x = layer(layer(x, ws[0]), ws[1])
        x = layer(layer(x, ws[2]), ws[3])
        x = layer(layer(x, ws[4]), ws[5])
        return layer(layer(x, ws[6]), ws[7])

    (one,) = found(model, WS, X)
    first = model.__code__.co_firstlineno + 1
    assert one.source == f"{HERE}:{first}"
    assert one.summary == (
        f"`layer`, called at `{HERE}:{first}` and 3 more lines, was called 8 times with inputs of equal shapes: "
        "144 of 144 equations"
    )
    assert one.advice == (
        "Stack what the calls differ in along a new first axis and run `jax.lax.scan` over them, with what one call "
        "passes to the next as the carry, so that the body is traced once instead of 8 times. Or at least decorate "
        "`layer` with `jax.jit`: JAX then traces it once, and XLA still compiles each copy."
    )


def test_calls_that_c_makes_are_counted() -> None:
    (one,) = found(lambda ws, x: functools.reduce(layer, ws, x), WS, X)
    assert "was called 12 times with inputs of equal shapes: " in one.summary
    assert "`jax.lax.scan`" in one.advice


def test_calls_that_take_nothing_of_each_other_may_run_at_once() -> None:
    (one,) = found(lambda ws, x: [*map(functools.partial(layer, x), ws)], WS, X)
    assert "was called 12 times with inputs of equal shapes: " in one.summary
    assert "use `jax.vmap` over them" in one.advice


def test_calls_with_equal_inputs_are_told_apart_from_those_with_others() -> None:
    def losses(w: Any, x: Any) -> Any:
        return [layer(x, w).sum(), layer(x, w).max(), (layer(x, w) - x).sum(), layer(x, w + 1.0), layer(x, w) * 2.0] * 2

    (one,) = found(lambda w, x: [losses(w, x), losses(w, x * 2.0)], WS[0], X)
    assert "`layer`, called at " in one.summary
    assert "was called 10 times, 6 of them with the inputs of an earlier one: " in one.summary
    assert one.advice == (
        "Pass on what the earlier call returned, or decorate `layer` with `jax.jit`, so that the body is traced once "
        "instead of 10 times."
    )


def test_calls_that_make_other_equations_are_no_copies() -> None:
    rows = np.ones((12, 4), np.float32)
    assert found(lambda w: jax.tree.map(lambda n: layer(rows[:n], w), list(range(1, 12))), WS[0]) == []


@jax.jit
def jitted_layer(x: Any, w: Any) -> Any:
    return layer(x, w)


def test_a_nested_jit_counts_as_often_as_a_loop_calls_it() -> None:
    def model(ws: Any, x: Any) -> Any:
        for w in ws:
            x = jitted_layer(x, w)
        return x

    (one,) = found(model, WS, X)
    line = f"{HERE}:{model.__code__.co_firstlineno + 1}"
    assert one.summary == (
        f"The loop at `{line}` was unrolled into 12 iterations: 30 of 30 equations, 228 of 228 once XLA inlines nested "
        "jits"
    )
    assert one.advice.startswith("Stack `ws` along a new first axis and run `jax.lax.scan` over it")


def test_two_loops_on_one_line_are_told_apart() -> None:
    def both(xs: Any, ys: Any) -> Any:
        return [layer(x, WS[0]) for x in xs], [layer(y + 1.0, WS[0]) for y in ys]

    one, other = found(both, [X] * 12, [X] * 9)
    assert one.source == other.source == f"{HERE}:{both.__code__.co_firstlineno + 1}"
    assert "unrolled into 12 iterations: " in one.summary
    assert one.advice.startswith("Stack `xs` ")
    assert "unrolled into 9 iterations: " in other.summary
    assert other.advice.startswith("Stack `ys` ")


def test_of_nested_jits_and_calls_nothing_is_promised() -> None:
    def model(ws: Any, x: Any) -> Any:
        for w in ws:
            x = jitted_layer(x, w)
        return x

    for function in (model, lambda ws, x: functools.reduce(layer, ws, x)):
        (one,) = found(function, WS, X)
        assert one.seconds > one.saves_s == 0
