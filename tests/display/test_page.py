from __future__ import annotations

import base64
import gzip
import json
import re
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.display.page import write_page
from tests.display import samples


class Scripts(HTMLParser):
    """The script elements of a page by their id, and all elements that could load something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.loading: list[str] = []
        self._inside: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script":
            self._inside = given.get("id") or given.get("type") or ""
        source = given.get("src") or given.get("href") or ""
        if tag in ("link", "iframe", "object") or (source and not source.startswith("data:")):
            self.loading.append(f"{tag} {source}")

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data

    def data(self, name: str) -> Any:
        return unpack(json.loads(self.texts[name]))


def unpack(value: Any) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(value["gzip"]))) if list(value) == ["gzip"] else value


def page_of(recording: samples.Sample, folder: Path) -> str:
    return write_page(recording, folder / "page.html").read_text(encoding="utf-8")


def test_a_page_is_one_file_whose_policy_forbids_loading(tmp_path: Path) -> None:
    page = page_of(samples.recompile_by_treedef(), tmp_path)
    assert Scripts(page).loading == []
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" in page
    assert "<title>jitviz · In [3]</title>" in page


def test_a_page_runs_the_bundle_and_nothing_else(tmp_path: Path) -> None:
    page = page_of(samples.nasty(), tmp_path)
    scripts = Scripts(page)
    allowed = re.findall(r"script-src 'sha256-([^']+)' blob:\"", page)
    assert allowed == [base64.b64encode(sha256(scripts.texts["module"].encode()).digest()).decode()]
    parts = ["jitviz-answers", "jitviz-bundle", "jitviz-chunk-name-code", "jitviz-view", "module"]
    assert sorted(scripts.texts) == parts
    static = files("jitviz.display") / "static"
    for element, name in (("jitviz-bundle", "jitviz.js"), ("jitviz-chunk-name-code", "code.js")):
        assert gzip.decompress(base64.b64decode(scripts.texts[element])) == (static / name).read_bytes()
    assert scripts.texts["module"] == (static / "opener.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("has_dot", [False, True])
def test_a_page_draws_its_graphs_itself_where_nothing_else_could(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_dot: bool
) -> None:
    monkeypatch.setattr("jitviz.display.page.is_installed", lambda: has_dot)
    with jitviz.record() as recording:
        jax.jit(lambda x: jnp.sin(x) + 1)(jnp.ones(3))
    page = write_page(recording, tmp_path / "page.html").read_text(encoding="utf-8")
    engine = Scripts(page).texts.get("jitviz-chunk-name-graphviz", "")
    assert (engine != "", "'wasm-unsafe-eval'" in page) == (not has_dot, not has_dot)


def test_a_page_without_program_texts_lacks_the_code_that_draws_them(tmp_path: Path) -> None:
    assert Scripts(page_of(samples.only_hits(), tmp_path)).texts.get("jitviz-chunk-name-code", "") == ""


def test_a_page_of_a_small_model_is_small(tmp_path: Path) -> None:
    assert len(page_of(samples.recompile_by_treedef(), tmp_path).encode()) < 280_000


def test_a_page_of_twenty_thousand_leaves_holds_them_all_and_stays_under_three_megabytes(tmp_path: Path) -> None:
    page = page_of(samples.huge(), tmp_path)
    trees = [unpack(answer) for name, answer in Scripts(page).data("jitviz-answers").items() if "partition" in name]
    assert [len(tree["inputs"]["rows"]["kind"]) for tree in trees] == [20_101, 20_101]
    assert len(page.encode()) < 3_000_000


def test_a_page_holds_the_program_texts_whole(tmp_path: Path) -> None:
    answers = Scripts(page_of(samples.recompile_by_treedef(), tmp_path)).data("jitviz-answers")
    texts = {name: unpack(answer)["text"] for name, answer in answers.items() if name.startswith("listing compile 1 ")}
    assert texts == {
        "listing compile 1 name jaxpr": samples.JAXPR,
        "listing compile 1 name stablehlo": samples.STABLEHLO,
        "listing compile 1 name hlo": samples.HLO,
    }


def test_a_text_of_the_user_stays_a_text(tmp_path: Path) -> None:
    page = page_of(samples.Story(samples.NASTY).end(1.0), tmp_path)
    assert "<img" not in page
    assert Scripts(page).data("jitviz-view")["label"] == samples.NASTY


def test_a_path_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_page(samples.nothing(), tmp_path / "missing" / "page.html")


def test_beyond_its_budget_a_page_leaves_out_the_biggest_and_names_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    recording = samples.recompile_by_treedef()
    whole = Scripts(write_page(recording, path).read_text(encoding="utf-8")).data("jitviz-answers")
    recording.to_html(path, most_ir_bytes=2_000)
    scripts = Scripts(path.read_text(encoding="utf-8"))
    answers = scripts.data("jitviz-answers")
    left_out = whole.keys() - answers.keys()
    assert "listing compile 0 name hlo" in left_out
    assert not [name for name in left_out if name.startswith("partition")]
    assert scripts.data("jitviz-view")["not_kept"].startswith("Each panel keeps 2 kB of program texts.")
