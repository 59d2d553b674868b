"""`compiles.lock`: equal runs, and what each kind of change says."""

import contextlib
import io
import re
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import jax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitviz
from jitviz import capture
from jitviz.__main__ import main
from jitviz.commands.lock import compare_with, locked_section, save_section
from jitviz.findings.lock_section import Entry, Section, field_text, read_section, tell_differences
from jitviz.model import Function, Leaf, Signature
from jitviz.recording import Recording, RefusedError
from jitviz.recording import events as ev
from tests.test_pytest_plugin import run as run_pytest

SCRIPT = """
import jax, jax.numpy as jnp, numpy as np

table = np.arange(300, dtype=np.float32)

@jax.jit
def step(w, x):
    for _ in range(4):
        w = w - 0.1 * x.sum()
    return w * jnp.asarray(table).sum()

w = np.ones(2, np.float32)
for n in (4, 5):
    y = step(w, np.ones(n, np.float32))
z = jnp.sin(y)
"""
STEP = "`step` at train.py:14"


def run(folder: Path, *command: str) -> tuple[int, list[str]]:
    """The exit status of jitviz, and what it says of the lock."""
    jax.clear_caches()  # as in a new process
    with contextlib.chdir(folder), contextlib.redirect_stderr(io.StringIO()) as told:
        status = main([*command])
    return status, [line for line in told.getvalue().splitlines() if "lock" in line.replace(Path(__file__).name, "")]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a script and its lock."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "train.py").write_text(SCRIPT)
    assert run(folder, "lock", "train.py") == (0, ["lock: compiles.lock"])
    capture.unwatch()
    return folder


def test_the_file_has_one_sorted_line_for_each_version_and_line(recorded: Path) -> None:
    text = (recorded / "compiles.lock").read_text(encoding="utf-8")
    head, rest = re.sub(r"[0-9a-f]{32}", "FINGERPRINT", text).split("\n\n[train.py] ")
    assert head.startswith("# ")
    software, *lines = rest.splitlines()
    assert re.fullmatch(r"jax [\d.]+, cpu", software)
    assert lines == [
        "outside any jit in train.py | z = jnp.sin(y) | 1 program | 1 jnp.sin",
        *(
            f"step | w: f32[2]; x: f32[{n}] | 14 equations | {8 + 4 * n} B in | 8 B out | "
            "1,200 B of constants: table f32[300] | FINGERPRINT"
            for n in (4, 5)
        ),
    ]


def test_a_function_and_its_gradient_of_one_name_are_each_compared_with_themselves() -> None:
    def section(*programs: str) -> Section:
        return Section("", tuple(Entry("loss", "w: f32[8]", text) for text in programs))

    locked = section("13 equations | 32 B in | 4 B out", "38 equations | 32 B in | 32 B out")
    assert tell_differences(
        locked, section("70 equations | 32 B in | 32 B out", "21 equations | 32 B in | 4 B out")
    ) == ["changed: `loss`: 38 equations → 70 equations; and 1 more version, of `loss`"]


def test_what_runs_a_function_that_changed_is_one_line_with_it() -> None:
    def section(n: int, x: str = "x: f32[8]") -> Section:
        step = Entry("train.step", "x: f32[8]", f"{n} equations | 32 B in")
        return Section("", (Entry("fit", x, f"{n + 3} equations | 32 B in", runs=frozenset({"step"})), step))

    assert tell_differences(section(4), section(8)) == [
        "changed: `train.step`: 4 equations → 8 equations; and 1 more version, of `fit`"
    ]
    assert tell_differences(section(4), section(8, "x: f32[9]")) == [
        "changed: `train.step`: 4 equations → 8 equations",
        "changed: `fit`: `x`: f32[8] → f32[9], 7 equations → 11 equations",
    ]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("import jax,", "# a comment\nimport jax,", []),
        ("range(4)", "range(8)", ["14 equations → 26 equations…; and 1 more version, of `step`"]),
        (
            "arange(300",
            "arange(400",
            ["constants: table f32[300] → 1,600 B of constants: table f32[400]…; and 1 more version"],
        ),
        (
            "(4, 5)",
            "(4, 5, 6)",
            ["new: `step` at train.py:14: w: f32[2]; x: f32[6]; `x` changed its shape from f32[5]"],
        ),
        ("(4, 5)", "(4, 7)", ["changed: `step` at train.py:14: `x`: f32[5] → f32[7], 28 B in → 36 B in"]),
        ("(4, 5)", "(4,)", ["gone: `step`: w: f32[2]; x: f32[5]"]),
        (
            "z = ",
            "v = jnp.cos(y)\nz = ",
            ["new: outside any jit at train.py:15, `v = jnp.cos(y)`: 1 program"],
        ),
        ("- 0.1", "- 0.2", [f"changed: {STEP}: another program of the same size…; and 1 more version, of `step`"]),
    ],
)
def test_a_locked_run_says_what_changed_in_one_line_each(
    recorded: Path, tmp_path: Path, before: str, after: str, told: list[str]
) -> None:
    (tmp_path / "train.py").write_text(SCRIPT.replace(before, after))
    (tmp_path / "compiles.lock").write_bytes((recorded / "compiles.lock").read_bytes())
    status, lines = run(tmp_path, "run", "--locked", "train.py")
    assert status == bool(told)
    assert len(lines) == len(told) + bool(told)  # and how to accept it
    assert all(part in line for wanted, line in zip(told, lines, strict=False) for part in wanted.split("…"))
    assert lines[len(told) :] == ["`jitviz lock train.py` writes what compiles now"] * bool(told)


