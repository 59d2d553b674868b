"""`jitviz mcp`: a client of the official SDK lists and calls each tool."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from jitviz.__main__ import main
from jitviz.commands.mcp import MOST_BYTES, Tools

PUZZLE = Path(__file__).parents[2] / "notebooks" / "puzzles" / "before" / "03_the_learning_rate.py"
SCRIPT = """\
import jax, jax.numpy as jnp

@jax.jit
def double(x):
    return x * 2

for n in (3, 4, 5):
    double(jnp.ones(n))
print(double(jnp.ones(3)))
"""
UNROLLED = """\
import jax, jax.numpy as jnp

@jax.jit
def power(x):
    for _ in range(300):
        x = jnp.sin(x) * 2
    return x

power(jnp.ones(3))
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    for name, text in (("train", SCRIPT), ("long", UNROLLED)):
        (folder / f"{name}.py").write_text(text)
        # A process of its own: versions are counted by name and place over the life of a process.
        command = [sys.executable, "-m", "jitviz", "run", "--save", f"{name}.jsonl", f"{name}.py"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def folder(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(recorded)
    return recorded


def ask(folder: Path, talk: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    """What a client gets that started the server as assistants do."""
    pytest.importorskip("mcp.server.mcpserver")
    mcp = pytest.importorskip("mcp")
    command = ["-m", "jitviz", "mcp", "train.jsonl"]
    server = mcp.StdioServerParameters(command=sys.executable, args=command, cwd=folder, env=dict(os.environ))

    async def run() -> Any:
        async with mcp.Client(server) as client:
            return await talk(client)

    return asyncio.run(run())


def test_a_client_lists_and_calls_each_tool(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    asked: list[tuple[str, dict[str, Any], str]] = [
        ("findings", {}, "1. `x` came in 3 sizes"),
        ("findings", {"number": 1}, "code to paste:\n\nimport numpy as np\n"),
        ("account", {}, "XLA\n    "),
        ("compile", {"function": "double", "version": 2}, "shape: `x` changed its shape from f32[3] to f32[4]."),
        ("program", {"line": "train.py:5"}, "mul a 2.0:f32[]"),
        ("compare", {"before": "long.jsonl", "after": "train.jsonl"}, "`x` came in 3 sizes"),
        ("predict", {"function": "double", "types": {"x": "f32[3]"}}, "hit: version 1 runs"),
        ("predict", {"function": "double", "types": {"x": "f32[7]"}}, "`x` changed its shape from f32[5] to f32[7]."),
        ("try", {"before": str(PUZZLE), "finding": 1}, "\n+@jax.jit\n"),
    ]

    async def talk(client: Any) -> Any:
        listed = (await client.list_tools()).tools
        return listed, [await client.call_tool(name, given) for name, given, _ in asked]

    listed, answers = ask(folder, talk)
    assert [tool.name for tool in listed] == ["findings", "account", "compile", "program", "compare", "predict", "try"]
    assert [tool.name for tool in listed if not tool.annotations.read_only_hint] == ["try"]
    assert all(tool.description for tool in listed)
    for (name, given, expected), answer in zip(asked, answers, strict=True):
        text = answer.content[0].text
        assert expected in text, (name, given)
        assert len(text.encode()) <= MOST_BYTES
        assert not answer.is_error
    assert re.search(r"\nholds\n3 → 1 compiles, .* s\noutputs: equal$", answers[-1].content[0].text)
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_long_answer_is_cut_and_a_bad_question_is_refused(folder: Path) -> None:
    async def talk(client: Any) -> Any:
        return [
            await client.call_tool("program", {"line": "long.py:6", "recording": "long.jsonl"}),
            await client.call_tool("compile", {"function": "triple"}),
            await client.call_tool("findings", {"recording": "train.py"}),
        ]

    long, unknown, no_recording = ask(folder, talk)
    assert MOST_BYTES - 400 < len(long.content[0].text.encode()) <= MOST_BYTES
    assert long.content[0].text.endswith(" more lines")
    assert "there are: double, version 1; double, version 2; double, version 3" in unknown.content[0].text
    assert (unknown.is_error, no_recording.is_error) == (True, True)


def test_of_a_folder_the_newest_recording_is_read(folder: Path) -> None:
    os.utime("long.jsonl", (0, 0))
    assert "`double`" in Tools(".").findings()
    os.utime("train.jsonl", (-1, -1))
    assert "`double`" not in Tools(".").findings()


def test_without_the_extra_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert main(["mcp"]) == 2
    said = "jitviz mcp: the package mcp, 2.0 or newer, is missing: pip install 'jitviz[mcp]'\n"
    assert capsys.readouterr() == ("", said)


def test_the_running_process_is_found_by_its_number(tmp_path: Path) -> None:
    if not Path("/proc").exists():
        pytest.skip("needs /proc")
    script = tmp_path / "wait.py"
    script.write_text(SCRIPT + "print(flush=True)\ninput()\n")
    command = [sys.executable, "-m", "jitviz", "run", "--save", str(tmp_path / "run.jsonl"), str(script)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip():
            pass
        told = Tools(str(process.pid)).findings()
        process.communicate("\n")
    assert told.startswith("running for ")
    assert "`double`" in told
