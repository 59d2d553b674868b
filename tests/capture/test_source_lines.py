"""The source of a file and the text of a call: no source waits, raises, or counts as a failure."""

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
from jitviz.capture import sources

from .samples import causes

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
        file.truncate(sources.MOST_BYTES + 1)
    return str(folder / "large.py")


NAMES: dict[str, Callable[[Path], str]] = {
    "a pipe without a writer": pipe,
    "a device without an end": lambda _: "/dev/zero",
    "a folder": str,
    "a file that is too large": too_large,
    "too long": lambda folder: f"{folder}/{'x' * 5_000}.py",
    "two lines": lambda folder: f"{folder}/a\nb.py",
    "nothing": lambda _: "",
}


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in the file system")
def test_a_source_that_cannot_be_read_is_not_a_failure(kind: str, tmp_path: Path) -> None:
    with jitviz.record() as rec:
        exec(compile(PROGRAM, NAMES[kind](tmp_path), "exec"), {"jax": jax, "jnp": jnp, "X": X})
    assert {row.function for row in rec.compiles} >= {"f"}
    assert "sin" in (rec.compiles[0].jaxpr or "")
    rec.save(tmp_path / "rec.jsonl")
    rec.to_html(tmp_path / "rec.html")
    assert "f" in str(jitviz.explain(jitviz.load(tmp_path / "rec.jsonl")))
    assert rec.facts.failures == []


def test_a_loader_that_fails_has_no_lines() -> None:
    class Loader:
        def get_source(self, name: str) -> str:
            raise RuntimeError(name)

    assert sources.lines_of("/no/such.py", {"__name__": "such", "__loader__": Loader()}) == []
    assert sources.lines_of("nul\0.py") == sources.lines_of("no UTF-8 \udcff\ud800.py") == []


def test_a_number_that_python_refuses_to_print_is_still_a_cause(tmp_path: Path) -> None:
    @functools.partial(jax.jit, static_argnums=1)
    def step(x: Any, n: int) -> Any:
        return x * (n % 7)

    with jitviz.record() as rec:
        step(X, 10**5_000)
        step(X, -(10**5_001))
    rec.save(tmp_path / "rec.jsonl")
    for one in (rec, jitviz.load(tmp_path / "rec.jsonl")):
        assert causes(one) == [("first", ""), ("static_value", "n")]
        assert one.facts.failures == []


@jax.jit
def scaled(x: Any, rate: float = 2.0) -> Any:
    return x * rate


class Holder:
    @functools.partial(jax.jit, static_argnums=0)
    def scaled(self, x: Any) -> Any:
        return x * 3.0


def test_a_call_is_quoted_as_it_is_written() -> None:
    box, é = {"x": jnp.ones(2)}, [jnp.ones(3)]
    with jitviz.record() as rec:
        print(scaled(box["x"]), scaled(*é), end="")
        Holder().scaled(
            box["x"],
        )
        jax.grad(lambda x: scaled(x, rate=3.0).sum())(1.0)
        list(map(scaled, [jnp.ones(5)]))
    assert [row.written for row in rec.compiles if row.transform == ""] == [
        'scaled(box["x"])',
        "scaled(*é)",
        'Holder().scaled(\n            box["x"],\n        )',
        "list(map(scaled, [jnp.ones(5)]))",
    ]


def test_a_call_without_a_source_is_not_quoted() -> None:
    names = {"scaled": scaled}
    with jitviz.record() as rec:
        exec(compile("import jax.numpy as jnp; scaled(jnp.ones(7))", "<nowhere>", "exec"), names)
    assert [row.written for row in rec.compiles] == [""]
