"""Programs run by `jitviz run` and by Python alone; and what is said of those without jitted calls."""

import os
import py_compile
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROBE = """"A program that prints what it finds of itself."
import sys

for name, value in sorted(globals().items()):
    print(name, repr(value).split(" at 0x")[0])
print(sys.argv, sys.path)
print(__spec__ and [__spec__.name, __spec__.origin, __spec__.cached, __spec__.parent])
print(sys.modules["__main__"].__dict__ is globals())

class Config:
    size: int = 3

print(Config.__annotations__)
"""


def python(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run([sys.executable, *command], cwd=folder, env=path, capture_output=True, text=True, check=False)


def recorded(folder: Path, *program: str) -> subprocess.CompletedProcess[str]:
    return python(folder, "-m", "jitviz", "run", *program)


def both(folder: Path, *program: str) -> list[subprocess.CompletedProcess[str]]:
    """Run a program with Python, and with `jitviz run`."""
    return [python(folder, *program), recorded(folder, *program)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A probe as a script, a link, a compiled file, a module, a package, a folder and a zip file."""
    (tmp_path / "pack").mkdir()
    for path in (tmp_path / "probe.py", tmp_path / "pack" / "__main__.py", tmp_path / "pack" / "inner.py"):
        path.write_text(PROBE)
    (tmp_path / "pack" / "__init__.py").write_text("import sys\nprint('the package sees', sys.argv)\n")
    (tmp_path / "link.py").symlink_to(tmp_path / "pack" / "inner.py")
    py_compile.compile(str(tmp_path / "probe.py"), str(tmp_path / "probe.pyc"))
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("__main__.py", PROBE)
    return tmp_path


@pytest.mark.parametrize(
    "program",
    [
        ("probe.py", "--epochs", "3"),
        ("./pack/../probe.py",),
        ("link.py",),
        ("probe.pyc",),
        ("pack",),
        ("app.zip", "x"),
        (".",),
        ("-m", "probe", "--epochs"),
        ("-m", "pack"),
        ("-m", "pack.inner"),
    ],
)
def test_a_program_finds_of_itself_what_it_finds_without_jitviz(folder: Path, program: tuple[str, ...]) -> None:
    (folder / "__main__.py").write_text(PROBE)  # for "."
    plain, ran = both(folder, *program)
    assert plain.returncode == 0
    assert (ran.returncode, ran.stdout) == (0, plain.stdout)


@pytest.mark.parametrize(
    "line",
    [
        "del sys.modules['__main__']",
        "sys.modules['__main__'] = None",
        "del sys.argv",
        "sys.path.clear()",
        "del sys.path",
        "sys.path.insert(0, 'elsewhere')",
    ],
)
def test_a_program_may_delete_what_python_gave_it(folder: Path, line: str) -> None:
    later = "print(type(sys.modules.get('__main__')), vars(sys).get('argv'), vars(sys).get('path', [])[:1])"
    (folder / "probe.py").write_text(f"import sys, atexit\natexit.register(lambda: {later})\n{line}\n")
    plain, ran = both(folder, "probe.py")
    assert "Error" not in ran.stderr
    assert (ran.returncode, ran.stdout) == (plain.returncode, plain.stdout)


LEFT_OPEN = """\
import atexit, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

atexit.register(print, "at exit")
event = threading.Event()
threads, processes = ThreadPoolExecutor(1), ProcessPoolExecutor(1, get_context("fork"))
print(processes.submit(abs, -1).result())
threads.submit(lambda: threading.Thread(target=lambda: [event.wait(), print("last")]).start())
threads.submit(event.set)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_program_ends_though_its_executors_are_not_shut_down(folder: Path) -> None:
    (folder / "program.py").write_text(LEFT_OPEN)
    plain, ran = both(folder, "program.py")
    assert plain.stdout == "1\nlast\nat exit\n"
    assert (ran.returncode, ran.stdout) == (0, plain.stdout)


IMPORTED_ELSEWHERE = """\
import threading

def work():
    import jax
    jax.jit(abs)(1.0)

thread = threading.Thread(target=__import__, args=("jax",), name="loader")
thread.start()
thread.join()
work()
"""


def test_the_account_is_that_of_the_thread_that_runs_the_program_whichever_imports_jax(folder: Path) -> None:
    (folder / "program.py").write_text(IMPORTED_ELSEWHERE)
    ran = recorded(folder, "program.py")
    assert "Meanwhile, in other threads" not in ran.stderr
    assert " compiling, nothing to save" in ran.stderr


IN_CHILDREN = "→ Child processes are recorded too, if `jitviz.pth` is in their site-packages:"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("print()", ["The program did not import jax", IN_CHILDREN]),
        ("1 / 0", ["The program ended with ZeroDivisionError before it imported jax"]),
        ("import sys; sys.exit(3)", ["The program ended with status 3 before it imported jax"]),
        ("import jax\n1 / 0", ["The program ended with ZeroDivisionError before a jitted call was seen"]),
        ("import jax", ["jax was imported, but no jitted call was seen in this process", IN_CHILDREN]),
        (
            "import sys; sys.meta_path[:] = sys.meta_path[1:]; import jax",
            [
                "jax was imported, but no jitted call was seen in this process",
                "Capture incomplete: 1 failure inside jitviz, listed at the end.",
                "capture failed: jax: its import was not seen",
            ],
        ),
    ],
)
def test_what_is_said_of_a_program_without_jitted_calls_is_true_of_it(
    folder: Path, source: str, told: list[str]
) -> None:
    (folder / "program.py").write_text(source)
    ran = recorded(folder, "program.py")
    for line in told:
        assert line in ran.stderr
