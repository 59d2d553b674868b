"""`jitviz try` as a person uses it: the patch, the verdict, and files that stay as they are."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jitviz.__main__ import main
from jitviz.commands import try_edit
from jitviz.commands.try_edit import _outputs

WEAK = """\
import jax
import jax.numpy as jnp

@jax.jit
def step(x, rate):
    return x * rate

print(step(jnp.ones(2), jnp.float32(1)))
print(step(jnp.ones(2), 2.0))
"""
PATCH = """\
--- a/train.py
+++ b/train.py
@@ -6,4 +6,4 @@
     return x * rate

 print(step(jnp.ones(2), jnp.float32(1)))
-print(step(jnp.ones(2), 2.0))
+print(step(jnp.ones(2), jnp.asarray(2.0, dtype=jnp.float32)))
"""
_SECONDS = re.compile(r"[\d.]+ → [\d.]+ s")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return _SECONDS.sub("a → b s", capsys.readouterr().out).splitlines()


def files() -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path().rglob("*.*")}


def test_the_patch_and_the_verdict_are_printed_and_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(WEAK)
    before = files()
    assert main(["try", "train.py", "--finding", "1"]) == 0
    assert said(capsys) == [
        "finding 1: Pass an array of dtype `jnp.float32` instead of a Python number or a result computed from one.",
        "",
        *PATCH.splitlines(),
        "",
        "2 → 1 compiles, a → b s, outputs equal",
    ]
    assert files() == before


def test_an_edit_of_a_module_that_the_script_imports_is_written_to_it_with_apply_and_its_line_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps = """\
import functools
import jax

@functools.partial(jax.jit, static_argnames="rate")
def step(x, rate):
    return x * rate
"""
    train = "import sys\nimport steps\nfor rate in map(float, sys.argv[1:]):\n    print(steps.step(1.0, rate))\n"
    Path("steps.py").write_text(steps, newline="\r\n")
    Path("train.py").write_text(train)
    assert main(["try", "train.py", "--apply", "--args", "0.5", "0.25"]) == 0
    assert said(capsys)[-2:] == ["2 → 1 compiles, a → b s, outputs equal", "written: steps.py"]
    edited = steps.replace('@functools.partial(jax.jit, static_argnames="rate")', "@jax.jit")
    assert Path("steps.py").read_bytes() == edited.replace("\n", "\r\n").encode()
    assert Path("train.py").read_text() == train


def test_an_edit_that_saves_less_than_was_said_is_told_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def boast(*args: Any) -> Any:
        number, finding, edit = chosen(*args)
        return number, replace(finding, saves=5), edit

    chosen = try_edit._chosen
    monkeypatch.setattr(try_edit, "_chosen", boast)
    Path("train.py").write_text(WEAK)
    assert main(["try", "train.py", "--finding", "1"]) == 0
    assert said(capsys)[-2:] == [
        "2 → 1 compiles, a → b s, outputs equal",
        "jitviz said that it saves 5 compiles, and it saves 1",
    ]


def test_an_edit_that_changes_what_is_printed_is_withdrawn_and_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text(WEAK.replace("    return", "    print('traced')\n    return"))
    before = files()
    assert main(["try", "train.py", "--apply"]) == 1
    assert said(capsys)[-2:] == [
        "withdrawn: the outputs differ: '[2. 2.]', and it was 'traced'",
        "2 → 1 compiles, a → b s, outputs differ",
    ]
    assert files() == before


def test_an_edit_that_raises_is_withdrawn(capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.py").write_text("""\
import jax

def step(x, rate):
    twice, _ = rate * 2, 0  # which is not followed
    return x * float(twice)

step = jax.jit(step, static_argnums=1)
print([step(1.0, rate) for rate in (1, 2, 3)][0])
""")
    assert main(["try", "train.py"]) == 1
    assert said(capsys)[-2] == "withdrawn: the exit status is 1 and was 0 (ConcretizationTypeError)"


def test_a_cell_of_a_notebook_is_edited_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    head, call = WEAK.rsplit("print", 1)
    texts = ["# Steps", "%load_ext jitviz\n" + head, "", "%%filterjit\nprint" + call]
    kinds = ["markdown", "code", "code", "code"]
    cells = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        for kind, text in zip(kinds, texts, strict=True)
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("a.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
    assert main(["try", "a.ipynb", "--apply"]) == 0
    assert said(capsys)[2:] == [
        "--- a/In [2]",
        "+++ b/In [2]",
        "@@ -1,2 +1,2 @@",
        " %%filterjit",
        "-print(step(jnp.ones(2), 2.0))",
        "+print(step(jnp.ones(2), jnp.asarray(2.0, dtype=jnp.float32)))",
        "",
        "2 → 1 compiles, a → b s, outputs equal",
        "written: a.ipynb",
    ]
    cells[3]["source"][1] = "print(step(jnp.ones(2), jnp.asarray(2.0, dtype=jnp.float32)))\n"  # type: ignore[index]
    assert json.loads(Path("a.ipynb").read_text()) == notebook


@pytest.mark.parametrize(
    ("text", "more", "problem"),
    [
        ("print(1)", [], "no finding of this run has an edit: nothing is tried"),
        ("print(1)", ["--finding", "2"], "there is no finding 2: 0 findings in this run"),
    ],
)
def test_a_program_without_such_a_finding_is_refused(
    text: str, more: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(text)
    assert main(["try", "train.py", *more]) == 2
    assert capsys.readouterr().err == f"jitviz try: {problem}\n"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("loss 0.5", "loss 0.5", "outputs equal"),
        ("", "", "outputs equal (nothing was printed)"),
        ("<f at 0x7f00deadbeef>", "<f at 0x7f00deadbe00>", "outputs equal but for addresses"),
        ("10 steps in 1.25 s", "10 steps in 0.5 s", "outputs equal but for times"),
        ("time: 1.25, loss 2", "time: 0.5, loss 2", "outputs equal but for times"),
        ("loss 0.50000001", "loss 0.5", "outputs equal to 5 digits"),
        ("[1.  2.]", "[1. 2.0000001]", "outputs equal to 5 digits"),
        ("loss 0.5", "loss 0.501", "outputs differ"),
        ("3 steps", "4 steps", "outputs differ"),
        ("loss nan", "loss 0.5", "outputs differ"),
        ("a 1", "b 1", "outputs differ"),
        ("1 2", "1 2 3", "outputs differ"),
    ],
)
def test_outputs_are_equal_or_the_verdict_says_how_nearly(old: str, new: str, verdict: str) -> None:
    assert _outputs(old, new) == verdict
