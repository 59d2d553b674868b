"""Two versions that became the same program say so, and by which input they differ."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.findings.same_program import same_as_before
from jitviz.views.program import shape_facts

X = np.ones(3, np.float32)


def unused() -> None:
    @jax.jit
    def step(x: Any, rate: Any) -> Any:
        return x * 2

    step(X, np.float32(1))
    step(np.ones(4, np.float32), np.float32(1))
    step(X, np.ones(2, np.float32))


def static_without_effect() -> None:
    @jitviz.filter_jit
    def step(x: Any, mode: str) -> Any:
        return x * 2

    step(X, "a")
    step(np.ones(4, np.float32), "a")
    step(X, "b")


@pytest.mark.parametrize(
    ("program", "why"),
    [(unused, "`rate` is not used"), (static_without_effect, "`mode` is static and changes nothing in the program")],
)
def test_versions_of_one_program_say_how_they_differ(program: Callable[[], None], why: str) -> None:
    with jitviz.record() as rec:
        program()
    told = f"versions 1 and 3 are the same program: {why}"
    assert [same_as_before(rec, row) for row in rec.compiles] == ["", "", told]
    assert f"V{told[1:]}." in shape_facts(rec, 2).warnings
    assert "are the same program" in " ".join(str(rec).split())


def test_programs_of_other_functions_and_those_that_were_cleared_say_nothing() -> None:
    def step(x: Any) -> Any:
        return x * 2

    with jitviz.record() as rec:
        jax.jit(step)(X)
        jax.jit(lambda x: x * 2)(X)
        jax.clear_caches()
        jax.jit(step)(X)
    assert [same_as_before(rec, row) for row in rec.compiles] == ["", "", ""]
