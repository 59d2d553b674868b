"""A quantity is one text on every screen: title, score, bill, tree, findings, terminal, static HTML and page."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import pytest

from jitviz.display.html import fragment
from jitviz.display.text import render
from jitviz.model.quantities import count, seconds
from jitviz.recording import Recording
from jitviz.views import as_text, shape_panel
from tests.display import samples
from tests.display.golden import FOLDER
from tests.display.test_html import Reader

SAMPLES = {path.stem: getattr(samples, path.stem) for path in FOLDER.glob("*.json") if hasattr(samples, path.stem)}
DURATION = r"(?:\d+ min )?[\d.]+ (?:s|ms|µs)"


def said_of(recording: Recording) -> dict[str, set[str]]:
    """Each text that stands for a quantity, by quantity, from all screens."""
    panel, said = shape_panel(recording), defaultdict(set)
    assert panel.account is not None
    for row in (*panel.account.bar, *panel.account.rows):
        if row.depth == 0:
            said[row.name].add(seconds(row.seconds))
    printed, drawn = render(recording, width=200), fragment(recording).replace("&#160;", " ")
    for name in list(said):
        said[name].update(re.findall(rf"^ +({DURATION}), \d+%: {name}$", printed, re.MULTILINE))
        said[name].update(re.findall(rf"</span> {name} <b>({DURATION})</b>", drawn))
    for told in (as_text(panel.verdict.title), panel.account.avoidable, printed, drawn):
        said["avoidable"].update(re.findall(rf"({DURATION}) to save", told))
        said["avoidable"].update(re.findall(rf"avoidable: ({DURATION})", told))
    if panel.account.avoidable:
        said["avoidable"].add(panel.account.avoidable.partition(": ")[0])
    said["wall"] = {seconds(panel.account.wall_s), *re.findall(rf"Where ({DURATION}) went", printed)}
    said["wall"].update(
        re.findall(rf"(?:to save|compiling in all threads) (?:of|in) ({DURATION})$", printed, re.MULTILINE)
    )
    said["wall"].update(re.findall(rf"of the ({DURATION}) compiling", printed + drawn))
    return said


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"nothing"}))
def test_a_quantity_is_one_text_on_every_screen(name: str) -> None:
    said = said_of(SAMPLES[name]())
    assert {what: texts for what, texts in said.items() if len(texts) > 1} == {}
    assert said["wall"]


def test_the_kinds_of_work_are_whole_and_add_up_to_the_wall_time() -> None:
    panel = shape_panel(samples.recompile_by_treedef())
    assert panel.account is not None
    whole = {row.what: row.seconds for row in panel.account.rows if row.depth == 0}
    assert {row.what: row.seconds for row in panel.account.bar if row.depth == 0} == whole
    assert sum(whole.values()) == pytest.approx(panel.account.wall_s)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_versions_lines_and_findings_have_one_text_in_print_and_in_html_and_one_number_in_json(name: str) -> None:
    recording = SAMPLES[name]()
    panel, data = shape_panel(recording), json.loads(recording.to_json())
    versions = [version for function in panel.functions for version in function.versions if not version.is_before]
    recompiles = [found for found in panel.findings if found.kind == "recompile"]
    sites = [site for function in panel.functions for site in function.call_sites]
    for text in (render(recording, width=200), Reader(re.sub("<(div|summary)", r"\n<\1", fragment(recording))).text):
        spent = re.findall(rf"({DURATION}|0 s): (?:trace|lower|compile|load) ", text)
        assert spent == [seconds(version.duration_s) for version in versions]
        told = [f"{site.told}, {seconds(site.compile_s)} compiling" for site in sites if site.compile_s]
        told += [f"{row.told}: {seconds(row.seconds)}" for row in panel.op_by_op]
        told += [f"{seconds(found.seconds)}, {count(found.count, 'recompile')}" for found in recompiles]
        assert [one for one in told if one not in text] == []
    assert [seconds(row["seconds"]) for row in data["findings"]] == [seconds(row.seconds) for row in panel.findings]
    assert sum(row["compiles"] for row in data["compiles"]) == panel.compiles
    avoidable = [column for score in panel.scores for column in score.columns if column.avoidable_s]
    assert sum(row["avoidable"] for row in data["compiles"]) == len(avoidable)
    assert seconds(data["account"]["wall_s"]) == seconds(panel.account.wall_s if panel.account else 0)
