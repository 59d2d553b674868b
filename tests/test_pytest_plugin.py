"""The plugin in a separate project: one run with all of its features, and one without any."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

PROJECT = """
import threading
import jax, pytest
import numpy as np

@jax.jit
def step(x):
    return x * 2

def grow(*sizes):
    for size in sizes:
        step(np.ones(size, np.float32))

def test_the_first():
    grow(1)

@pytest.mark.max_traces(1)
def test_is_traced_too_often():
    grow(11, 11)
    grow(2)

@pytest.mark.max_traces(2)
def test_is_traced_often_enough():
    grow(3, 13, 3)

def test_compiles_again(no_recompiles):
    grow(4, 4)
    step(np.ones(5, np.float32))

def test_compiles_once(no_recompiles):
    grow(4, 4)
    with no_recompiles():
        grow(4)

def test_compiles_again_on_a_thread_and_is_not_limited():
    thread = threading.Thread(target=grow, args=(6, 7))
    thread.start()
    thread.join()

@pytest.mark.max_traces
def test_is_marked_wrongly():
    pass
"""

WITHOUT = """
import sys

def test_nothing_of_jax_is_there():
    assert "jax" not in sys.modules
"""

ORDERED = """
import jax, numpy as np, pytest

@jax.jit
def smooth(x):
    return x.sum()

def grow():
    for size in (32, 33):
        smooth(np.ones(size, np.float32))

def test_before_them():
    grow()

@pytest.mark.max_traces(1)
def test_marker():
    grow()

@pytest.mark.max_traces(1, fresh=False)
def test_of_the_process():
    smooth(np.ones(32, np.float32))

def test_fixture(no_recompiles):
    grow()
"""

LATE = """
import os, sys
from importlib.util import find_spec

def test_looks_for_jax():
    assert find_spec("jax") is not None

def test_imports_it_with_settings_of_its_own():
    assert "jax" not in sys.modules
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"
    import jax
    jax.jit(abs)(1.0)
    assert jax.device_count() == 3
"""


OTHERS = ("benchmark", "hypothesispytest", "anyio", "jaxtyping", "platformdirs", "timeout")
WITHOUT_OTHERS = [part for name in OTHERS for part in ("-p", f"no:{name}")]  # half of the time of a small run


def run(folder: Path, *arguments: str, by: tuple[str, ...] = ()) -> str:
    command = [sys.executable, *by, "-m", "pytest", "-q", "-p", "no:cacheprovider", *WITHOUT_OTHERS, *arguments]
    return subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    ).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_steps.py").write_text(PROJECT)
    (tmp_path / "test_without.py").write_text(WITHOUT)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    return tmp_path


def test_the_entry_point_is_the_plugin() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert import_module(project["project"]["entry-points"]["pytest11"]["jitviz"]).pytest_addoption


@pytest.mark.skipif(not entry_points(group="pytest11", name="jitviz"), reason="jitviz was installed before its plugin")
def test_limits_fail_tests_at_the_line_at_fault_and_the_summary_names_causes(project: Path) -> None:
    workers = ("-n", "1") if find_spec("xdist") else ()  # results of a worker take a longer path
    out = run(project, "--jitviz", "--jitviz-html", "page.html", *workers, "test_steps.py")
    failed = re.findall(r"^FAILED test_steps.py::(\w+)", out, re.MULTILINE)
    assert failed == ["test_is_traced_too_often", "test_compiles_again", "test_is_marked_wrongly"]
    assert "test_steps.py:12: RecompileError" in out  # the end of the traceback, in `grow`
    assert "test_steps.py:28: RecompileError" in out
    assert "jitviz/" not in out
    assert "`step` is traced for the 2nd time; the limit is 1." in out
    assert "`step` compiles again inside no_recompiles()." in out
    assert "max_traces takes one number, as in @pytest.mark.max_traces(1)" in out
    summary = re.sub(r"[\d.]+ m?s  ", "TIME  ", out[out.index("slowest functions") :])
    assert [line.strip() for line in summary.splitlines()[:3]] == [
        "slowest functions",
        "TIME  step (test_steps), 8 compiles",
        "recompiles that could be avoided, by test",
    ]
    assert (
        "test_steps.py::test_compiles_again_on_a_thread_and_is_not_limited\n          `step`: `x` changed its " in out
    )
    assert (
        "test_steps.py::test_is_traced_often_enough\n          `step`: `x` changed its shape from f32[3] to f32[13]\n"
        "          → Pad it to one size with `np.pad`, which compiles nothing, and mask out the padding.\n" in out
    )
    assert "page: page.html\n" in out
    assert (project / "page.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.skipif(not entry_points(group="pytest11", name="jitviz"), reason="jitviz was installed before its plugin")
def test_nothing_changes_for_tests_that_do_not_use_it(project: Path) -> None:
    assert run(project, "test_without.py").startswith(".  ")
    refused = run(project, "test_without.py", "--jitviz-html", "none/page.html")
    assert "ERROR: --jitviz-html none/page.html: No such file or directory" in refused


@pytest.mark.skipif(not entry_points(group="pytest11", name="jitviz"), reason="jitviz was installed before its plugin")
def test_the_report_begins_when_a_test_imports_jax_and_no_earlier(project: Path) -> None:
    (project / "test_late.py").write_text(LATE)
    out = run(project, "--jitviz", "--jitviz-html", "page.html", "test_late.py")
    assert out.startswith("..")
    assert re.search(r"abs(?: \(builtins\))?, 1 compile\n", out)
    assert "no test ran with jax\npage: page.html\n" in run(
        project, "--jitviz", "--jitviz-html", "page.html", "test_without.py"
    )


@pytest.mark.skipif(not entry_points(group="pytest11", name="jitviz"), reason="jitviz was installed before its plugin")
def test_under_jitviz_run_pytest_says_what_it_says_without(project: Path) -> None:
    plain = run(project, "test_without.py")
    assert re.fullmatch(r"\. .*\n1 passed in .*\n", plain)
    under = run(project, "test_without.py", by=("-m", "jitviz", "run"))
    assert re.sub(r"in \d.*", "", under).startswith(re.sub(r"in \d.*\n", "", plain))


@pytest.mark.parametrize("chosen", [(), ("-k", "marker or fixture"), ("-n", "2")])
def test_the_verdict_of_a_test_does_not_depend_on_those_before_it(chosen: tuple[str, ...], tmp_path: Path) -> None:
    """Both passed in the suite and failed alone, or in another process."""
    if "-n" in chosen:
        pytest.importorskip("xdist")
    (tmp_path / "test_ordered.py").write_text(ORDERED)
    out = run(tmp_path, *chosen)
    assert sorted(re.findall(r"^FAILED \S+::(\w+)", out, re.MULTILINE)) == ["test_fixture", "test_marker"]
