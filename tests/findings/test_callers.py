"""A helper's line calls for many: the callers above it are named, with the versions that they led to."""

from typing import Any

import jax
import jax.numpy as jnp

import jitviz
from jitviz.findings.sentences import place
from jitviz.model.finding import Caller
from jitviz.recording import Recording


def recorded(*sizes: int, through: str = "two") -> Recording:
    @jax.jit
    def step(x: Any) -> Any:
        return (x * 2).sum()

    def run_step(x: Any) -> Any:
        return step(x)

    with jitviz.record() as rec:
        for size in sizes:
            if through == "two" and size > 5:
                run_step(jnp.ones(size))
            else:
                run_step(jnp.ones(size))
    return rec


def test_the_lines_at_which_the_ways_part_are_named_with_their_versions() -> None:
    (found,) = (found for found in recorded(8, 5, 8).findings if found.reason == "shape")
    file, line = found.source.rsplit(":", 1)
    first, second = f"{file}:{int(line) + 5}", f"{file}:{int(line) + 7}"
    assert found.callers == (Caller(first, (1,)), Caller(second, (2,)))
    assert place(found).endswith(f"called at {found.source}: version 1 from {first}, version 2 from {second}")


def test_of_one_caller_nothing_is_said() -> None:
    (found,) = (found for found in recorded(8, 5, through="one").findings if found.reason == "shape")
    assert found.callers == ()
    assert place(found).endswith(f"called at {found.source}")
