"""Windows and macOS, as far as they can be imitated here: their paths, and what they lack."""

import json
import ntpath
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import jax
import pytest

import jitviz
from jitviz.capture import sources
from jitviz.commands import now, user_program
from jitviz.jaxcompat import jax_frames
from jitviz.recording import RefusedError, redaction
from jitviz.recording.events import ProcessJoined
from jitviz.recording.facts import is_running
from jitviz.recording.redaction import this_host

PYTHON = "C:\\Python313\\Lib"
PACKAGES = f"{PYTHON}\\site-packages"


def frame(name: str, file: str) -> Any:
    return SimpleNamespace(f_code=SimpleNamespace(co_name=name, co_qualname=name, co_filename=file))


def test_frames_of_jax_are_known_by_paths_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sep", "\\")
    monkeypatch.setattr("pathlib.Path", PureWindowsPath)
    monkeypatch.setattr(jax, "__file__", f"{PACKAGES}\\jax\\__init__.py")
    spec = spec_from_file_location(jax_frames.__name__, jax_frames.__file__)
    assert spec is not None
    assert spec.loader is not None
    there: Any = module_from_spec(spec)
    spec.loader.exec_module(there)
    assert there.is_jax_file(f"{PACKAGES}\\jax\\_src\\pjit.py")
    assert not there.is_jax_file(f"{PACKAGES}\\jaxtyping\\a.py")
    assert there.is_frame(frame("cache_miss", f"{PACKAGES}\\jax\\_src\\pjit.py"), there.CACHE_MISS)
    assert there.is_control_flow(frame("scan", f"{PACKAGES}\\jax\\_src\\lax\\control_flow\\loops.py"))
    assert there.is_wait(frame("_value", f"{PACKAGES}\\jax\\_src\\array.py"))
    assert there.is_operation(frame("sin", f"{PACKAGES}\\jax\\_src\\lax\\lax.py"))
    assert not there.is_operation(frame("map", f"{PACKAGES}\\jax\\_src\\tree.py"))


