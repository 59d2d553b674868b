import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from base64 import b64decode
from pathlib import Path

import jax
import pytest

import jitviz
from jitviz.__main__ import main
from jitviz.commands import demo, parsers
from jitviz.model.quantities import seconds
from jitviz.recording import events as ev
from jitviz.views import Span, as_text

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
    # `run` tells executors that the program has ended; here, later tests go on to use them.
    monkeypatch.setattr("concurrent.futures.thread._shutdown", False)
    monkeypatch.setattr("concurrent.futures.process._global_shutdown", False)
    path = Path("train.py")
    path.write_text(SCRIPT)
    return path


def test_run_leaves_stdout_to_the_script_and_prints_the_panel_on_stderr(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    assert main(["run", "train.py", "--epochs", "3", "--h", "--", "-m"]) == 0
    out, err = capsys.readouterr()
    assert out == "arguments ['--epochs', '3', '--h', '--', '-m']\n"
    assert re.search(r"recompiles? of `double`", err)
    assert "called from train.py:9: " in err
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before


@pytest.mark.parametrize(
    ("given", "last_line"),
    [
        ([], "… and more: run with `--save run.jsonl`, then `jitviz show run.jsonl`"),
        (["--save", "a.jsonl"], "… and more: jitviz show a.jsonl"),
    ],
)
def test_run_prints_the_most_important_lines_and_where_the_rest_is(
    script: Path, capsys: pytest.CaptureFixture[str], given: list[str], last_line: str
) -> None:
    script.write_text(SCRIPT + "for size in range(4, 12):\n    double(jax.numpy.ones(size))\n")
    assert main(["run", *given, "train.py"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith("1. ") for line in lines[:15])  # the length of the sentences above depends on the times
    assert lines[59] == last_line
    assert lines[60:] == [f"recording: {path}" for path in given[1:]]


def test_run_writes_its_files_where_the_script_was_started(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(f"{SCRIPT}\nimport os\nos.chdir('/')\n")
    paths = ["--save", "run.jsonl", "--html", "run.html", "--json", "run.json"]
    folder = Path.cwd()
    assert main(["run", *paths, "train.py"]) == 0
    os.chdir(folder)
    assert capsys.readouterr().err.endswith("page: run.html\nfindings: run.json\nrecording: run.jsonl\n")
    assert [compile.function for compile in jitviz.load("run.jsonl").compiles] == ["double", "double"]
    assert Path("run.html").read_text().startswith("<!DOCTYPE html>")
    assert json.loads(Path("run.json").read_text())["compiles"][0]["function"] == "double"


@pytest.mark.parametrize(
    ("ending", "status", "message"),
    [
        ("sys.exit(3)", 3, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit('no data')", 1, "no data\n"),
        (
            "1 / 0",
            1,
            'Traceback (most recent call last):\n  File "FOLDER/train.py", line 13, in <module>\n    1 / 0\n    ~~^~~\n'
            "ZeroDivisionError: division by zero\n",
        ),
    ],
)
def test_run_ends_as_the_script_does_and_still_shows_the_panel(
    script: Path, capsys: pytest.CaptureFixture[str], ending: str, status: int, message: str
) -> None:
    script.write_text(f"{SCRIPT}\n{ending}\n")
    assert main(["run", "--max-recompiles", "0", "train.py"]) == (status or 1)
    err = capsys.readouterr().err
    assert err.startswith(message.replace("FOLDER", str(Path.cwd())))
    assert re.search(r"recompiles? of `double`", err)
    assert err.endswith(" could have been avoided, and the limit is 0\n") == (status == 0)


@pytest.mark.parametrize(("ending", "status"), [("", 2), ("sys.exit(3)", 3)])
def test_run_ends_as_the_script_does_even_if_the_script_deletes_the_folder_of_the_page(
    script: Path, capsys: pytest.CaptureFixture[str], ending: str, status: int
) -> None:
    Path("out").mkdir()
    script.write_text(f"{SCRIPT}\nimport shutil\nshutil.rmtree('out')\n{ending}\n")
    assert main(["run", "--html", "out/page.html", "--json", "found.json", "train.py"]) == status
    ended = capsys.readouterr().err.splitlines()[-2:]
    assert ended == ["jitviz run: out/page.html: No such file or directory", "findings: found.json"]


def test_a_script_has_its_own_main_module_and_run_waits_for_its_threads(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (script.parent / "helper.py").write_text("def help(): return 'helped'")
    script.write_text(
        "import sys, threading, helper\n"
        "ended = threading.Event()\n"
        "def late():\n"
        "    ended.wait()\n"
        "    print(sys.modules['__main__'].__dict__ is globals())\n"
        "if __name__ == '__main__':\n"
        "    threading.Thread(target=late).start()\n"
        "    print(__file__, helper.help())\n"
        "    ended.set()\n"
    )
    assert main(["run", "train.py"]) == 0
    assert capsys.readouterr().out == f"{Path.cwd()}/train.py helped\nTrue\n"
    del sys.modules["helper"]


EARLY = """
import os, sys
assert "jax" not in sys.modules
os.environ["JAX_PLATFORMS"] = "nonsense" if "nonsense" in sys.argv else "cpu"
import jax
from jax._src import xla_bridge
assert not xla_bridge._backends
print(__name__, __spec__.name, sys.argv[1:], input())
try:
    jax.jit(abs)(1.0)
except RuntimeError as error:
    print("refused" if "nonsense" in str(error) else error)
sys.stdout.flush()
os.kill(os.getpid(), 2)
"""


@pytest.mark.parametrize("program", [["train.py"], ["-m", "train"]])
def test_what_a_program_runs_at_exit_finds_its_own_arguments_and_main_module(script: Path, program: list[str]) -> None:
    script.write_text(
        "import atexit, pickle, sys\nclass Config: pass\nkept = Config()\n"
        "atexit.register(lambda: print(sys.argv, type(pickle.loads(pickle.dumps(kept))) is Config))\n"
    )
    for how in ([], ["-m", "jitviz", "run"]):
        command = [sys.executable, *how, *program, "--epochs", "3"]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        name = "train.py" if program == ["train.py"] else str(script.absolute())
        assert ended.stdout == f"['{name}', '--epochs', '3'] True\n"


def test_a_module_runs_with_its_own_streams_signals_and_settings_of_jax(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "early.py").write_text(EARLY)
    environment = {name: value for name, value in os.environ.items() if name != "JAX_PLATFORMS"}
    ended = subprocess.run(
        [sys.executable, "-m", "jitviz", "run", "--save", "run.jsonl", "-m", "pack.early", "--epochs", "nonsense"],
        cwd=tmp_path,
        env=environment,
        input="typed\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout == "__main__ pack.early ['--epochs', 'nonsense'] typed\nrefused\n"
    assert "KeyboardInterrupt" in ended.stderr
    assert ended.stderr.endswith("recording: run.jsonl\n")
    assert ended.returncode == -2
    assert jitviz.load(tmp_path / "run.jsonl").facts.is_finished


def test_a_script_without_jax_is_no_error(script: Path) -> None:
    script.write_text("import sys; sys.modules['jax'] = None\nprint('done')\n")
    code = "import sys; from jitviz.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "run", "--save", "run.jsonl", "--json", "run.json", "train.py"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "done\n")
    assert jitviz.load("run.jsonl").facts.is_finished
    assert json.loads(Path("run.json").read_text())["findings"] == []


def test_a_script_with_a_closed_stdout_ends_as_it_does_without_jitviz(script: Path) -> None:
    script.write_text("print('unread')\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = []
    for how in ([], ["-m", "jitviz", "run"]):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, *how, "train.py"]
        ended.append(subprocess.run(command, stdout=writing, stderr=subprocess.DEVNULL, env=environment, check=False))
        os.close(writing)
    assert [one.returncode for one in ended] == [120, 120]


@pytest.mark.parametrize(
    "ending",
    [
        "sys.stderr.close()",
        "os.close(2)",
        "reading, writing = os.pipe(); os.dup2(writing, 2); os.close(reading)",
    ],
)
def test_a_script_that_loses_its_stderr_ends_as_it_does_without_jitviz_and_the_files_are_written(
    script: Path, ending: str
) -> None:
    script.write_text(f"{SCRIPT}\nimport os\n{ending}\nsys.exit(5)\n")
    command = [sys.executable, "-m", "jitviz", "run", "--html", "page.html", "--json", "found.json", "train.py"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    assert (ended.returncode, ended.stdout) == (5, b"arguments []\n")
    assert Path("page.html").exists()
    assert Path("found.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
@pytest.mark.parametrize(("ending", "status"), [("", 2), ("sys.exit(5)", 5)])
def test_a_script_runs_to_its_end_even_if_the_disk_is_full_from_the_beginning(
    script: Path, ending: str, status: int
) -> None:
    script.write_text(f"{SCRIPT}\n{ending}\n")
    command = [sys.executable, "-m", "jitviz", "run", "--save", "/dev/full", "train.py"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (status, "arguments []\n")
    assert "1 recompile of `double`" in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("jitviz run: /dev/full: ")
    assert ended.stderr.splitlines()[-1].endswith("No space left on device")


def test_the_report_stays_out_of_stdout_if_there_is_no_stderr(script: Path) -> None:
    command = shlex.join([sys.executable, "-m", "jitviz", "run", "train.py"])
    ended = subprocess.run(["sh", "-c", f"exec {command} 2>&-"], stdout=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"arguments []\n")


def test_a_report_that_fails_costs_neither_the_status_nor_the_files(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise RuntimeError("no such view")

    monkeypatch.setattr("jitviz.display.text.render_beginning", fail)
    assert main(["run", "--save", "kept.jsonl", str(script)]) == 0
    assert "jitviz run: the report failed: RuntimeError: no such view\n" in capsys.readouterr().err
    assert len(jitviz.load("kept.jsonl").compiles) == 2


def test_a_fork_that_ends_by_itself_leaves_the_report_to_its_parent(script: Path) -> None:
    script.write_text("import os, sys\nchild = os.fork()\nif child == 0:\n    sys.exit(3)\nos.waitpid(child, 0)\n")
    command = [sys.executable, "-m", "jitviz", "run", "--html", "page.html", "train.py"]
    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True)
    assert ended.stderr.count("page: page.html") == 1


def test_a_killed_script_leaves_a_readable_recording(script: Path) -> None:
    script.write_text(f"{SCRIPT}\nprint('ready', flush=True)\nsys.stdin.read()\n")
    command = [sys.executable, "-m", "jitviz", "run", "--save", "run.jsonl", "train.py"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "ready\n":
            assert process.poll() is None
        process.kill()
    recording = jitviz.load("run.jsonl")
    assert [compile.status for compile in recording.compiles] == ["done", "done"]
    assert (recording.is_cut, recording.is_live) == (True, False)


ALONE = """
import os, sys
for name in ("jax", "jaxlib", "numpy", "graphviz", "IPython", "anywidget", "ipywidgets", "rich", "traitlets"):
    sys.modules[name] = None  # not installed by `pip install --no-deps .`
from jitviz.__main__ import main
assert main(["show", "run.jsonl", "--html", "run.html"]) == 0
assert main(["show", "run.jsonl", "run.jsonl", "--json"]) == 0
assert main(["diff", "run.jsonl", "run.jsonl"]) == 0
try:
    import jitviz
    jitviz.record
except ImportError as error:
    assert str(error) == "jitviz.record needs jax, which is not installed: pip install jax", error
sys.stdout.flush()
reading, writing = os.pipe()
os.close(reading)
os.dup2(writing, 1)  # a closed pipe
sys.exit(main(["show", "run.jsonl"]))
"""


def test_jitviz_alone_reads_recordings_and_a_closed_pipe_is_no_error(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", "--save", "run.jsonl", "train.py"])
    capsys.readouterr()
    main(["show", "run.jsonl"])
    panel = capsys.readouterr().out
    ended = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    assert ended.returncode == 0
    assert ended.stdout.startswith(f"{panel}page: run.html\n{{")
    *_, findings, difference = ended.stdout.splitlines()
    assert json.loads(findings)["compiles"][0]["compiles"] == 2
    assert difference.startswith("no difference: was 2 compiles")


def test_a_stream_that_cannot_show_a_character_gets_its_number(script: Path) -> None:
    assert main(["run", "--save", "run.jsonl", "train.py"]) == 0
    command = [sys.executable, "-m", "jitviz", "show", "run.jsonl"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    shown = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True).stdout.decode("latin-1")
    assert "\\u2192 " in shown
    assert "compiled 2 times" in shown


def test_diff_returns_1_if_more_could_be_avoided(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "train.py"])  # each later run in this process defines `double` anew, in both recordings
    main(["run", "--save", "after.jsonl", "train.py"])
    jax.clear_caches()
    script.write_text(SCRIPT.replace("double(jnp.ones(4))", ""))
    main(["run", "--save", "before.jsonl", "train.py"])
    capsys.readouterr()
    assert main(["diff", "after.jsonl", "before.jsonl"]) == 0
    title, headline, gone, *_ = capsys.readouterr().out.split("\n")
    assert title.startswith("This run compiled ")
    assert headline.startswith("was 2 compiles, ")
    assert gone.startswith("gone: `double`: `x` ")
    assert main(["diff", "before.jsonl", "after.jsonl", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["version"], found["is_worse"], len(found["new"]), found["new"][0]["path"]) == (1, True, 1, "x")
    assert main(["diff", "train.py", "after.jsonl"]) == 2


def test_a_recording_given_as_a_script_is_refused(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jitviz.Recording([]).save("run.jsonl")
    assert main(["run", "run.jsonl"]) == 2
    assert capsys.readouterr().err == "jitviz run: run.jsonl is a recording. Write: jitviz show run.jsonl\n"


def test_show_fits_the_panel_to_a_width(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--save", "run.jsonl", "train.py"])
    capsys.readouterr()
    assert main(["show", "run.jsonl", "--width", "60"]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 60


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "none.py"], "jitviz run: none.py: No such file or directory\n"),
        (
            ["run", "--save", "none/run.jsonl", "train.py"],
            "jitviz run: none/run.jsonl: there is no folder none. Make it first.\n",
        ),
        (["show", "none.jsonl"], "jitviz show: none.jsonl: No such file or directory\n"),
        (
            ["show", "train.py"],
            "jitviz show: train.py: line 1 is not the header of a recording. "
            "Give a file that Recording.save(), jitviz run --save or %jitviz save wrote.\n",
        ),
        (
            ["diff", "page.html", "page.html"],
            "jitviz diff: page.html: line 1 begins a page. "
            "Give a file that Recording.save(), jitviz run --save or %jitviz save wrote.\n",
        ),
        (["run", "-m", "json.none", "x"], "jitviz run: No module named json.none\n"),
        (["run", "--json", ".", "train.py"], "jitviz run: .: Is a directory\n"),
        (
            ["demo", "--html", "none/page.html"],
            "jitviz demo: none/page.html: there is no folder none. Make it first.\n",
        ),
        (
            ["run", "--save", "x", "--html", "./x", "train.py"],
            "jitviz run: x is given twice. Write each output to a file of its own.\n",
        ),
        (
            ["show", "page.html", "--html", "page.html"],
            "jitviz show: page.html is given twice. Write each output to a file of its own.\n",
        ),
    ],
)
def test_errors_are_one_line(
    script: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    Path("page.html").write_text("<!DOCTYPE html>\n<html></html>\n")
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", expected)
    assert sorted(path.name for path in Path().iterdir()) == ["page.html", "train.py"]


WIDTH = "argument --width: give a whole number, at least 40"
LIMIT = "argument --max-recompiles: give a whole number, at least 0"
NO_COMMAND = "(choose from 'run', 'show', 'now', 'diff', 'lock', 'try', 'mcp', 'demo')"


@pytest.mark.parametrize(
    ("arguments", "of", "said"),
    [
        ([], "", "name a command: run, show, now, diff, lock, try, mcp, demo"),
        (["run"], " run", "give a script, or -m and a module"),
        (
            ["run", "--html", "train.py"],
            " run",
            "give a script, or -m and a module. --html took train.py as its output",
        ),
        (["show"], " show", "the following arguments are required: FILE"),
        (["shwo", "x"], "", f"argument COMMAND: invalid choice: 'shwo' {NO_COMMAND}. Did you mean show?"),
        (
            ["train.py"],
            "",
            f"argument COMMAND: invalid choice: 'train.py' {NO_COMMAND}. Did you mean jitviz run train.py?",
        ),
        (["--versoin"], "", "unrecognized arguments: --versoin. Did you mean --version?"),
        *((["show", "run.jsonl", "--width", n], " show", WIDTH) for n in ("10", "ten")),
        *((["run", "--max-recompiles", n, "train.py"], " run", LIMIT) for n in ("-1", "many", "1.5", "")),
        # an abbreviation of today may be ambiguous tomorrow
        (["run", "--sav", "r", "train.py"], " run", "unrecognized arguments: --sav. Did you mean --save?"),
        (["show", "--zzz", "x"], " show", "unrecognized arguments: --zzz"),
        (["diff", "--js", "a", "b"], " diff", "unrecognized arguments: --js. Did you mean --json?"),
        (["try", "--none", "a"], " try", "unrecognized arguments: --none"),
        (["demo", "--hel"], " demo", "unrecognized arguments: --hel. Did you mean --help?"),
    ],
)
def test_a_wrong_command_line_is_met_with_the_usage_of_its_command_and_what_was_meant(
    arguments: list[str], of: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    err = capsys.readouterr().err
    assert end.value.code == 2
    assert err.startswith(f"usage: jitviz{of} ")
    assert err.splitlines()[-1] == f"jitviz{of}: error: {said}"


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"jitviz {jitviz.__version__}\n"


def test_demo_names_missing_packages_and_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "_NEEDED", ("equinox", "no_such_package"))
    assert main(["demo"]) == 2
    monkeypatch.setattr(demo, "_NEEDED", ("one_of_two", "no_such_package"))
    assert main(["demo"]) == 2
    monkeypatch.setitem(sys.modules, "jupyterlab", None)
    assert main(["demo", "--lab"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "jitviz demo: no_such_package is missing: pip install no_such_package",
        "jitviz demo: one_of_two, no_such_package are missing: pip install one_of_two no_such_package",
        "jitviz demo: one_of_two, no_such_package, jupyterlab are missing: pip install one_of_two no_such_package "
        "jupyterlab",
    ]


def test_demo_prints_one_finding_in_a_few_lines_and_its_page_agrees(tmp_path: Path) -> None:
    command, environment = [sys.executable, "-m", "jitviz", "demo"], {**os.environ, "COLUMNS": "100"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    page = (tmp_path / "jitviz-demo.html").read_text()
    (view,) = re.findall(r'id="jitviz-view">(.*?)</script>', page)
    packed = json.loads(view)
    panel = json.loads(gzip.decompress(b64decode(packed["gzip"])) if "gzip" in packed else view)
    verdict, first = panel["verdict"], panel["findings"][0]
    causes = [
        "".join(f"`{one['text']}`" if one["is_code"] else one["text"] for one in found["summary"])
        for found in panel["findings"]
    ]
    assert "`x` changed its shape from f32[128,2] to f32[104,2], and `y` with it" in causes

    head, rest = ended.stdout.split("\n\n", 1)
    told, score, ways_on = rest.split("\n\n")
    assert head == "Running the start of 01_first_look.ipynb. This takes about half a minute."
    title, subline = (as_text(Span(**span) for span in verdict[line]) for line in ("title", "subline"))
    assert re.fullmatch(r"[\d.]+ m?s to save of [\d.]+ m?s", title)
    finding = f"{causes[0]}: {seconds(first['seconds'])}, {first['cost']} → {first['advice']}"
    assert " ".join(told.split()) == f"{title} {subline} {finding}"
    assert score.splitlines()[0].startswith("make_step  ")
    assert "◆ 104" in score
    assert ways_on == f"The whole panel: {tmp_path}/jitviz-demo.html\nThe notebook: jitviz demo --lab\n"
    assert ended.stderr == ""
    assert re.findall(r"(?:src|href)=\"(?!data:)[^\"]*", page) == []


def test_demo_opens_jupyterlab_on_a_copy_of_the_course_that_keeps_what_was_edited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    opened: list[list[str]] = []

    def run(command: list[str], *, check: bool) -> subprocess.CompletedProcess[bytes]:
        opened.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert main(["demo", "--lab"]) == 0
    edited = tmp_path / "jitviz-course" / "00_what_is_a_trace.ipynb"
    edited.write_text("mine")
    assert main(["demo", "--lab", "--allow-root", "--port", "1", "--html"]) == 0
    (*command, copy), (*other, _) = opened
    assert command == [sys.executable, "-m", "jupyterlab"]
    assert other == [*command, "--allow-root", "--port", "1", "--html"]
    assert capsys.readouterr().out == f"notebooks: {tmp_path / 'jitviz-course'}\n" * 2
    cells, kept = (json.loads(path.read_text(encoding="utf-8"))["cells"] for path in (Path(copy), demo.find_notebook()))
    assert [cell["source"] for cell in cells] == [cell["source"] for cell in kept]
    assert [cell for cell in cells if cell.get("outputs")] == []
    assert edited.read_text() == "mine"
    found = {path.name for path in (tmp_path / "jitviz-course").iterdir()}
    course = {path.name for path in demo.find_notebook().parent.glob("*.ipynb")}
    assert found == course | {"README.md", "gallery.py", "puzzles", "rerun.py"}


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _AtOnce(threading.Timer):
    def start(self) -> None:
        self.function(*self.args)

    def join(self, timeout: float | None = None) -> None:
        """It never was another thread."""


class _Never(_AtOnce):
    def start(self) -> None:
        """The step is over first."""


def test_what_takes_long_is_told_on_a_terminal_and_erased_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, dumb, short, file = _Terminal(), _Terminal(), _Terminal(), io.StringIO()
    monkeypatch.setattr(parsers, "Timer", _AtOnce)
    monkeypatch.setenv("TERM", "dumb")
    with parsers.progress("reading", dumb):
        pass
    monkeypatch.setenv("TERM", "xterm")
    with parsers.progress("reading", file), parsers.progress("reading run[1].jsonl", terminal):
        pass
    monkeypatch.setattr(parsers, "Timer", _Never)
    with parsers.progress("reading", short):
        pass
    told = re.sub(r"\x1b\[[\d;]+m", "", terminal.getvalue())  # without colours
    frame, erased = r"\S reading run\[1\].jsonl \d:\d\d:\d\d", r"\x1b\[2K"
    assert re.fullmatch(rf"\x1b\[\?25l({frame}(\r{erased})?)+\n\x1b\[\?25h\r\x1b\[1A{erased}", told)
    assert dumb.getvalue() == short.getvalue() == file.getvalue() == ""


def test_show_prints_what_a_finding_gives_to_paste(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--save", "run.jsonl", "train.py"])
    capsys.readouterr()
    found = jitviz.load("run.jsonl").findings
    n, code = next((n, one.code) for n, one in enumerate(found, 1) if one.code)
    assert main(["show", "run.jsonl", "--code", str(n)]) == 0
    assert capsys.readouterr().out == code
    assert main(["show", "run.jsonl", "--code", "99"]) == 2
    assert capsys.readouterr().err == f"jitviz show: there is no finding 99; the recording has {len(found)}\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are Unix's")
def test_a_pipe_in_a_folder_of_recordings_is_passed_over(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--save", "runs.jsonl", "train.py"])
    Path("runs").mkdir()
    Path("runs.jsonl").rename("runs/a.jsonl")
    os.mkfifo("runs/b.jsonl")
    for command in ("show", "now"):
        assert main([command, "runs"]) == 0


def test_separate_runs_in_a_folder_are_shown_one_by_one_and_a_process_with_its_children_together(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ran(name: str, pid: int, parent: int, at_s: float) -> None:
        start = ev.RecordingStarted(at_s, name, process=name, host="here", pid=pid, parent=parent)
        jitviz.Recording([start, ev.RecordingFinished(at_s + 10.0)]).save(Path("runs", f"{name}.jsonl"))

    Path("runs").mkdir()
    ran("a", 10, 1, 100.0)
    ran("a child", 11, 10, 101.0)
    ran("b", 12, 1, 200.0)  # from the same shell, later
    assert main(["show", "runs"]) == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("==")]
    assert heads == ["== a child.jsonl a.jsonl", "== b.jsonl"]
    assert main(["show", "runs", "--json"]) == 2
    told = "jitviz show: runs holds 2 separate runs. Name the files of one: runs/a child.jsonl runs/a.jsonl\n"
    assert capsys.readouterr().err == told
    Path("runs/b.jsonl").unlink()
    ran("c", 13, 1, 105.0)  # side by side
    assert main(["show", "runs", "--json"]) == 0


def test_an_option_after_the_script_is_the_scripts_and_is_named(
    script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "train.py", "--html", "page.html"]) == 0
    said = "jitviz run: --html went to train.py. Options of jitviz come before the script."
    assert capsys.readouterr().err.splitlines()[-1] == said
