"""What a program does now, and what it did when it was killed: stalls in six places, each ended by SIGKILL."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import jitviz
from jitviz.__main__ import main

PROGRAM = """\
import json, os, threading
import jax, jitviz, numpy as np
from jax._src import compiler
from jax._src.interpreters import mlir

def stall(*_, **__):
    threading.Event().wait()  # STALL

def batches():
    yield np.ones(3)
    stall()  # BATCH

def begin(place):
    stall_at = {"lower": (mlir, "lower_jaxpr_to_module"), "xla": (compiler, "compile_or_get_cached")}.get(place)
    if stall_at:
        setattr(*stall_at, stall)

    @jax.jit
    def likelihood(x):
        if place == "trace":
            stall()  # TRACED
        if place == "run":
            jax.debug.callback(stall)
        return x * 2

    lock = threading.Lock()
    lock.acquire()
    with jitviz.record() as rec:
        rec.save(f"{place}.jsonl")
        if place == "loader":
            for batch in batches():  # LOOP
                likelihood(batch)  # EACH
        if place == "lock":
            lock.acquire()  # LOCK
        likelihood(np.ones(3)).block_until_ready()  # CALL

children = {}
for place in ("trace", "lower", "xla", "run", "loader", "lock"):
    children[place] = os.fork()
    if not children[place]:
        begin(place)
print(json.dumps(children), flush=True)
for pid in children.values():
    os.waitpid(pid, 0)
"""
LINES = {
    mark: f"stalls.py:{number}"
    for number, line in enumerate(PROGRAM.splitlines(), 1)
    if (mark := line.partition("# ")[2]).isupper()
}
TOLD = {
    "trace": "tracing `likelihood` at {STALL} for T",
    "lower": "lowering `likelihood`, called at {CALL}, for T, now at {STALL}",
    "xla": "compiling `likelihood`, called at {CALL}, for T, now at {STALL}",
    "run": "running a callback of `likelihood` at {STALL} for T"
    if sys.version_info >= (3, 12)
    else "running a callback at {STALL} for T, after the call of `likelihood` at {CALL}",
    "loader": "waiting for the next item of a data loader in `begin` at {LOOP} for T, now at {STALL}, "
    "after the call of `likelihood` at {EACH}",
    "lock": "waiting for a lock in `begin` at {LOCK} for T",
}


@pytest.fixture(scope="module")
def stalled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, int]]]:
    """Six processes that stall, each with its recording, once a heartbeat tells of a stall of two seconds."""
    folder = tmp_path_factory.mktemp("stalls")
    (folder / "stalls.py").write_text(PROGRAM)
    process = subprocess.Popen([sys.executable, "stalls.py"], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pids = json.loads(process.stdout.readline())
    while not all(has_stalled(folder / f"{place}.jsonl") for place in pids):
        time.sleep(0.1)
    yield folder, pids
    for pid in pids.values():
        kill(pid)
    process.communicate()


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # a test has killed it
        os.kill(pid, signal.SIGKILL)


def has_stalled(path: Path) -> bool:
    beats = jitviz.load(path).facts.beats_without_end("MainThread") if path.exists() else ()
    return bool(beats) and beats[-1].at_s - beats[-1].since_s > 2.0


def without_seconds(text: str) -> str:
    return re.sub(r"\b[\d.]+ m?s\b", "T", " ".join(text.split()))


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork")
Stalled = tuple[Path, dict[str, int]]


@pytest.mark.parametrize("place", TOLD)
def test_a_file_and_a_process_say_what_runs(stalled: Stalled, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder, pids = stalled
    for named in (str(folder / f"{place}.jsonl"), str(pids[place])):
        assert main(["now", named]) == 0
        assert without_seconds(capsys.readouterr().out) == f"running for T: {TOLD[place].format(**LINES)}"


def test_a_folder_shows_its_recordings_side_by_side(stalled: Stalled, capsys: pytest.CaptureFixture[str]) -> None:
    folder, pids = stalled
    names = [str(folder)]
    if Path("/proc/self/task").exists():
        names.append(Path(f"/proc/{pids['run']}/stat").read_text().split()[3])  # the parent, which records nothing
    for named in names:
        assert main(["now", named]) == 0
        assert_all_are_told(pids, capsys.readouterr().out)


def assert_all_are_told(pids: dict[str, int], out: str) -> None:
    assert sorted(map(without_seconds, out.splitlines())) == sorted(
        f"(pid {pids[place]}, {place}.jsonl) running for T: {told.format(**LINES)}" for place, told in TOLD.items()
    )


@pytest.mark.parametrize("place", TOLD)
def test_a_killed_run_keeps_its_stall(stalled: Stalled, place: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder, pids = stalled
    kill(pids[place])
    while jitviz.load(folder / f"{place}.jsonl").is_running:
        time.sleep(0.1)
    assert main(["show", "--width", "200", str(folder / f"{place}.jsonl")]) == 0
    title = capsys.readouterr().out.partition("\n")[0]
    assert without_seconds(title) == f"Killed after T: {TOLD[place].format(**LINES)}"
    account = jitviz.load(folder / f"{place}.jsonl").account
    kinds = {"xla": "compile", "loader": "python", "lock": "python"}
    (part,) = (part for part in account.parts if part.what == kinds.get(place, place))
    assert part.seconds > 1.0
    assert account.wall_s == pytest.approx(sum(part.seconds for part in account.parts))


def test_what_is_no_recording_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert main(["now", str(tmp_path)]) == main(["now", str(process.pid)]) == 2
        process.kill()
    assert capsys.readouterr().err.splitlines() == [
        f"jitviz now: {tmp_path}: no recordings here. Record a program with jitviz run --save P.",
        f"jitviz now: No process {process.pid} writes a recording. Start it with jitviz run --save P.",
    ]
