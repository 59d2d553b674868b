"""Windows and macOS, as far as they can be imitated here: their paths, and what they lack."""

import ntpath
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import jax
import pytest

from jitviz.capture import sources
from jitviz.commands import now, user_program
from jitviz.jaxcompat import jax_frames
from jitviz.recording.events import ProcessJoined
from jitviz.recording.liveness import is_running
from jitviz.recording.redaction import this_host

PACKAGES = "C:\\Python313\\Lib\\site-packages"


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


def test_a_path_of_windows_is_shown_with_slashes(monkeypatch: pytest.MonkeyPatch) -> None:
    path = SimpleNamespace(isabs=ntpath.isabs, basename=ntpath.basename)
    path.relpath = lambda name: ntpath.relpath(name, "C:\\work")
    monkeypatch.setattr(sources, "os", SimpleNamespace(sep="\\", path=path))
    monkeypatch.setattr(sources, "_LIBRARIES", (f"{PACKAGES}\\",))
    sources.forget_labels()
    sources.is_library.cache_clear()
    shown = {
        "C:\\work\\src\\train.py": "src/train.py:3",
        "C:\\elsewhere\\train.py": "train.py:3",
        "D:\\train.py": "train.py:3",
        f"{PACKAGES}\\optax\\_src\\base.py": "optax/_src/base.py:3",
    }
    try:
        assert {name: sources.location(name, 3) for name in shown} == shown
        assert not sources.is_library("C:\\Users\\ada\\AppData\\Local\\Temp\\ipykernel_1234\\5678.py")
    finally:
        sources.forget_labels()
        sources.is_library.cache_clear()


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
