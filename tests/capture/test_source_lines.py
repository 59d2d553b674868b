"""Sources are read in their own time: none waits, raises, or is noted as a failure."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.capture import source_lines

X = jnp.ones(3)
PROGRAM = """
def f(x):
    return jnp.sin(x) * 2

jax.jit(f)(X)
jnp.median(X[:2])
"""


def pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.py")
    return str(folder / "pipe.py")


def too_large(folder: Path) -> str:
    with (folder / "large.py").open("wb") as file:
        file.truncate(source_lines.MOST_BYTES + 1)
    return str(folder / "large.py")


NAMES: dict[str, Callable[[Path], str]] = {
    "a pipe that nobody writes to": pipe,
    "a device without an end": lambda _: "/dev/zero",
    "a folder": str,
    "a file that is too large": too_large,
    "too long": lambda folder: f"{folder}/{'x' * 5_000}.py",
    "two lines": lambda folder: f"{folder}/a\nb.py",
    "nothing": lambda _: "",
}


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in the file system")
def test_a_source_that_cannot_be_read_is_no_failure(kind: str, tmp_path: Path) -> None:
    with jitviz.record() as rec:
        exec(compile(PROGRAM, NAMES[kind](tmp_path), "exec"), {"jax": jax, "jnp": jnp, "X": X})
    assert {row.function for row in rec.compiles} >= {"f"}
    assert "sin" in (rec.compiles[0].jaxpr or "")
    rec.save(tmp_path / "rec.jsonl")
    rec.to_html(tmp_path / "rec.html")
    assert "f" in str(jitviz.explain(jitviz.load(tmp_path / "rec.jsonl")))
    assert rec.facts.failures == []


def test_the_lines_of_a_loader_that_fails_are_none() -> None:
    class Loader:
        def get_source(self, name: str) -> str:
            raise RuntimeError(name)

    assert source_lines.lines_of("/no/such.py", {"__name__": "such", "__loader__": Loader()}) == []
    assert source_lines.lines_of("nul\0.py") == source_lines.lines_of("no UTF-8 \udcff\ud800.py") == []


def test_a_number_that_python_does_not_print_is_told_all_the_same(tmp_path: Path) -> None:
    @functools.partial(jax.jit, static_argnums=1)
    def step(x: Any, n: int) -> Any:
        return x * (n % 7)

    with jitviz.record() as rec:
        step(X, 10**5_000)
        step(X, -(10**5_001))
    rec.save(tmp_path / "rec.jsonl")
    for one in (rec, jitviz.load(tmp_path / "rec.jsonl")):
        assert [(row.reasons[0].kind, row.reasons[0].path) for row in one.compiles] == [
            ("first", ""),
            ("static_value", "n"),
        ]
        assert one.facts.failures == []
