import gzip
import json
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest

import jitviz
from jitviz import demo
from jitviz.__main__ import main
from jitviz.views import shape_panel

SCRIPT = """
import sys
import jax, jax.numpy as jnp

@jax.jit
def double(x):
    return x * 2

double(jnp.ones(3))
double(jnp.ones(4))
print("arguments", sys.argv[1:])
"""


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script in the working directory, with two compiles."""
    monkeypatch.chdir(tmp_path)
    path = Path("train.py")
    path.write_text(SCRIPT)
    return path


def test_run_runs_a_script_with_its_arguments_and_shows_the_panel(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    assert main(["run", "train.py", "--epochs", "3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("arguments ['--epochs', '3']\n")
    assert "`double` compiled 2 times" in out
    assert "called from train.py:9: " in out
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before


def test_run_saves_the_recording_and_a_page(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--save", "run.jsonl", "--html", "run.html", "train.py"]) == 0
    assert capsys.readouterr().out.endswith("page: run.html\nrecording: run.jsonl\n")
    assert [compile.function for compile in jitviz.load("run.jsonl").compiles] == ["double", "double"]
    assert Path("run.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("ending", "status", "told"),
    [
        ("sys.exit(3)", 3, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit('no data')", 1, "no data\n"),
        ("raise KeyboardInterrupt", 130, "KeyboardInterrupt\n"),
        (
            "1 / 0",
            1,
            'Traceback (most recent call last):\n  File "train.py", line 13, in <module>\n    1 / 0\n    ~~^~~\n'
            "ZeroDivisionError: division by zero\n",
        ),
    ],
)
def test_run_ends_as_the_script_does_and_still_shows_the_panel(
    script: Path, capsys: pytest.CaptureFixture[str], ending: str, status: int, told: str
) -> None:
    script.write_text(f"{SCRIPT}\n{ending}\n")
    assert main(["run", "train.py"]) == status
    out, err = capsys.readouterr()
    assert err.endswith(told)
    assert "jitviz" not in err
    assert "`double` compiled 2 times" in out


def test_run_leaves_a_script_its_own_main_module(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script.parent / "helper.py").write_text("def help(): return 'helped'")
    script.write_text(
        "import sys, helper\n"
        "if __name__ == '__main__':\n"
        "    print(__file__, helper.help(), sys.modules['__main__'].__dict__ is globals())\n"
    )
    assert main(["run", "train.py"]) == 0
    assert capsys.readouterr().out.startswith("train.py helped True\n")
    del sys.modules["helper"]


def test_a_killed_script_leaves_a_readable_recording(script: Path) -> None:
    script.write_text(f"{SCRIPT}\nimport time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "jitviz", "run", "--save", "run.jsonl", "train.py"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "ready\n":
            assert process.poll() is None
        process.kill()
    recording = jitviz.load("run.jsonl")
    assert [compile.status for compile in recording.compiles] == ["done", "done"]
    assert recording.is_cut
    assert not recording.is_live
    assert shape_panel(recording).verdict.notes[-1:] == (
        "The recording is incomplete: its process was killed, or was still running when this was read.",
    )


def test_show_draws_a_saved_recording_where_there_is_no_jax(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--save", "run.jsonl", "train.py"])
    panel = capsys.readouterr().out.partition("\n")[2].rpartition("recording: ")[0]
    code = "import sys; sys.modules['jax'] = None; from jitviz.__main__ import main; sys.exit(main())"
    shown = subprocess.run(
        [sys.executable, "-c", code, "show", "run.jsonl", "--html", "run.html"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == f"{panel}page: run.html\n"


def test_show_fits_the_panel_into_a_width(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--save", "run.jsonl", "train.py"])
    capsys.readouterr()
    assert main(["show", "run.jsonl", "--width", "60"]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 60


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "none.py"], "jitviz run: none.py: No such file or directory\n"),
        (["run", "--save", "none/run.jsonl", "train.py"], "jitviz run: none/run.jsonl: No such file or directory\n"),
        (["show", "none.jsonl"], "jitviz show: none.jsonl: No such file or directory\n"),
        (
            ["show", "train.py"],
            "jitviz show: train.py: line 1 is not the header of a recording. "
            "Give a file that Recording.save() or %jitviz save wrote.\n",
        ),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    script: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", expected)


@pytest.mark.parametrize("arguments", [[], ["run"], ["shows"], ["show", "run.jsonl", "--width", "10"]])
def test_a_wrong_command_line_shows_the_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("usage: jitviz")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"jitviz {jitviz.__version__}\n"


def test_demo_names_what_is_missing_and_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "_NEEDED", ("equinox", "no_such_package"))
    assert main(["demo"]) == 2
    assert capsys.readouterr().err == 'jitviz demo: no_such_package is missing: pip install "jitviz[lab]"\n'


def test_demo_tells_one_story_in_a_few_lines_and_its_page_tells_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["demo"]) == 0
    out, err = capfd.readouterr()
    story = re.search(r"\n\n(.*?\.)\n→", out, re.DOTALL)
    assert story
    told = " ".join(story[1].split())
    assert told.startswith("2 functions compiled 3 times in this cell, ")
    assert told.endswith("; 1 recompile of `make_step`: `x` arrived as f32[104,2] after f32[128,2], and `y` with it.")
    assert len(out.splitlines()) <= 15
    assert f"{tmp_path}/jitviz-demo.html\n" in out
    assert err == ""
    page = (tmp_path / "jitviz-demo.html").read_text()
    (view,) = re.findall(r'id="jitviz-view">(.*?)</script>', page)
    packed = json.loads(view)
    panel = json.loads(gzip.decompress(b64decode(packed["gzip"])) if "gzip" in packed else view)
    spans = panel["verdict"]["sentence"]
    assert "".join(f"`{one['text']}`" if one["is_code"] else one["text"] for one in spans) == told
    assert re.findall(r"(?:src|href)=\"(?!data:)[^\"]*", page) == []


def test_demo_opens_jupyterlab_on_a_copy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    opened: list[list[str]] = []

    def run(command: list[str], *, check: bool) -> subprocess.CompletedProcess[bytes]:
        opened.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert main(["demo", "--lab"]) == 0
    ((*command, copy),) = opened
    assert command == [sys.executable, "-m", "jupyterlab"]
    assert capsys.readouterr().out == f"notebook: {copy}\n"
    assert Path(copy).read_bytes() == demo.find_notebook().read_bytes()
    assert Path(copy) != demo.find_notebook()
