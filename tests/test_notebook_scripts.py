"""Every command on the scripts of all notebooks in one process, compared with a run without jitviz."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jitviz.__main__ import main

from .notebook_scripts import LEFT_OUT, NOTEBOOKS, script_of

pytestmark = pytest.mark.notebooks
NAMES = ["notebook_" + path.stem for path in NOTEBOOKS]
ALL = str(Path(__file__).parent / "differential" / "notebooks.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one script per notebook."""
    folder = tmp_path_factory.mktemp("notebooks")
    for name, path in zip(NAMES, NOTEBOOKS, strict=True):
        (folder / f"{name}.py").write_text(script_of(path)[0])
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Callable[..., str]:
    """Run Python in a process with four devices and a shared compilation cache; returns its stderr."""
    environment = {
        "XLA_FLAGS": f"{os.environ['XLA_FLAGS']} --xla_force_host_platform_device_count=4",
        "JAX_COMPILATION_CACHE_DIR": str(folder / "cache"),
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }

    def run(*arguments: str) -> str:
        ended = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env=os.environ | environment | {"PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stderr

    return run


@pytest.fixture(scope="module")
def panel(run: Callable[..., str]) -> str:
    files = ["--save", "run.jsonl", "--html", "run.html", "--json", "run.json"]
    return run("-m", "jitviz", "run", *files, ALL, ".", "recorded.json")


@pytest.fixture
def read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """Run a command that only reads files; returns its stdout and stderr."""
    monkeypatch.chdir(folder)

    def read(*arguments: str) -> tuple[str, str]:
        assert main(arguments) == 0
        return capsys.readouterr()

    return read


def test_run_show_and_diff_agree(folder: Path, read: Callable[..., tuple[str, str]], panel: str) -> None:
    assert panel.endswith("page: run.html\nfindings: run.json\nrecording: run.jsonl\n")
    exported = json.loads((folder / "run.json").read_text())
    recompiled = {(one["function"], one["path"]) for one in exported["findings"] if one["kind"] == "recompile"}
    # a notebook changes a global that a program has read, and calls it again: a hit, which Python 3.11 does not report
    stale = {one["path"] for one in exported["findings"] if one["kind"] == "stale"}
    assert stale == ({"rest"} if sys.version_info >= (3, 12) else set())
    # one for each notebook about a recompile
    assert {("make_step", "x"), ("roughness", "model.activation"), ("gradient_step", "weights")} <= recompiled
    shown, said = read("show", "run.jsonl", "--html", "again.html")
    assert exported["findings"][0]["summary"] in " ".join(shown.split())
    assert said == ""
    assert (folder / "again.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads(read("show", "--json", "run.jsonl")[0]) == exported
    assert read("diff", "run.jsonl", "run.jsonl")[0].startswith("no difference: was ")


def test_the_scripts_do_the_same_without_jitviz(folder: Path, run: Callable[..., str], panel: str) -> None:
    run(ALL, ".", "plain.json")
    plain, recorded = (json.loads((folder / f"{how}.json").read_text()) for how in ("plain", "recorded"))
    assert list(recorded) == list(plain) == NAMES
    for name, row in plain.items():
        assert (name, recorded[name]) == (name, row)
        assert len(row["events"]) > 30


def test_a_script_lacks_only_cells_that_are_slow_or_need_the_result_of_a_magic() -> None:
    reasons = {reason for path in NOTEBOOKS for reason in script_of(path)[1].values()}
    assert {reason for reason in reasons if not reason.startswith("it needs ")} == set(LEFT_OUT.values())
