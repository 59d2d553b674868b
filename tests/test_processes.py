"""A launcher of two processes of `jax.distributed` on one machine, and `JITVIZ=DIR` in its environment."""

import json
import os
import socket
import subprocess
from pathlib import Path

from jitviz import load, merge
from jitviz.commands import children
from jitviz.display.text import render

RANK = """
import sys
import jax, jitviz
import numpy as np

index, port = map(int, sys.argv[1:])
jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=index)

@jitviz.filter_jit
def step(x):
    return x * 2

@jitviz.filter_jit
def look_up(x):
    return sum(x[start] for start in range(2 + 2 * index))

for number in range(5):
    step(np.ones(7 if (index, number) == (1, 4) else 8, np.float32))
look_up(np.ones(8, np.float32))
jax.distributed.shutdown()
"""
LAUNCHER = """
import subprocess, sys

ranks = [subprocess.Popen([sys.executable, "rank.py", index, sys.argv[1]]) for index in "01"]
print(*(rank.pid for rank in ranks))
sys.exit(max(rank.wait() for rank in ranks))
"""


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("localhost", 0))
        return int(held.getsockname()[1])


def test_the_only_process_that_compiled_is_named_and_so_is_one_that_compiled_another_program(
    python: str, tmp_path: Path
) -> None:
    (tmp_path / "rank.py").write_text(RANK)
    (tmp_path / "launch.py").write_text(LAUNCHER)
    command = [python, "launch.py", str(free_port())]
    environment = os.environ | {"JITVIZ": "ranks"}
    launched = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert launched.returncode == 0, launched.stderr[-300:]
    recordings = [load(path) for path in children.files_in(tmp_path / "ranks")]
    assert sorted(recording.facts.processes[""].process_index or 0 for recording in recordings) == [0, 1]
    merged = merge(*recordings)
    assert [(process.process_index, process.pid) for process in merged.facts.processes.values()] == [
        (index, int(pid)) for index, pid in enumerate(launched.stdout.split())
    ]
    found = {found.function: found.summary for found in merged.findings if found.kind == "diverged"}
    assert found.pop("step") == "process 1 compiled `step` at call 5 where the others hit: `x` f32[8] → f32[7]"
    (told,) = found.values()
    assert told.startswith("process 1 compiled another program for `look_up` at call 1: 4 slices at rank.py:")
    assert " where process 0 has 2; the first operation that differs is " in told
    assert "alone. Meanwhile, in other processes and threads: " in render(merged, width=200)
    events = json.loads(merged.to_perfetto(tmp_path / "trace.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert names == {1: "process 0", 2: "process 1"}
    assert {event["pid"] for event in events if event.get("cat") == "call"} == {1, 2}
