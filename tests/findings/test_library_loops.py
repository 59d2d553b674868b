"""A loop that a library unrolls inside its own jit is found at the library's line, and told of by the user's call."""

from __future__ import annotations

import importlib
from pathlib import Path

import jax.numpy as jnp
import pytest

import jitviz

LIBRARY = """
from functools import partial
import jax, jax.numpy as jnp

@partial(jax.jit, static_argnames="n_steps")
def solve(x, n_steps):
    for _ in range(n_steps):
        x = jnp.sin(x) * 0.9 + x / 3 + 1.0
        x = jnp.cos(x) * 0.9 + x / 3 + 1.0
    return x

@jax.jit
def update(xs):
    return jax.tree.map(lambda x: jnp.sin(x) * 0.9 + x / 3 + 1.0, xs)
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "a_solver.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module("a_solver")


def test_a_loop_that_a_library_unrolls_is_found(library: object) -> None:
    with jitviz.record() as rec:
        library.solve(jnp.ones(3), n_steps=60)  # type: ignore[attr-defined]
    (one,) = (one for one in rec.findings if one.kind == "unrolled")
    assert (one.source, one.count) == ("a_solver.py:7", 60)
    assert one.summary == "The loop at `a_solver.py:7` was unrolled into 60 iterations: 600 of 600 equations"
    assert one.advice == (
        f"`n_steps` is 60: the library loops in Python while `solve` is traced, at {rec.compiles[0].source}. Use what "
        "it offers that loops with `jax.lax.scan`, or jit fewer iterations and call that in a loop."
    )


def test_leaves_of_a_tree_are_no_loop(library: object) -> None:
    with jitviz.record() as rec:
        library.update([jnp.ones(3)] * 60)  # type: ignore[attr-defined]
    assert [one for one in rec.findings if one.kind == "unrolled"] == []
