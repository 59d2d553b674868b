"""A quantity is one text on every screen: headline, bill, tree, findings, terminal, static HTML and page."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from jitviz.display.html import fragment
from jitviz.display.text import render
from jitviz.model.quantities import seconds
from jitviz.recording import Recording
from jitviz.views import shape_panel
from tests.display import samples
from tests.display.golden import FOLDER

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
    for told in (panel.verdict.aside, panel.account.avoidable, printed, drawn):
        said["avoidable"].update(re.findall(rf"({DURATION}) (?:of that )?was avoidable", told))
        said["avoidable"].update(re.findall(rf"avoidable: ({DURATION})", told))
    if panel.account.avoidable:
        said["avoidable"].add(panel.account.avoidable.partition(" = ")[0])
    said["wall"] = {seconds(panel.account.wall_s), *re.findall(rf"Where ({DURATION}) went", printed)}
    said["wall"].update(re.findall(rf"of the ({DURATION}) were spent", printed + drawn))
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
