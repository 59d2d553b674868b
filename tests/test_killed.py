"""A process that is killed during a phase leaves a file that names the phase."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import jitviz
from jitviz.views import shape_panel
from jitviz.views.words import as_text

PROGRAM = """
import json, os, pathlib, signal, sys
import jax, jitviz, numpy as np
from jax._src import compiler
from jax._src.interpreters import mlir

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def killed_while(phase):
    with jitviz.record() as rec:
        rec.save(f"{phase}.jsonl")
        if phase == "lower":
            mlir.lower_jaxpr_to_module = die
        if phase == "compile":
            compiler.compile_or_get_cached = die

        @jax.jit
        def step(x):
            if phase == "trace":
                die()
            if phase == "run":
                jax.debug.callback(die)
            return x * 2

        step(np.ones(3)).block_until_ready()
        if phase == "save":
            pathlib.Path("before.html").write_text("before")
            pathlib.Path.replace = die  # after everything is written
            rec.to_html("before.html")

children = {}
for phase in ("trace", "lower", "compile", "run", "save"):
    children[phase] = os.fork()
    if not children[phase]:
        killed_while(phase)
        os._exit(0)
print(json.dumps({phase: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for phase, pid in children.items()}))
"""
WORDS = {"trace": "tracing", "lower": "lowering", "compile": "compiling"}
LEFT = {  # status, finished phases
    "trace": ("running", []),
    "lower": ("running", ["trace"]),
    "compile": ("running", ["trace", "lower"]),
    "run": ("done", ["trace", "lower", "compile"]),
    "save": ("done", ["trace", "lower", "compile"]),
}


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_the_file_says_which_phase_was_interrupted(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, check=False)
    assert json.loads(run.stdout) == dict.fromkeys(LEFT, -signal.SIGKILL), run.stderr
    assert (tmp_path / "before.html").read_text() == "before"
    (abandoned,) = tmp_path.glob("before.html.*.new")
    other = tmp_path / "before.html.2.new"
    other.write_text("the user's")
    jitviz.Recording().to_html(tmp_path / "before.html")
    assert abandoned.exists()  # another process may still be writing it
    for path in (abandoned, other):
        os.utime(path, (0, 0))
    jitviz.Recording().to_html(tmp_path / "before.html")
    assert list(tmp_path.glob("before.html.*")) == [other]
    for phase, left in LEFT.items():
        recording = jitviz.load(tmp_path / f"{phase}.jsonl")
        (row,) = recording.compiles
        assert recording.is_cut
        assert (row.status, [one.name for one in row.phases if one.duration_s is not None]) == left
        panel = shape_panel(recording)
        assert panel.verdict.notes[-1].startswith("The recording is incomplete: its process was killed")
        said = as_text(panel.verdict.title)
        killed, _, doing = said.partition(": ")
        assert killed.startswith("Killed after ")
        assert f"{WORDS.get(phase, '')} `step`" in doing or phase not in WORDS
        assert "step" in str(recording)
        assert recording.account.wall_s == pytest.approx(sum(part.seconds for part in recording.account.parts))
