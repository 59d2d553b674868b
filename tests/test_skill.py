"""What assistants are told is true: each command in SKILL.md runs, and each field and file that is named is there."""

import json
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import jitviz
from jitviz.model.finding import Edit

PACKAGE = Path(jitviz.__file__).parent
TEXT = (PACKAGE / "SKILL.md").read_text()


def test_each_command_runs_and_each_field_is_there(tmp_path: Path) -> None:
    script = "import jax, numpy as np\nf = jax.jit(lambda x: x * 2)\nf(np.ones(3)), f(np.ones(4))\n"
    (tmp_path / "train.py").write_text(script)
    blocks = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) == 6
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "jitviz"
        run = subprocess.run([sys.executable, "-m", "jitviz", *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, (command, run.stderr)
    finding = json.loads((tmp_path / "run.json").read_text())["findings"][0]
    of_edit = {field.name for field in fields(Edit)}
    assert set(re.findall(r"`(\w+)`", TEXT)) - {"findings"} <= set(finding) | of_edit
    assert (finding["reason"], finding["path"], finding["source"]) == ("shape", "x", "train.py:3")


def test_each_file_that_is_named_is_in_the_package() -> None:
    named = re.findall(r"`([\w/]+\.\w+)`", (PACKAGE / "llms.txt").read_text())
    assert named == ["SKILL.md", "findings/schema.json"]
    assert all((PACKAGE / name).is_file() for name in named)
