"""What the README promises names a test that is there, and what is bundled has its licence beside it."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "js/package-lock.json"


def test_each_promise_names_tests_that_are_there() -> None:
    table = (ROOT / "README.md").read_text().partition("### What we promise")[2].partition("\n### ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for promise, shown_by in rows:
        paths = re.findall(r"`([^`]+)`", shown_by)
        folder = Path(paths[0]).parent
        assert paths, promise
        for path in paths:
            assert (ROOT / (path if "/" in path else folder / path)).exists(), path


@pytest.mark.skipif(not LOCK.exists(), reason="the sdist has no sources of the front end")
def test_what_is_bundled_has_its_licence() -> None:
    told = (ROOT / "jitviz/display/static/THIRD_PARTY.txt").read_text()
    packages = json.loads(LOCK.read_text())["packages"]
    bundled = {
        f"{place.removeprefix('node_modules/')} {about['version']}"
        for place, about in packages.items()
        if place and not ({"dev", "optional", "devOptional"} & set(about))
    }
    assert {line.strip() for line in told.splitlines() if re.fullmatch(r"  \S+ [\d.]+", line)} == bundled
