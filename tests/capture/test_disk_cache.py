"""Programs that JAX loads from its cache on disk, in another process than the one that compiled them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import jitviz
from jitviz.views import as_text, shape_panel

SCRIPT = """
import sys

import jax
import numpy as np

import jitviz

jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


@jax.jit
def kept(x):
    return x * 2


with jitviz.record() as rec:
    kept(np.ones(3))
    np.asarray(jax.numpy.cumsum(np.ones(3)))
    if len(sys.argv) > 3:
        kept(np.ones(4))
rec.save(sys.argv[2])
"""


def recorded_by_another_process(folder: Path, *options: str) -> jitviz.Recording:
    saved = folder / "recording.jsonl"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", SCRIPT, str(folder / "cache"), str(saved), *options]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return jitviz.load(saved)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[jitviz.Recording, jitviz.Recording]:
    folder = tmp_path_factory.mktemp("disk")
    return recorded_by_another_process(folder), recorded_by_another_process(folder, "and another shape")


def test_a_program_that_is_on_disk_is_loaded_and_not_compiled(
    both: tuple[jitviz.Recording, jitviz.Recording],
) -> None:
    first, second = both
    assert [row.origin for row in first.compiles] == ["compiled"]
    assert [row.origin for row in second.compiles] == ["loaded", "compiled"]
    assert "loaded from disk" not in str(first) + jitviz.explain(first)
    assert {(row.origin, row.disk_least_s) for row in first.op_by_op} == {("compiled", 0.0)}
    assert {(row.origin, row.disk_least_s) for row in second.op_by_op} == {("loaded", None)}
    assert [row.disk_least_s for row in first.compiles] == [0.0]
    assert [row.disk_least_s for row in second.compiles] == [None, 0.0]
    assert "It was not in JAX's cache on disk." in " ".join(str(first).split())
    assert first.facts.disk_key == second.facts.disk_key
    assert first.facts.disk_key.keys() == {"XLA_FLAGS", "jaxlib", "devices"}
    panel = shape_panel(second)
    assert as_text(panel.verdict.subline).startswith("`kept` compiled 2 times (1 loaded from disk)")
    assert ["loaded from disk" in version.made for version in panel.functions[0].versions] == [True, False]
    for said_of_it in (str(second), jitviz.explain(second)):
        assert re.search(r"\n  version 1, loaded from disk( by call 1)? at <string>:20\n", said_of_it)
    assert "loaded from disk" in second._repr_html_()


def test_a_backend_that_the_first_compile_started_is_shown(both: tuple[jitviz.Recording, jitviz.Recording]) -> None:
    recording = both[0]
    assert dict(recording.facts.versions)["backend"] == "cpu"
    assert "· backend cpu" in str(recording)


def test_a_program_has_the_key_of_its_file(tmp_path: Path) -> None:
    rec = recorded_by_another_process(tmp_path)
    cache = tmp_path / "cache"
    keys = [row.disk_key for row in (*rec.compiles, *rec.op_by_op)]
    assert sorted(f"{key}-cache" for key in keys) == sorted(path.name for path in cache.glob("jit_*-cache"))
    assert rec.facts.disk_states == {}
    older, gone = (next(cache.glob(f"jit_{name}-*")) for name in ("kept", "cumsum"))
    renamed = older.with_name(f"jit_kept-{'0' * 64}-cache")
    older.rename(renamed)
    os.utime(renamed, (0, 0))
    gone.unlink()
    again = recorded_by_another_process(tmp_path)
    assert again.facts.disk_states == {rec.compiles[0].disk_key: "other"}
    assert [row.disk_key for row in (*again.compiles, *again.op_by_op)] == keys
