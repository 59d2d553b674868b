from __future__ import annotations

import gzip
import re
from base64 import b64decode
from collections.abc import Callable
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import jitviz
from jitviz.display.html import draw_fragment, draw_span, fragment
from jitviz.display.kept_answers import KeptAnswers, keep
from jitviz.display.outline import outline_details, outline_findings, outline_verdict
from jitviz.model import Node, Signature
from jitviz.recording import Recording
from jitviz.views import PANEL, shape_panel
from jitviz.views.schema import Span
from jitviz.views.screen_limits import DEPTH
from tests.display import samples
from tests.display.golden import matches
from tests.display.samples import NASTY, Sample, Story, array
from tests.findings.test_comparison import sizes
from tests.findings.test_find import forty_sizes
from tests.findings.test_run_changes import phases

# What survives the sanitizer of an untrusted notebook in JupyterLab, as far as it is used here.
TAGS = {"div", "span", "b", "bdi", "small", "code", "pre", "mark", "br", "img", "details", "summary"}
TAGS |= {"table", "tr", "th", "td"}
ATTRIBUTES = {"style", "open", "alt", "src", "scope"}
# What helps a screen reader, where no sanitizer takes it away.
ATTRIBUTES |= {"role", "aria-label"}


class Reader(HTMLParser):
    """Parses a fragment like a browser."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_recompile_is_drawn_as_expected() -> None:
    html = fragment(samples.recompile_by_treedef())
    assert matches("recompile_by_treedef.html", re.sub("(?=<(?:div|details|summary))", "\n", html))


@pytest.mark.parametrize("make", samples.ALL)
def test_it_holds_only_what_survives_a_sanitizer(make: Callable[[], Sample]) -> None:
    reader = Reader(fragment(make()))
    assert reader.tags <= TAGS
    assert reader.attributes <= ATTRIBUTES


@pytest.mark.parametrize("make", samples.ALL)
def test_it_is_well_formed(make: Callable[[], Sample]) -> None:
    ElementTree.fromstring(fragment(make()))


def test_texts_of_the_user_stay_texts() -> None:
    html = fragment(samples.nasty())
    assert "<script" not in html
    assert "</script" not in html
    assert html.count("<img") == 1  # the score
    assert NASTY in Reader(html).text


def test_a_small_recording_is_small() -> None:
    sizes = {make.__name__: len(fragment(make()).encode()) for make in samples.ALL if make is not samples.huge}
    assert {name: size for name, size in sizes.items() if size > 20_000} == {}


def test_twenty_thousand_leaves_are_folded() -> None:
    html = fragment(samples.huge())
    assert len(html.encode()) < 30_000
    assert "80 more" in html
    assert "dtype: float32 → int32" in html


def test_without_findings_the_verdict_says_it_all() -> None:
    text = Reader(fragment(samples.only_hits())).text
    assert text.startswith("Nothing compiled in this cell: at least 13 calls, all hits")


def test_it_says_what_the_text_says() -> None:
    panel = shape_panel(samples.recompile_by_treedef())
    shown = Reader(fragment(samples.recompile_by_treedef())).text
    for line in (
        *outline_verdict(panel.verdict),
        *outline_findings(panel.findings[:1], 0),
        *outline_details(panel, 78),
    ):
        place = shown.find("".join(span.text for span in line.spans))
        assert place >= 0, line
        shown = shown[place:]
        assert all(text in shown for text in (*line.marks, line.listing))


def test_the_score_is_a_picture_and_a_table_that_a_screen_reader_reads() -> None:
    (root,) = ElementTree.fromstring(fragment(samples.error_in_trace())).iter("table")
    assert root.attrib["role"] == "grid"
    assert root.attrib["aria-label"] == "Calls of `Model.loss`"
    assert [["".join(cell.itertext()) for cell in row] for row in root] == [
        ["path", "call 1: compile, version 1, 70 ms", "call 2: raised TypeError, 6.0 ms", "type"],
        ["w", "traced", "", "f32[3,4]"],
        ["x", "traced 4", "traced 5, made it compile", "f32[·,2]  4 | 5"],
    ]


def test_a_name_that_runs_from_right_to_left_stands_alone() -> None:
    spans = (Span("שלב", is_code=True), Span("שלב", is_strong=True), Span("step", is_code=True))
    assert "".join(map(draw_span, spans)) == "<code><bdi>שלב</bdi></code><b><bdi>שלב</bdi></b><code>step</code>"


def test_a_deep_tree_is_well_formed() -> None:
    paths = ["x" + ".tail" * number for number in range(100)]
    nodes = tuple(Node(path, "Cons", (".head", ".tail")) for path in paths)
    signature = Signature(tuple(array(f"{path}.head", ()) for path in paths), nodes)
    story = Story()
    story.hit(story.function("step"), 0.0, 0.1, signature=signature)
    assert len(list(ElementTree.fromstring(fragment(story.end(1.0))).iter("details"))) >= DEPTH


def test_a_cell_without_calls_is_two_lines() -> None:
    html = fragment(samples.nothing())
    assert Reader(html).text.startswith("No jitted call ran in this cell→ Call a function")


def test_the_best_way_to_pad_stands_out() -> None:
    (finding, *_) = shape_panel(forty_sizes()).findings
    (best,) = [choice.name for choice in finding.choices if choice.is_best]
    bold = re.findall("<b>([^<]*)</b>", fragment(forty_sizes()))
    assert [text.startswith(best) for text in bold if "more elements" in text] == [True]


def test_each_kept_text_is_a_download() -> None:
    recording = samples.recompile_by_treedef()
    html = draw_fragment(shape_panel(recording), recording, keep(recording, shape_panel(recording, PANEL), None))
    ElementTree.fromstring(html)
    links = re.findall(r'<a download="([^"]*)" href="data:application/gzip;base64,([^"]*)">', html)
    texts = {"jaxpr": samples.JAXPR, "stablehlo": samples.STABLEHLO, "hlo": samples.HLO}
    assert {name: gzip.decompress(b64decode(packed)).decode() for name, packed in links} == {
        f"step-{version}.{name}.txt.gz": text for version in (1, 2) for name, text in texts.items()
    }


def test_a_text_that_is_not_kept_is_not_a_link() -> None:
    recording = samples.recompile_by_treedef()
    assert "<a " not in draw_fragment(shape_panel(recording), recording, KeptAnswers())


def text_of(html: str) -> list[str]:
    """What one reads, a line for each text; the HTML is well-formed."""
    tree = ElementTree.fromstring(html.replace("&#160;", " "))
    return [text for text in map(str.strip, tree.itertext()) if text]


def test_a_title_two_bars_on_one_axis_and_a_row_for_each_change_with_its_line_and_fix() -> None:
    html = jitviz.compare(sizes(4), sizes(4, 3))._repr_html_()
    said = " ".join(text_of(html))
    assert said.startswith("This run compiled 1.0 s more : 1 new before 1.1 s after 2.2 s tracing ")
    assert "+ new step : x changed its shape from f32[4] to f32[3] (1 recompile, 1.0 s), at train.py:7" in said
    assert "→ Pad x to 4 with np.pad , and mask out the padding" in said
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
