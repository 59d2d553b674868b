"""The lines that a finding asks to change: of an edit those that it changes, else where what changed gets its value."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitviz.findings.edit_lines import edit_lines
from jitviz.model.finding import Edit, Finding

from .programs import HEAD
from .test_advice import run

pytestmark = pytest.mark.usefixtures("unhurried")

STEP = """
@jax.jit
def step(x):
    return x + 1
"""
# name -> (program, the lines)
KNOWN = {
    "where a name of the function around the call was set last": (
        STEP + "def run():\n    x = 1\n    step(x)\n    x = np.float32(1)\n    y = 2\n    return step(x)\n",
        ["    x = np.float32(1)"],
    ),
    "where a name of the module was set": (
        STEP + "x = np.zeros(3, np.float64)\ndef run():\n    step(jnp.zeros(3))\n    return step(np.asarray(x, int))\n",
        ["x = np.zeros(3, np.float64)"],
    ),
    "where a part of what it stands for was set": (
        STEP.replace("+ 1", "['a']")
        + "def run():\n    x = {'a': 1}\n    step(x)\n    x['a'] = np.float32(1)\n    return step(x)\n",
        ["    x['a'] = np.float32(1)"],
    ),
    "the call, where it holds the value itself": (
        STEP + "def run():\n    step(1)\n    return step(np.float32(1))\n",
        ["    return step(np.float32(1))"],
    ),
    "the call, where an array is to be padded": (
        STEP + "def run():\n    x = np.ones(3)\n    step(np.ones(4))\n    return step(x)\n",
        ["    return step(x)"],
    ),
    "nowhere, where the value is an argument": (
        STEP + "def call(x):\n    return step(x)\ndef run():\n    call(1)\n    return call(np.float32(1))\n",
        [],
    ),
    "what is made anew": (
        "def run():\n    for n in range(3):\n        @jax.jit\n        def step(x):\n            return x + n\n"
        "        step(1.0)\n    return 1\n",
        ["        @jax.jit"],
    ),
    "the loop itself": (
        "@jax.jit\ndef step(x):\n    for _ in range(200):\n        x = jnp.sin(x) + 1\n    return x\n"
        "def run():\n    return step(1.0)\n",
        ["    for _ in range(200):"],
    ),
    "the definition of what holds a large constant": (
        "w = np.ones((1000, 1000))\n@jax.jit\ndef step(x):\n    return x + w\ndef run():\n    return step(1.0)[0]\n",
        ["@jax.jit"],
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_lines_to_edit_are_known(name: str, tmp_path: Path) -> None:
    body, expected = KNOWN[name]
    rec, _ = run(HEAD + body, tmp_path)
    found = rec.findings[0]
    lines = (HEAD + body).split("\n")
    assert [lines[int(place.rpartition(":")[2]) - 1] for place in edit_lines(found, rec)] == expected


def test_of_an_edit_the_first_line_of_each_stretch_that_it_changes_and_what_is_added_is_above_a_line(
    tmp_path: Path,
) -> None:
    def lines_of(old: str, new: str) -> list[str]:
        return list(edit_lines(Finding("recompile", "f", edit=Edit("train.py", 7, old, new)), rec))

    rec, _ = run(HEAD + "def run():\n    return 1\n", tmp_path)
    assert lines_of("a\nb\nc\nd\ne", "a\nB\nC\nd\nE") == ["train.py:8", "train.py:11"]
    assert lines_of("a", "z\na") == ["train.py:7"]
    assert lines_of("a\nb", "z\na\nB") == ["train.py:8"]
