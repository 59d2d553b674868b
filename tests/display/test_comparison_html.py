"""Two runs compared, as a notebook shows them."""

import re
from xml.etree import ElementTree as ET

import jitviz
from jitviz.recording import Recording
from tests.findings.test_comparison import sizes
from tests.findings.test_run_changes import phases


def text_of(html: str) -> list[str]:
    """What one reads, a line for each text; the HTML is well-formed."""
    tree = ET.fromstring(html.replace("&#160;", " "))
    return [text for text in map(str.strip, tree.itertext()) if text]


def test_a_title_two_bars_on_one_axis_and_a_row_for_each_change_with_its_line_and_fix() -> None:
    html = jitviz.compare(sizes(4), sizes(4, 3))._repr_html_()
    said = " ".join(text_of(html))
    assert said.startswith("This run compiled 1.0 s more : 1 new before 1.1 s after 2.2 s tracing ")
    assert "+ new step : x changed its shape from f32[4] to f32[3] (1 recompile, 1.0 s), at train.py:7" in said
    assert "→ Pad x to 4 on the host, with np.pad , and mask out the padding" in said
    assert said.endswith(
        "+1.0 s = same 1 version of 1 function compiled in both runs 1.0 → 1.0 s was 1 compile, 1.0 s; now 2, 2.0 s"
    )
    assert re.findall(r'<div style="width:([\d.]+)%">', html) == ["50.0", "100.0"]


def test_a_phase_that_took_longer_is_slower_and_what_is_gone_saves() -> None:
    slower = text_of(jitviz.compare(phases(), phases(by=(40, 1, 1)))._repr_html_())
    assert (slower[:3], "↑ slower" in slower) == (["This run compiled", "16 s more", ": 1 changed"], True)
    assert "= same" not in slower
    said = text_of(jitviz.compare(sizes(4, 3), sizes(4))._repr_html_())
    assert ("✓ gone" in said, "\N{MINUS SIGN}1.0 s" in said) == (True, True)


def test_of_equal_and_of_empty_runs_there_are_no_rows() -> None:
    for recording in (sizes(4), Recording()):
        said = text_of(jitviz.compare(recording, recording)._repr_html_())
        assert said[2] == ": no difference"
        assert not any(one.startswith(("✓", "+", "↑", "↓", "≠")) for one in said)
