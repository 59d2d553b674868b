"""Ctrl-C while a recording is read, shown or saved is raised once, and the next attempt is complete."""

from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import jitviz
from jitviz.recording.whole_file import whole_file
from tests.capture.test_interrupts import interrupted, is_ours
from tests.display import samples

STRIKES = 4  # for each use, from its beginning to its end
SHOWN: dict[str, Callable[[jitviz.Recording], Any]] = {
    "calls": lambda rec: list(rec.calls),
    "reasons": lambda rec: [row.reasons for row in rec.compiles],
    "findings": lambda rec: rec.findings,
    "text": str,
    "panel": lambda rec: rec._repr_html_(),
    "json": lambda rec: rec.to_json(),
}
FILES = {"save": ".jsonl", "to_html": ".html", "to_perfetto": ".json", "to_json": ".json"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.recompile_by_treedef().save(tmp_path_factory.mktemp("saved") / "run.jsonl")


def places_in(run: Callable[[], Any]) -> int:
    """How many functions of ours begin or end."""
    n_seen = 0

    def count(frame: FrameType, _: str) -> bool:
        nonlocal n_seen
        n_seen += is_ours(frame)
        return False

    interrupted(run, count)
    return n_seen


def at(place: int) -> Callable[[FrameType, str], bool]:
    """Strike where the function of that number of ours begins or ends."""
    left = place

    def strikes(frame: FrameType, _: str) -> bool:
        nonlocal left
        left -= is_ours(frame)
        return left < 0

    return strikes


@pytest.mark.parametrize("name", list(SHOWN))
def test_what_was_half_read_is_read_again(saved: Path, name: str) -> None:
    show, rec = SHOWN[name], jitviz.load(saved)
    expected, n_places = show(rec), places_in(lambda: show(jitviz.load(saved)))
    n_before = places_in(lambda: jitviz.load(saved))
    for number in range(STRIKES):
        rec = jitviz.load(saved)
        place = (n_places - n_before) * number // STRIKES
        assert interrupted(lambda rec=rec: show(rec), at(place)), (place, n_places)
        assert show(rec) == expected, (place, n_places)


@pytest.mark.parametrize("name", list(FILES))
def test_a_file_is_the_former_one_or_the_new_one(saved: Path, tmp_path: Path, name: str) -> None:
    rec, path = jitviz.load(saved), tmp_path / f"out{FILES[name]}"
    getattr(rec, name)(path)
    whole, n_places = path.read_text(), places_in(lambda: getattr(rec, name)(path))
    for number in range(STRIKES + 1):
        path.write_text("before")
        place = n_places * number // STRIKES - (number == STRIKES)
        assert interrupted(lambda: getattr(rec, name)(path), at(place))
        assert path.read_text() in ("before", whole)
        assert list(tmp_path.iterdir()) == [path]
        getattr(rec, name)(path)
        assert path.read_text() == whole


def test_of_two_that_write_to_one_path_the_last_to_finish_wins(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    with whole_file(path) as first:
        first.write_text("first")
        with whole_file(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]