@pytest.fixture
def _on_windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`sources` in C:\\work there."""
    paths = {name: getattr(ntpath, name) for name in ("isabs", "basename", "normcase", "normpath")}
    there = SimpleNamespace(**paths, getcwd=lambda: "C:\\work")
    monkeypatch.setattr(sources, "system", there)
    monkeypatch.setattr(sources, "os", SimpleNamespace(sep="\\"))
    monkeypatch.setattr(sources, "_LIBRARIES", tuple(ntpath.normcase(f"{one}\\") for one in (PACKAGES, PYTHON)))
    monkeypatch.setattr(sources, "_PYTHON", ntpath.normcase(f"{PYTHON}\\"))
    caches = (sources._path_label, sources.is_library, sources.frame_owner)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("_on_windows")
def test_a_path_of_windows_is_shown_with_slashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", ["", "c:/python313/lib"])
    shown = {
        "C:\\work\\src\\train.py": "src/train.py:3",
        "C:\\elsewhere\\train.py": "train.py:3",
        "D:\\train.py": "train.py:3",
        "c:/WORK/src/train.py": "src/train.py:3",
        "\\\\server\\share\\train.py": "train.py:3",
        f"{PACKAGES}\\optax\\_src\\base.py": "optax/_src/base.py:3",
        f"{PACKAGES.lower()}\\optax\\_src\\base.py": "optax/_src/base.py:3",
        f"{PYTHON}\\json\\decoder.py": "json/decoder.py:3",
    }
    assert {name: sources.location(name, 3) for name in shown} == shown
    assert not sources.is_library("C:\\Users\\ada\\AppData\\Local\\Temp\\ipykernel_1234\\5678.py")


@pytest.mark.usefixtures("_on_windows")
@pytest.mark.parametrize("write", [str, str.lower, str.upper, lambda name: name.replace("\\", "/")])
def test_whichever_name_a_file_has_on_windows_its_owner_is_known(write: Callable[[str], str]) -> None:
    owners = {f"{PYTHON}\\runpy.py": "python", f"{PACKAGES}\\optax\\base.py": "library", "C:\\work\\a.py": "user"}
    assert {name: sources.frame_owner(write(name)) for name in owners} == owners


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_a_home_is_hidden_whichever_name_it_has(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(redaction, "Path", PureWindowsPath if system == "win32" else PurePosixPath)
    home = "C:\\Users\\Ada" if system == "win32" else "/Users/Ada"
    user, own = redaction._names_of_user(home)
    names = [home, home.lower(), home.replace("\\", "/"), repr(home)[1:-1], json.dumps(home.upper())[1:-1]]
    assert user == "Ada"
    assert [own.sub("~", f"in {name}/train.py") for name in names] == ["in ~/train.py"] * 5
    assert own.sub("~", "D:\\scratch\\ADA\\run, of adam") == "D:\\scratch\\~\\run, of adam"


@pytest.fixture
def _open_files_are_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: an open file can neither be replaced nor removed."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")

    def locked(change: Callable[..., None]) -> Callable[..., None]:
        def wrapped(*paths: Any, **rest: Any) -> None:
            is_open = {os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()}
            for path in paths:
                if os.path.realpath(path) in is_open:
                    raise PermissionError(13, "The process cannot access the file", str(path))
            change(*paths, **rest)

        return wrapped

    monkeypatch.setattr(os, "replace", locked(os.replace))
    monkeypatch.setattr(os, "unlink", locked(os.unlink))


@pytest.mark.usefixtures("_open_files_are_locked")
def test_a_recording_is_saved_again_over_its_own_open_file(tmp_path: Path) -> None:
    path, step = tmp_path / "run.jsonl", jax.jit(lambda x: x * 2)
    with jitviz.record() as rec:
        for given in (1.0, 2, True):
            step(given)
            rec.save(path)
        rec._is_file_too_big = True  # the log has shrunk
        rec.update_file()
        step(1j)
    assert [row.signature for row in jitviz.load(path).compiles] == [row.signature for row in rec.compiles]
    assert [one.name for one in tmp_path.iterdir()] == ["run.jsonl"]


@pytest.mark.usefixtures("_open_files_are_locked")
def test_while_another_program_reads_a_file_it_goes_on_as_it_was(tmp_path: Path) -> None:
    path, step = tmp_path / "run.jsonl", jax.jit(lambda x: x * 2)
    with jitviz.record() as rec:
        step(1.0)
        rec.save(path)
        with path.open():
            with pytest.raises(PermissionError) as refused:
                rec.save(path)
            rec.update_file()
        step(2)
    assert refused.value.filename == str(path)
    assert [row.signature for row in jitviz.load(path).compiles] == [row.signature for row in rec.compiles]
    assert [one.name for one in tmp_path.iterdir()] == ["run.jsonl"]


def test_on_windows_no_process_is_signalled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "kill", lambda pid, number: pytest.fail("that would end it"))
    monkeypatch.setattr(os, "_exit", sys.exit)
    monkeypatch.setattr(sys, "platform", "win32")
    place = ProcessJoined(0.0, host=this_host(), pid=os.getpid(), process_index=None)
    assert is_running(place, 1.0) is None
    with pytest.raises(SystemExit) as ended:
        user_program.end_by_interrupt()
    assert int(ended.value.code or 0) & 0xFFFFFFFF == 0xC000013A  # as Python itself after Ctrl-C


def test_without_proc_lsof_says_which_files_are_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = tmp_path / "run.jsonl"
    recording.write_text('{"jitviz": 1}\n')
    said = f"p123\nfcwd\nn{tmp_path}\nf3\nn{recording}\nf4\nn->0xabc\n"
    monkeypatch.setattr(Path, "exists", lambda path: path == recording)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=said))
    assert list(now.files_of("123")) == [recording]


def test_without_proc_and_lsof_a_process_number_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any, **__: Any) -> None:
        raise FileNotFoundError(2, "No such file or directory", "lsof")

    monkeypatch.setattr(Path, "exists", lambda path: False)
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(RefusedError, match=r"No process 123 writes a recording. Start it with jitviz run --save P."):
        list(now.files_of("123"))


PROGRAM = """
import os, signal, sys
del os.fork, os.register_at_fork, signal.SIGKILL
os.kill = None
from jitviz.__main__ import main
sys.exit(main(["run", "--save", "run.jsonl", "train.py"]) or main(["show", "run.jsonl"]))
"""


def test_without_forks_and_signals_a_script_is_recorded_and_shown(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import jax\nstep = jax.jit(lambda x: x * 2)\nstep(1.0), step(2)\n")
    run = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, "`x` changed its dtype" in run.stdout) == (0, True), run.stderr
