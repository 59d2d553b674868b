"""Shared by the tests of capture: functions that were never called before, and short forms of recordings."""

import sys
import threading
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.model import Compile
from jitviz.recording import Recording

SEES_HITS = sys.version_info >= (3, 12)  # hits of jax.jit; hits of both filter_jit are seen on every Python
needs_hits = pytest.mark.skipif(not SEES_HITS, reason="hits of jax.jit are not seen on Python 3.11")

JITS: dict[str, Callable[..., Any]] = {
    "jax.jit": jax.jit,
    "equinox.filter_jit": eqx.filter_jit,
    "jitviz.filter_jit": jitviz.filter_jit,
}
FILTER_JITS = [api for api in JITS if api != "jax.jit"]
JITS_WITH_HITS = [api for api in JITS if SEES_HITS or api != "jax.jit"]


class Affine(eqx.Module):
    """A module that is a callable tree."""

    weight: jax.Array
    bias: jax.Array
    activation: Callable[..., Any] = jax.nn.relu
    name: str = eqx.field(static=True, default="affine")

    def __call__(self, x: Any) -> Any:
        return self.activation(self.weight * x + self.bias)


def affine() -> Affine:
    return Affine(jnp.ones(3), jnp.zeros(3))


def fresh(jit: Callable[..., Any] = jax.jit) -> Any:
    """A new jitted function called `step`."""

    def step(x: Any) -> Any:
        return x * 2.0

    return jit(step)


def outcomes(recording: Recording) -> list[tuple[str, str]]:
    """(function, outcome) of each call."""
    return [(call.function, call.outcome) for call in recording.calls]


def causes(recording: Recording) -> list[tuple[str, str]]:
    """(kind, path) of the first reason of each compile."""
    return [(row.reasons[0].kind, row.reasons[0].path) for row in recording.compiles]


def named_causes(recording: Recording) -> list[tuple[str, int, str]]:
    """(function, version, kind of the first reason) of each compile."""
    return [(row.function, row.version, row.reasons[0].kind) for row in recording.compiles]


def paths(compile_: Compile, role: str) -> list[str]:
    """Paths of the leaves of a role, without metadata."""
    return [leaf.path for leaf in compile_.signature.leaves if leaf.role == role and not leaf.is_metadata]


def on_threads(work: Callable[[int], Any], count: int) -> None:
    """Run `work(0)`, `work(1)`, ... at once, and raise the first error of any of them."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,), name=f"worker {number}") for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error
