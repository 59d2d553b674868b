"""`jitviz try` as a person uses it: the plan, the patch, the verdict, and files that stay as they are."""

import re
from pathlib import Path

import pytest

import jitviz
from jitviz.__main__ import main
from jitviz.commands.try_edit import Trial, _compare, _problem
from jitviz.recording import Recording
from tests.display import samples

WEAK = """\
import jax
import jax.numpy as jnp

@jax.jit
def step(x, rate):
    return x * rate

print(step(jnp.ones(2), jnp.float32(1)))
print(step(jnp.ones(2), 2.0))
"""
STRONG = WEAK.replace("2.0))", "jnp.float32(2)))")
# What a run leaves is what the next one starts with: nothing is compiled then.
KEPT = """\
import pathlib
import jax

kept = pathlib.Path({where!r}, "kept.txt")
if not kept.exists():
    for n in range(4):
        w = jax.jit(lambda x: x * 2 + 1)(1.0)
    kept.write_text(str(w))
print(kept.read_text())
"""
ONCE = KEPT.replace("    for n in", "    f = jax.jit(lambda x: x * 2 + 1)\n    for n in").replace(
    "jax.jit(lambda x: x * 2 + 1)(1.0)", "f(1.0)"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return re.sub(r"\d+\.\d\d → \d+\.\d\d s", "a → b s", capsys.readouterr().out).splitlines()


def files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path("..").rglob("*.*")}


def test_the_edit_of_a_finding_is_tried_in_copies_and_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("steps.py").write_text(WEAK)
    Path("train.py").write_text("import sys\nimport steps\nopen('log.txt', 'a').write('sent')\nprint(sys.argv[1:])\n")
    before = files()
    assert main(["try", "train.py", "--finding", "1", "--args", "--epochs", "3"]) == 0
    plan, outside, *rest = said(capsys)
    assert plan.startswith("python train.py --epochs 3 runs three times, as it is, changed, as it is; each time in ")
    assert outside == "What it does elsewhere, to other files or over a network, it does three times."
    assert rest == [
        "",
        "finding 1: Pass an array of dtype `jnp.float32` instead of a Python number or a result computed from one.",
        "",
        "--- a/steps.py",
        "+++ b/steps.py",
        "@@ -6,4 +6,4 @@",
        "     return x * rate",
        "",
        " print(step(jnp.ones(2), jnp.float32(1)))",
        "-print(step(jnp.ones(2), 2.0))",
        rest[10],
        "",
        "holds",
        "2 → 1 compiles, compiling a → b s, running a → b s",
        "outputs: equal",
    ]
    assert files() == before


@pytest.mark.parametrize(
    ("where", "verdict", "numbers"),
    [
        (".", "holds", "4 → 1 compiles, compiling a → b s, running a → b s"),
        (
            "{elsewhere}",
            "does not hold: as it is, it does not do the same twice: 4 compiles, then 0. A run reads what an earlier "
            "one left elsewhere.",
            "4 → 0 compiles, compiling a → b s, running a → b s",
        ),
    ],
)
def test_what_a_run_leaves_is_not_there_for_the_next_one_or_is_told(
    where: str, verdict: str, numbers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = where.format(elsewhere=tmp_path)
    Path("before.py").write_text(KEPT.format(where=where))
    Path("after.py").write_text(ONCE.format(where=where))
    assert main(["try", "before.py", "after.py"]) == (verdict != "holds")
    assert said(capsys)[-3:] == [verdict, numbers, "outputs: equal"]


def test_a_change_after_which_the_script_raises_does_not_hold(capsys: pytest.CaptureFixture[str]) -> None:
    Path("before.py").write_text(WEAK)
    Path("after.py").write_text(f"{STRONG}1 / 0\n")
    assert main(["try", "before.py", "after.py"]) == 1
    assert said(capsys)[-3] == "does not hold: it ends with status 1 (ZeroDivisionError)"


def test_a_script_that_raises_as_it_is_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("before.py").write_text(f"{WEAK}1 / 0\n")
    assert main(["try", "before.py", "before.py"]) == 2
    assert capsys.readouterr().err == "jitviz try: before.py ends with status 1 (ZeroDivisionError) as it is\n"


@pytest.mark.parametrize(
    ("text", "more", "problem"),
    [
        ("1", [], "no finding of this run has an edit. Give the changed script as AFTER."),
        ("1", ["--finding", "2"], "there is no finding 2: 0 findings in this run"),
    ],
)
def test_a_script_without_such_a_finding_is_refused(
    text: str, more: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("train.py").write_text(text)
    assert main(["try", "train.py", *more]) == 2
    assert capsys.readouterr().err == f"jitviz try: {problem}\n"


def test_a_script_that_was_changed_while_it_ran_is_not_edited(capsys: pytest.CaptureFixture[str]) -> None:
    file = Path("train.py").resolve()
    file.write_text(f"{WEAK}open({str(file)!r}, 'w').write('# all new')\n")
    assert main(["try", "train.py"]) == 2
    assert capsys.readouterr().err == "jitviz try: train.py, line 9, is not what ran\n"
    assert file.read_text() == "# all new"


def test_what_is_no_script_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    jitviz.Recording([]).save("run.jsonl")
    Path("a.py").touch()
    for given in (["run.jsonl"], ["a.py", "run.jsonl"], ["a.ipynb"]):
        assert main(["try", *given]) == 2
        assert capsys.readouterr() == ("", f"jitviz try: {given[-1]} is not a script.\n")


def test_a_script_that_is_not_there_is_named_before_anything_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", "one.py"]) == 2
    assert capsys.readouterr() == ("", "jitviz try: one.py: No such file or directory\n")


def trial(recording: Recording, output: str = "1") -> Trial:
    return Trial(recording, 0, output, "")


def test_a_change_that_makes_the_script_slower_or_saves_nothing_does_not_hold() -> None:
    recompiled, slow = samples.recompile_by_treedef(), samples.recompile_by_treedef()
    once = Recording(recompiled.events[:2])
    assert _problem(trial(recompiled), trial(once), trial(slow)) == ""
    assert _problem(trial(recompiled), trial(recompiled), trial(slow)) == "it saves no compile"
    assert _problem(trial(recompiled), trial(once, "2"), trial(slow)) == "the outputs differ: '2', and it was '1'"
    told = "as it is, its outputs differ from run to run: '2', and it was '1'"
    assert _problem(trial(recompiled), trial(once), trial(slow, "2")) == told
    last = recompiled.events[-1]
    late = Recording([*recompiled.events[:2], type(last)(last.at_s + 60.0)])
    assert _problem(trial(recompiled), trial(late), trial(slow)) == "it is slower"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("loss 0.5", "loss 0.5", "equal"),
        ("", "", "equal (nothing was printed)"),
        ("<f at 0x7f00deadbeef>", "<f at 0x7f00deadbe00>", "equal but for addresses"),
        ("10 steps in 1.25 s", "10 steps in 0.5 s", "equal but for times"),
        ("time: 1.25, loss 2", "time: 0.5, loss 2", "equal but for times"),
        ("loss 0.50000001", "loss 0.5", "equal to 5 digits"),
        ("[1.  2.]", "[1. 2.0000001]", "equal to 5 digits"),
        ("loss 0.5", "loss 0.501", "different"),
        ("3 steps", "4 steps", "different"),
        ("loss nan", "loss 0.5", "different"),
        ("a 1", "b 1", "different"),
        ("1 2", "1 2 3", "different"),
    ],
)
def test_outputs_are_equal_or_the_verdict_says_how_nearly(old: str, new: str, verdict: str) -> None:
    assert _compare(old, new) == verdict
