"""Program texts in static HTML as downloads, and graphs as pictures or text."""

from __future__ import annotations

import gzip
import re
from base64 import b64decode
from collections.abc import Callable
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.display import jaxpr_graph
from jitviz.display.html import fragment
from jitviz.display.kept_answers import KeptAnswers, keep
from jitviz.recording import Recording
from jitviz.views import PANEL, shape_panel
from jitviz.views.program import graph
from tests.display import samples


def drawn(recording: Recording, most_ir_bytes: int | None = None) -> str:
    return fragment(recording, kept=keep(recording, shape_panel(recording, PANEL), most_ir_bytes))


def small() -> Recording:
    with jitviz.record() as recording:
        jax.jit(lambda x: jnp.sin(x) + 1)(jnp.ones(3))
    return recording


def test_each_kept_text_that_is_not_shown_in_full_is_a_download() -> None:
    html = drawn(samples.recompile_by_treedef())
    links = re.findall(r'<a download="([^"]*)" href="data:application/gzip;base64,([^"]*)">', html)
    texts = {name: gzip.decompress(b64decode(packed)).decode() for name, packed in links}
    one = {"jaxpr": samples.JAXPR, "stablehlo": samples.STABLEHLO, "hlo": samples.HLO}
    whole = {f"step-{version}.{name}.txt.gz": text for version in (1, 2) for name, text in one.items()}
    assert texts == {name: text for name, text in whole.items() if name != "step-1.jaxpr.txt.gz"}
    assert samples.JAXPR.splitlines()[3].strip() in html


def test_a_text_that_is_not_kept_is_not_a_link() -> None:
    assert "<a " not in fragment(samples.recompile_by_treedef(), kept=KeptAnswers(note="Nothing is kept."))
    assert "<b>left out</b>: Nothing is kept." in fragment(
        samples.only_hits(), kept=KeptAnswers(note="Nothing is kept.")
    )


@pytest.mark.parametrize("make", [samples.recompile_by_treedef, samples.nasty, small])
def test_it_is_well_formed(make: Callable[[], Recording]) -> None:
    ElementTree.fromstring(drawn(make()))


@pytest.mark.skipif(jaxpr_graph._program() is None, reason="no `dot` on PATH")
def test_the_graph_of_a_small_program_is_a_picture_with_a_description() -> None:
    (alt, source) = re.findall(r'<img alt="(graph[^"]*)".*?base64,([^"]*)"', drawn(small()))[0]
    assert re.fullmatch(r"graph of &lt;lambda&gt;, version \d+: 4 nodes", alt)
    assert ElementTree.fromstring(b64decode(source)).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_panel_of_a_cell_has_no_graph_in_its_static_html() -> None:
    assert "graph of" not in drawn(small(), 200_000)


def test_without_an_engine_there_is_no_graph_and_no_dot_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jaxpr_graph, "draw_svg", lambda dot: "")
    html = drawn(small())
    assert "graph of" not in html
    assert "digraph" not in html


def test_a_large_graph_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "AT_ONCE", 3)
    html = drawn(small())
    assert "graph of" not in html
    assert "hlo" in html
