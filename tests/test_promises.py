"""The tests that the manual names exist, its figures are correct, and bundled packages have their licences."""

import ast
import json
import re
from pathlib import Path

import pytest

from tests.capture.test_museum import PANELS
from tests.filters import test_as_equinox as as_equinox
from tests.jaxcompat import test_private
from tests.recording import test_damaged, test_redaction

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "js/package-lock.json"


TABLE = (ROOT / "notebooks/manual/how_it_works.md").read_text(encoding="utf-8").partition("## What we promise")[2]


def test_each_promise_names_tests_that_exist() -> None:
    rows = [line.split(" | ") for line in TABLE.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for promise, shown_by in rows:
        paths = re.findall(r"`([^`]+)`", shown_by)
        folder = Path(paths[0]).parent
        assert paths, promise
        for path in paths:
            assert (ROOT / (path if "/" in path else folder / path)).exists(), path


def test_each_figure_is_correct() -> None:
    trees = [ast.parse(path.read_text()) for path in ROOT.glob("tests/differential/with_*.py")]
    programs = [part.name for tree in trees for part in tree.body if isinstance(part, ast.FunctionDef)]
    uses = as_equinox.OF_GRADS + as_equinox.OF_TREES + as_equinox.OF_JITS
    modules = {name for names in test_private.MODULES.values() for name in names}
    figures = [
        f"{len([name for name in programs if name[0] != '_'])} programs with jax alone, equinox and flax",
        f"{len(as_equinox.FUNCTIONS)} kinds of functions, each called in {len(as_equinox.CALLS)} ways",
        f"{len(uses)} other uses",
        f"{len(json.loads(PANELS.read_text()))} kinds of objects, trees and names",
        f"{len(test_redaction.TOKENS)} kinds of keys and tokens",
        f"{len(test_private.names_used())} private names, {len(modules)} modules and {len(test_private.NAMES)} locals",
        f"{len(test_damaged.ACCIDENTS)} kinds",
    ]
    assert [figure for figure in figures if figure not in TABLE] == []


@pytest.mark.skipif(not LOCK.exists(), reason="the sdist has no sources of the front end")
def test_each_bundled_package_has_its_licence() -> None:
    notice = (ROOT / "jitviz/display/static/THIRD_PARTY.txt").read_text()
    packages = json.loads(LOCK.read_text())["packages"]
    bundled = {
        f"{place.removeprefix('node_modules/')} {about['version']}"
        for place, about in packages.items()
        if place and not ({"dev", "optional", "devOptional"} & set(about))
    }
    assert {line.strip() for line in notice.splitlines() if re.fullmatch(r"  \S+ [\d.]+", line)} == bundled
