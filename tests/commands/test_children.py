"""Processes below one that has `JITVIZ=DIR` in its environment, or that `jitviz run` runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import jitviz
from jitviz.commands import children

WORK = """
import multiprocessing, os, subprocess, sys

def work(size):
    import jax, jax.numpy as jnp
    return float(jax.jit(lambda x: jnp.sin(x).sum())(jnp.ones(size)))

if __name__ == "__main__":
"""


def run(python: str, folder: Path, program: str, *how: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(program)
    variables = os.environ | environment
    return subprocess.run(
        [python, *how, "train.py"], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def recorded(folder: Path) -> list[jitviz.Recording]:
    return [jitviz.load(path) for path in children.files_in(folder)]


ALL_WAYS = """
    from concurrent.futures import ProcessPoolExecutor

    for kind in ("spawn", "fork", "forkserver"):
        process = multiprocessing.get_context(kind).Process(target=work, args=(3,), name=kind)
        process.start()
        process.join()
    with ProcessPoolExecutor(2, multiprocessing.get_context("forkserver")) as pool:
        list(pool.map(work, (3, 4)))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.map(work, (3,))  # and then the pool kills its process
    os.chdir("/")
    subprocess.run([sys.executable, "-c", "import jax; jax.jit(abs)(1.0)"])
"""
JITVIZ_FIRST = {
    "a decorator": "from jitviz import filter_jit\nfilter_jit(abs)(1.0)",
    "a recording": "import jitviz\nwith jitviz.record():\n    import jax\n    jax.jit(abs)(1.0)",
    "the extension": """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "jitviz")
shell.run_cell("import jax\\njax.jit(abs)(1.0)")
""",
    "a limit in a test": """
import importlib.metadata, pathlib, pytest
test = "def test_abs(no_recompiles):\\n    import jax\\n    jax.jit(abs)(1.0)\\n"
pathlib.Path("test_abs.py").write_text(test)
is_known = importlib.metadata.entry_points(group="pytest11", name="jitviz")
pytest.main(["-q", "--jitviz", *([] if is_known else ["-p", "jitviz.pytest_plugin"]), "test_abs.py"])
""",
}
FORKS = """
    import jax
    for size in (3, 0):
        if not os.fork():
            if size:
                work(size)
            sys.exit(size)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_each_process_that_imports_jax_has_a_file(python: str, tmp_path: Path) -> None:
    ended = run(python, tmp_path, WORK + ALL_WAYS, JITVIZ="below")
    assert (ended.returncode, ended.stderr) == (0, "")
    found = recorded(tmp_path / "below")
    assert sorted([row.function for row in recording.compiles] for recording in found) == [
        *[["<lambda>"]] * 6,
        ["abs"],
    ]
    assert sum(recording.facts.is_finished for recording in found) >= 6


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_fork_after_the_import_has_a_file_once_it_calls_a_jitted_function(python: str, tmp_path: Path) -> None:
    plain = run(python, tmp_path, WORK + FORKS)
    watched = run(python, tmp_path, WORK + FORKS, JITVIZ="below")
    assert (watched.returncode, watched.stdout, watched.stderr) == (0, "3\n0\n", plain.stderr)
    assert sorted(len(recording.compiles) for recording in recorded(tmp_path / "below")) == [0, 1]


def test_a_process_that_never_imports_jax_imports_nothing_else_and_leaves_nothing(python: str, tmp_path: Path) -> None:
    program = "import sys\nprint(sorted(sys.modules))\nsys.exit(3)\n"
    plain = run(python, tmp_path, program)
    watched = run(python, tmp_path, program, JITVIZ="below")
    assert (watched.returncode, watched.stdout, watched.stderr) == (3, plain.stdout, plain.stderr)
    assert not (tmp_path / "below").exists()


def test_a_folder_that_cannot_be_made_is_told_once_and_the_program_runs(python: str, tmp_path: Path) -> None:
    (tmp_path / "below").touch()
    ended = run(python, tmp_path, "import jax\nprint(jax.jit(abs)(-1.0))\n", JITVIZ="below/here")
    assert (ended.returncode, ended.stdout) == (0, "1.0\n")
    assert ended.stderr.endswith(" is not recorded in JITVIZ: Not a directory\n")
    assert ended.stderr.count("\n") == 1


def test_run_reports_what_the_children_compiled_and_keeps_their_files(python: str, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl.children").mkdir()
    (tmp_path / "run.jsonl.children" / "1-of_the_last_run.jsonl").touch()
    ended = run(
        python,
        tmp_path,
        f"{WORK}    multiprocessing.get_context('spawn').Pool(1).map(work, (3,))\n",
        *("-m", "jitviz", "run", "--save", "run.jsonl"),
    )
    assert ended.returncode == 0, ended.stderr
    assert " compiling in 2 processes in " in ended.stderr
    assert ended.stderr.endswith("recordings of 1 child process: run.jsonl.children\n")
    main, (child,) = jitviz.load(tmp_path / "run.jsonl"), recorded(tmp_path / "run.jsonl.children")
    assert ([row.function for row in main.compiles], [row.function for row in child.compiles]) == ([], ["<lambda>"])


def test_a_run_is_recorded_once_if_its_environment_asks_for_that_too(python: str, tmp_path: Path) -> None:
    program, how = "import jax\njax.jit(abs)(1.0)\n", ("-m", "jitviz", "run", "--save", "run.jsonl")
    ended = run(python, tmp_path, program, *how, JITVIZ=str(tmp_path / "runs"))
    assert "\n`abs` compiled once" in ended.stderr
    assert recorded(tmp_path / "runs") == []


def test_a_run_is_read_with_its_children_and_one_that_has_no_file_yet_by_them_alone(tmp_path: Path) -> None:
    own, child = tmp_path / "run.jsonl", tmp_path / "run.jsonl.children" / "1.jsonl"
    assert children.files_at(own) == [own]
    child.parent.mkdir()
    child.touch()
    assert children.files_at(own) == children.files_at(child.parent) == [child]
    own.touch()
    assert children.files_at(own) == [own, child]


@pytest.mark.parametrize("what", JITVIZ_FIRST)
def test_a_program_that_imports_jitviz_before_jax_is_recorded(python: str, tmp_path: Path, what: str) -> None:
    ended = run(python, tmp_path, JITVIZ_FIRST[what], JITVIZ=str(tmp_path / "runs"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [[row.function for row in one.compiles] for one in recorded(tmp_path / "runs")] == [["abs"]]
