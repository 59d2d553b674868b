"""Two processes of `jax.distributed` on one machine, each with its own recording."""

import json
import socket
import subprocess
import sys
from pathlib import Path

from jitviz import load, merge
from jitviz.display.text import render

SCRIPT = """
import sys
import jax, jitviz
import numpy as np

index, port = map(int, sys.argv[1:])
jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=index)

@jitviz.filter_jit
def step(x):
    return x * 2

for number in range(5):
    step(np.ones(7 if (index, number) == (1, 4) else 8, np.float32))
jax.distributed.shutdown()
"""


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("localhost", 0))
        return int(held.getsockname()[1])


def test_the_only_process_that_compiled_is_named_and_each_process_has_its_tracks(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    port = str(free_port())
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "jitviz", "run", "--save", f"{index}.jsonl", "train.py", str(index), port],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        for index in (0, 1)
    ]
    assert [(process.communicate()[1][-300:], process.returncode)[1] for process in running] == [0, 0]
    recordings = [load(tmp_path / f"{index}.jsonl") for index in (0, 1)]
    assert [recording.facts.processes[""].process_index for recording in recordings] == [0, 1]
    merged = merge(*reversed(recordings))
    assert [(process.process_index, process.pid) for process in merged.facts.processes.values()] == [
        (index, process.pid) for index, process in enumerate(running)
    ]
    (found,) = [found for found in merged.findings if found.kind == "diverged"]
    assert found.summary == "process 1 compiled `step` at call 5 where the others hit: `x` f32[8] → f32[7]"
    assert "alone. Meanwhile, in other processes and threads: " in render(merged, width=200)
    events = json.loads(merged.to_perfetto(tmp_path / "trace.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert names == {1: "process 0", 2: "process 1"}
    assert {event["pid"] for event in events if event.get("cat") == "call"} == {1, 2}
