from __future__ import annotations

import re
from pathlib import Path

import pytest

from jitviz.display.page import write_page
from tests.display import samples


def test_a_page_is_one_file_that_forbids_itself_to_load_anything(tmp_path: Path) -> None:
    path = write_page(samples.recompile_by_treedef(), tmp_path / "page.html")
    page = path.read_text(encoding="utf-8")
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in page
    assert re.findall(r"<script|<link|https?://(?!www\.w3\.org)", page) == []
    assert "<title>jitviz · In [3]</title>" in page


def test_a_page_holds_the_program_texts_whole(tmp_path: Path) -> None:
    page = write_page(samples.recompile_by_treedef(), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "calls=%fused_computation.79" in page


def test_a_label_of_the_user_stays_a_text(tmp_path: Path) -> None:
    recording = samples.Story(samples.NASTY).end(1.0)
    page = write_page(recording, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<img" not in page


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_page(samples.nothing(), tmp_path / "missing" / "page.html")
