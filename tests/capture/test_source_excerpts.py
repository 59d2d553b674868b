"""Excerpts of the user's source are kept with a compile, as it was then."""

import json
import linecache
import os
from pathlib import Path
from typing import Any

import jax
import numpy as np
import optax
import pytest

import jitviz
from jitviz.capture.programs import source_excerpts

from .cells import run_cell

X = np.ones(3, np.float32)
FILE = '''\
"""A module."""
import functools

import jax.numpy as jnp

SCALE = 2.0

def wrap(function):
    @functools.wraps(function)
    def call(x):
        return function(x)
    return call


@wrap
def scale(x):
    # a comment
    return x * SCALE


def unused(x):
    return jnp.tan(x)


class Model:
    """A class."""

    size = 3

    def step(self, x):
        return jnp.sin(x)

    def other(self, x):
        return jnp.cos(x)
'''


def lines_of(first: int, last: int) -> str:
    return "".join(FILE.splitlines(keepends=True)[first - 1 : last])


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the file defines, imported from the working directory."""
    (tmp_path / "model.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    jitviz.capture.sources.forget_labels()
    found: dict[str, Any] = {}
    exec(compile(FILE, str(tmp_path / "model.py"), "exec"), found)
    return found


def kept(run: Any) -> list[dict[str, Any]]:
    """The excerpts of the only compile that `run` causes, without those of this file."""
    with jitviz.record() as rec:
        run()
    assert rec.facts.failures == []
    found: list[dict[str, Any]] = json.loads(rec.located(0, "sources") or "")
    return [excerpt for excerpt in found if "test_source_excerpts" not in excerpt["file"]]


def test_the_excerpt_of_a_file_has_the_statements_and_methods_of_the_lines(names: dict[str, Any]) -> None:
    model = names["Model"]()
    assert kept(lambda: jax.jit(lambda x: model.step(names["scale"](x)))(X)) == [
        {"file": "model.py", "first": 8, "text": lines_of(8, 12)},
        {"file": "model.py", "first": 15, "text": lines_of(15, 18)},
        {"file": "model.py", "first": 30, "text": lines_of(30, 31)},
    ]


def test_the_excerpt_of_a_cell_is_the_whole_cell_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    first = "import jax.numpy as jnp\nother = 3\ndef f(x):\n    return jnp.sin(x)\n"
    cell = run_cell(first, "In [3]", monkeypatch)
    found = kept(lambda: jax.jit(cell["f"])(X))
    run_cell("def f(x):\n    return x\n", "In [3]", monkeypatch)
    assert found == [{"file": "In [3]", "first": 1, "text": first}]


def test_the_excerpt_of_a_reloaded_file_is_its_new_text(names: dict[str, Any], tmp_path: Path) -> None:
    kept(lambda: jax.jit(lambda x: names["unused"](x))(X))
    edited = FILE.replace("jnp.tan(x)", "jnp.tan(x) * 3.0")
    (tmp_path / "model.py").write_text(edited)
    exec(compile(edited, str(tmp_path / "model.py"), "exec"), names)
    assert kept(lambda: jax.jit(lambda x: names["unused"](x))(X)) == [
        {"file": "model.py", "first": 21, "text": "def unused(x):\n    return jnp.tan(x) * 3.0\n"}
    ]


def test_libraries_are_left_out() -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: optax.losses.huber_loss(x).sum())(X)
    assert {part["file"] for part in json.loads(rec.located(0, "sources") or "")} == {
        "tests/capture/test_source_excerpts.py"
    }


@pytest.mark.parametrize("text", [None, "def f(x:\n"])
def test_a_missing_or_changed_file_does_no_harm(names: dict[str, Any], tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "model.py"
    path.unlink()
    if text is not None:
        path.write_text(text)
    linecache.clearcache()
    assert kept(lambda: jax.jit(lambda x: names["Model"]().step(x))(X)) == []


def test_the_excerpt_of_a_file_that_does_not_parse_has_only_the_lines(names: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(FILE.replace("SCALE = 2.0", "SCALE = ("))
    linecache.clearcache()
    assert kept(lambda: jax.jit(lambda x: names["Model"]().step(x))(X)) == [
        {"file": "model.py", "first": 31, "text": lines_of(31, 31)}
    ]


def test_excerpts_are_bounded(names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_excerpts, "MOST", 6)
    cell = run_cell("def f(x):\n    return -x\n" + "# long\n" * 40, "In [1]", monkeypatch)
    found = kept(lambda: jax.jit(lambda x: cell["f"](names["scale"](x)))(X))
    assert sum(len(part["text"].splitlines()) for part in found) <= 6


def test_a_file_is_parsed_once_for_all_compiles(names: dict[str, Any]) -> None:
    source_excerpts._parts.cache_clear()
    model = names["Model"]()
    with jitviz.record() as rec:
        for function in (model.step, model.other, names["unused"]):
            jax.jit(lambda x, function=function: -function(x))(X)
    assert len(rec.compiles) == 3
    assert source_excerpts._parts.cache_info().misses == 2  # model.py and this one


def test_a_file_edited_before_reading_is_excerpted_as_it_was(names: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    label = jitviz.capture.sources.file_label(str(file))

    def stretches(at_s: float) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(source_excerpts.excerpts({str(file): {6}}, at_s))
        return found

    compiled_s = file.stat().st_mtime + 1.0
    assert stretches(compiled_s) == [{"file": label, "first": 6, "text": lines_of(6, 6)}]
    file.write_text("\n" * 9)
    os.utime(file, (compiled_s + 1.0, compiled_s + 1.0))
    assert stretches(compiled_s) == [{"file": label, "first": 6, "text": lines_of(6, 6)}]
    linecache.clearcache()
    assert stretches(compiled_s) == []  # what stands there now was never compiled
    assert stretches(compiled_s + 2.0) == [{"file": label, "first": 6, "text": "\n"}]
