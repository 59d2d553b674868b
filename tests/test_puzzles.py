"""The ten puzzles: their causes, and what solves them, read from nothing but the JSON of a recording."""

import ast
import json
import runpy
from pathlib import Path

import pytest

import jitviz
from jitviz.model.counting import has_compiled
from jitviz.model.finding import Edit
from jitviz.recording import Recording
from tests.findings.advice.apply import edited, pasted

pytestmark = pytest.mark.usefixtures("unhurried")

PUZZLES = Path(__file__).parents[1] / "notebooks" / "puzzles"
CAUSES = {
    "01_the_second_step.py": ("weak_type", "state['time']", 15),
    "02_a_function_in_a_loop.py": ("new_function", "", 13),
    "03_the_learning_rate.py": ("static_value", "rate", 16),
    "04_equal_settings.py": ("static_identity", "settings", 21),
    "05_a_list_once.py": ("treedef", "pair", 14),
    "06_by_name.py": ("kwargs_vs_args", "scale", 15),
    "07_an_old_key.py": ("prng_key_type", "key", 12),
    "08_a_device_of_its_own.py": ("committed", "params['w']", 14),
    "09_cleared_caches.py": ("cache_cleared", "", 14),
    "10_a_method.py": ("new_function", "", 18),
}
# Solved by moving or removing a line, which no edit does.
MADE_ONCE = ("02_a_function_in_a_loop.py", "09_cleared_caches.py", "10_a_method.py")


def recorded(path: Path) -> Recording:
    with jitviz.record() as recording:
        runpy.run_path(str(path))
    return recording


def test_each_puzzle_has_a_cause() -> None:
    for folder in ("before", "after"):
        assert [path.name for path in sorted((PUZZLES / folder).glob("*.py"))] == list(CAUSES)


@pytest.mark.parametrize("name", CAUSES)
def test_the_json_alone_names_the_cause_and_the_edit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PUZZLES)
    before, after = Path("before") / name, Path("after") / name
    recording = recorded(before)

    (finding,) = json.loads(recording.to_json())["findings"]  # what an assistant has
    cause, path, line = CAUSES[name]
    assert (finding["reason"], finding["path"], finding["source"]) == (cause, path, f"{before}:{line}")
    if finding["edit"] is not None:
        assert finding["edit"].pop("file") == str(before)
        assert edited(before.read_text(), Edit(file="", **finding["edit"])) == after.read_text()
    elif finding["code"]:
        assert ast.dump(ast.parse(pasted(before.read_text(), finding["code"]))) == ast.dump(
            ast.parse(after.read_text())
        )
    else:
        assert (name in MADE_ONCE, finding["advice"] != "") == (True, True)

    n_compiles = [sum(map(has_compiled, one.compiles)) for one in (recording, recorded(after))]
    assert n_compiles == [1 + finding["saves"], 1]