def test_without_a_lock_it_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"compiles.lock is missing. Write it with `jitviz lock train.py`."):
        locked_section(tmp_path / "compiles.lock", "train.py", "jitviz lock train.py")
    save_section(tmp_path / "compiles.lock", "other.py", Section("jax 1, cpu"))
    with pytest.raises(RefusedError, match=r"compiles.lock has no section \[train.py\]. Write it with"):
        locked_section(tmp_path / "compiles.lock", "train.py", "jitviz lock train.py")
    (tmp_path / "compiles.lock").write_text("<<<<<<< HEAD\n")
    with pytest.raises(RefusedError, match=r"compiles.lock:1 is no line of a lock"):
        locked_section(tmp_path / "compiles.lock", "train.py", "jitviz lock train.py")


def test_another_version_of_jax_is_one_line(recorded: Path, tmp_path: Path) -> None:
    locked = locked_section(recorded / "compiles.lock", "train.py", "")
    with jitviz.record() as recording:
        pass
    found = read_section(recording)._replace(software="jax 99, cpu")
    assert len(compare_with(locked, found, "again")) == 2
    assert compare_with(locked, found, "again")[0].endswith("; this run has jax 99, cpu: 3 differences")


TESTS = """
import jax, pytest
import numpy as np

@pytest.fixture
def step():
    return jax.jit(lambda x: x * 2)

@pytest.mark.parametrize("n", range(4))
def test_step(step, n):
    step(np.ones(3, np.float32))
"""


@pytest.mark.skipif(not entry_points(group="pytest11", name="jitviz"), reason="jitviz was installed before its plugin")
def test_tests_are_locked_and_a_jit_in_a_fixture_is_told(tmp_path: Path) -> None:
    (tmp_path / "test_steps.py").write_text(TESTS)
    out = run_pytest(tmp_path, "--jitviz", "--jitviz-lock")
    assert re.search(
        r"<lambda> \(test_steps\), 4 compiles\n +3 compiles, [\d.]+ m?s, for shapes that an earlier test", out
    )
    lock = (tmp_path / "compiles.lock").read_text(encoding="utf-8")
    assert re.search(
        r"\ntest_steps\.step\.<locals>\.<lambda> \| x: f32\[3\] \| 1 equation \|.*\|\ [0-9a-f]{32}\n$", lock
    )
    workers = ("-n", "2") if find_spec("xdist") else ()
    assert "compiles.lock: " not in run_pytest(tmp_path, "--jitviz-locked", *workers)
    (tmp_path / "test_steps.py").write_text(TESTS.replace("ones(3", "ones(n + 3"))
    out = run_pytest(tmp_path, "--jitviz-locked")
    told = re.findall(r"^compiles.lock: new: .* at test_steps.py:11: x: (\S+);?", out, re.MULTILINE)
    assert [one.rstrip(";") for one in told] == ["f32[4]", "f32[5]", "f32[6]"]


@pytest.mark.skipif(not entry_points(group="pytest11", name="jitviz"), reason="jitviz was installed before its plugin")
def test_tests_that_fail_leave_the_lock_as_it_was_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "test_steps.py").write_text("def test_step():\n    assert False\n")
    assert f"{tmp_path}/compiles.lock is not written, since the tests did not pass\n" in run_pytest(
        tmp_path, "--jitviz-lock"
    )
    assert not (tmp_path / "compiles.lock").exists()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.text(max_size=12)] * 3), min_size=1, max_size=3), st.text(max_size=12))
def test_what_is_written_is_read_back_whatever_the_names_are(
    tmp_path_factory: pytest.TempPathFactory, names: list[tuple[str, str, str]], label: str
) -> None:
    folder = tmp_path_factory.mktemp("lock")
    events: list[ev.Event] = [ev.RecordingStarted(1.0, label, (("jax", "1"), ("backend", "cpu")))]
    for n, (function, path, value) in enumerate(names):
        info = Function(function, function, "m", "jax.jit", f"m.{n}", token=n)  # type: ignore[arg-type]
        leaf = Leaf(path, "static", "str", repr=value)
        events += [ev.FunctionSeen(1.0, n, info), ev.CompileStarted(1.0, n, None, n, Signature((leaf,)))]  # type: ignore[arg-type]
        events += [ev.PhaseFinished(2.0, n, "compile", 1.0), ev.CompileFinished(2.0, n)]  # type: ignore[arg-type]
    recording = Recording([*events, ev.RecordingFinished(3.0)])
    recording.save(folder / "run.jsonl")
    with contextlib.chdir(folder):
        for _ in range(2):
            assert main(["lock", "run.jsonl"]) == 0
        locked = locked_section(Path("compiles.lock"), field_text(label) or "run.jsonl", "")
    assert compare_with(locked, read_section(recording), "") == []
    assert len(locked.entries) == len(read_section(recording).entries)
