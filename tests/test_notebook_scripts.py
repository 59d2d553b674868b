"""Every command on the scripts of all notebooks in one process, compared with a run without jitviz."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import jitviz
from jitviz.__main__ import main
from jitviz.model.counting import has_compiled, is_ahead

from .notebook_scripts import NOTEBOOKS, TOO_SLOW, script_of

pytestmark = pytest.mark.notebooks
NAMES = ["notebook_" + path.stem for path in NOTEBOOKS]
ALL = str(Path(__file__).parent / "differential" / "notebooks.py")
# Runs each statement of a script by itself. After one that jits a function, the warm-up compiles the versions of that
# function. Asserts are left out, and statements that need a recording may fail, as nothing compiles in it.
WARMED = """
import ast, contextlib, sys, types
import warm

whole = {whole}
for name in {names}:
    module = sys.modules[name] = types.ModuleType(name)
    body = ast.parse(open(name + ".py").read()).body
    known = {{}}
    for node in body:
        if not isinstance(node, ast.Assert):
            with contextlib.suppress(Exception):
                exec(compile(ast.Module([node], []), name + ".py", "exec"), vars(module))
        held = [(key, one) for key, one in vars(module).items() if {{"lower", "__wrapped__"}} <= set(dir(one))]
        new = [one for key, one in held if one is not known.get(key) and one.__wrapped__.__qualname__ in whole]
        known.update(held)
        for one in new:
            with contextlib.suppress(Exception):
                warm.warm_up(one)
"""


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


def test_after_the_warm_up_the_scripts_compile_no_function_that_it_covers(
    folder: Path, run: Callable[..., str], read: Callable[..., tuple[str, str]], panel: str
) -> None:
    said, _ = read("warmup", "run.jsonl", "-o", "warm.py")
    assert said.startswith("warm.py compiles ")
    lines = (folder / "warm.py").read_text().splitlines()
    places = [number for number, line in enumerate(lines) if line.startswith("    # cannot be written: ")]
    partly = {lines[number - 1].split(",")[0].removeprefix("    # ") for number in places}
    assert "loss" in partly  # jitted only where it is called
    partly |= {"descend"}  # two functions of the first notebook have this name
    names = [name for name in NAMES if "limits_on_traces" not in name]  # where limits forbid so many compiles
    rows = [row for row in jitviz.load(folder / "run.jsonl").compiles if has_compiled(row)]
    whole = {row.function for row in rows if row.function_info and row.function_info.module in names} - partly
    (folder / "warmed.py").write_text(WARMED.format(names=names, whole=whole))
    run("-m", "jitviz", "run", "--save", "warmed.jsonl", "warmed.py")
    again = [row for row in jitviz.load(folder / "warmed.jsonl").compiles if has_compiled(row)]
    assert len({row.function for row in again if is_ahead(row)} & whole) > 20
    assert {row.function for row in again if not is_ahead(row)} & whole == {
        "distance",  # jitted and called in one statement
        "layer",  # jitted twice; the warm-up knows only one
        "gathering_step",  # under `no_recompiles(fresh=True)`
    }


def test_a_script_lacks_only_cells_that_are_slow_or_need_the_result_of_a_magic() -> None:
    reasons = {reason for path in NOTEBOOKS for reason in script_of(path)[1].values()}
    assert {reason for reason in reasons if not reason.startswith("it needs ")} == set(TOO_SLOW.values())
