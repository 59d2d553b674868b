"""A program behaves the same with and without jitviz, each in its own process."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
GROUPS = {"jax alone": "with_jax.py", "equinox": "with_equinox.py", "flax": "with_flax.py", "mocks": "with_mocks.py"}
# It reads every name of every module, and so imports what jitviz would import later.
IMPORTS_ALL = "a_clock_of_freezegun_that_ticks_at_each_read"
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": f"{os.environ['XLA_FLAGS']} --xla_force_host_platform_device_count=2",
    "PYTHONHASHSEED": "0",
}


def rows_of(programs: Path, folder: Path) -> list[dict[str, dict[str, Any]]]:
    """The behaviour of each program without jitviz and with it."""
    files = [folder / "plain.json", folder / "recorded.json"]
    command = [sys.executable, str(HERE / "observe.py"), str(programs), *map(str, files)]
    done = subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(file.read_text()) for file in files]


def left_more(plain: dict[str, Any], recorded: dict[str, Any]) -> dict[tuple[str, str], int]:
    """The objects that a program leaves behind only with jitviz. They are removed from the rows."""
    left = {what: (plain.pop(what), recorded.pop(what)) for what in ("cycles", "kept", "alive")}
    return {
        (what, kind): n
        for what, (alone, watched) in left.items()
        for kind, n in watched.items()
        if n > alone.get(kind, 0)
    }


@pytest.mark.parametrize("group", GROUPS)
def test_a_program_behaves_the_same_with_and_without_jitviz(group: str, tmp_path: Path) -> None:
    if group == "mocks":
        pytest.importorskip("freezegun")
        pytest.importorskip("time_machine")
    for _ in range(2):  # the runtime may release callbacks late, so that one run is not enough
        plain, recorded = rows_of(HERE / GROUPS[group], tmp_path)
        assert list(recorded) == list(plain)
        more = {name: found for name, row in plain.items() if (found := left_more(row, recorded[name]))}
        more.pop(IMPORTS_ALL, None)
        for name, row in plain.items():
            assert (name, recorded[name]) == (name, row)
            assert row.get("raised", {}).get("type") not in ("ImportError", "NameError", "AttributeError"), name
        if not more:
            break
    assert more == {}
