"""The two outputs of a panel in a notebook; tests/browser shows them in a browser."""

from __future__ import annotations

import gzip
import json
import re
import sys
import threading
from dataclasses import dataclass, field
from html import unescape
from types import SimpleNamespace
from typing import Any

import IPython
import IPython.display
import pytest

import jitviz
from jitviz.display import notebook_output
from jitviz.display.access import OF_A_CELL
from jitviz.display.html import draw_fragment
from jitviz.display.kept_answers import KeptAnswers, keep
from jitviz.display.notebook_output import Shown
from jitviz.display.text import begin_panel, render
from jitviz.display.widget import PanelWidget
from jitviz.ipython.cell_panel import show_panel
from jitviz.recording import Recording
from jitviz.recording.events import TextSeen
from jitviz.recording.unread_programs import Unread, at_prompt, reading
from jitviz.views import PANEL, SAVED, shape_panel
from tests.display import samples
from tests.display.conftest import Comms, Sent

WIDGET = "application/vnd.jupyter.widget-view+json"


@dataclass
class Outputs:
    """The outputs of a cell, without a notebook."""

    data: list[dict[str, Any]] = field(default_factory=list)

    def display(self, data: dict[str, Any], raw: bool, display_id: bool = False) -> Any:
        place = len(self.data)
        self.data.append(data)
        return SimpleNamespace(update=lambda data, raw: self.data.__setitem__(place, data))


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch, comms: Comms) -> Outputs:
    """The outputs of the running cell of a kernel."""
    outputs = Outputs()
    monkeypatch.setattr(IPython.display, "display", outputs.display)
    shell = SimpleNamespace(kernel=object(), events=SimpleNamespace(trigger=lambda _: None))
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    monkeypatch.setattr(notebook_output, "_said", {})
    return outputs


def kept_of(recording: Recording) -> KeptAnswers:
    return keep(recording, shape_panel(recording, PANEL), None)


def kept_in(message: Sent) -> dict[str, Any]:
    """The small answers in a message."""
    place = message.data["buffer_paths"].index(["kept", ""])
    return dict(json.loads(gzip.decompress(message.buffers[place])))


def drawn(recording: Recording) -> str:
    return draw_fragment(shape_panel(recording), recording, kept_of(recording))


def begun(recording: Recording) -> str:
    return begin_panel(shape_panel(recording, SAVED))


def broken(*_: object) -> None:
    raise RuntimeError("no front end")


def test_a_panel_is_static_html_and_then_a_widget_alone(outputs: Outputs) -> None:
    recording = samples.recompile_by_treedef()
    jitviz.show(recording)
    static, live = outputs.data
    assert static["text/plain"] == begun(recording)
    assert drawn(recording) in static["text/html"]
    assert list(live) == [WIDGET]


def test_the_static_html_has_the_id_that_the_widget_hides(outputs: Outputs, comms: Comms) -> None:
    jitviz.show(samples.nothing())
    named = [message.data["state"].get("static_id") for message in comms.sent if "state" in message.data]
    (name,) = filter(None, named)
    assert outputs.data[0]["text/html"].startswith(f'<div id="{name}">')


def test_a_widget_that_cannot_be_made_leaves_the_static_html_alone(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PanelWidget, "__init__", broken)
    recording = samples.recompile_by_treedef()
    jitviz.show(recording)
    assert outputs.data == [{"text/html": drawn(recording), "text/plain": begun(recording)}]


def test_where_colab_refuses_widgets_the_static_html_stands_alone(
    monkeypatch: pytest.MonkeyPatch, outputs: Outputs
) -> None:
    def refuse() -> None:
        raise RuntimeError("custom widgets are not supported here")

    output = SimpleNamespace(enable_custom_widget_manager=refuse)
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace(output=output))
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    Shown(samples.recompile_by_treedef()).settle()
    (static,) = outputs.data
    assert list(static) == ["text/html", "text/plain"]
    assert "recompile" in static["text/html"]


def test_without_anywidget_the_static_html_stands_alone_and_says_what_to_install(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "jitviz.display.widget")
    monkeypatch.delattr("jitviz.display.widget")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    jitviz.show(samples.nothing())
    (shown,) = outputs.data
    told = "The interactive panel needs anywidget, which is not installed: pip install anywidget"
    assert shown["text/html"].endswith(f"<small>{told}</small>")


def test_a_cell_keeps_less_than_an_explicit_show(
    outputs: Outputs, comms: Comms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jitviz.display.kept_answers.KEPT_IR_NBYTES", 500)
    recording = samples.recompile_by_treedef()
    show_panel(recording)
    jitviz.show(recording)
    cell, shown = [message for message in comms.sent if message.data.get("state", {}).get("view")]
    kept_in_cell, kept = (set(kept_in(message)) for message in (cell, shown))
    assert kept_in_cell < kept == set(kept_of(recording).answers)
    note = cell.data["state"]["view"]["not_kept"]
    assert note.startswith("Each panel keeps 500 B of program texts.")
    assert re.sub("`(.*?)`", r"<code>\1</code>", note) in unescape(outputs.data[0]["text/html"])
    assert shown.data["state"]["view"]["not_kept"] == ""


def test_a_panel_that_nobody_asked_for_is_static_html_until_a_browser_looks_at_it(
    outputs: Outputs, comms: Comms
) -> None:
    story = samples.recompile_by_treedef().events
    texts = [event for event in story if isinstance(event, TextSeen)]
    recording = Recording([event for event in story if event not in texts])
    recording.read_later(Unread(1, lambda: texts))
    shown = Shown(recording, is_asked=False)
    shown.settle()
    html = unescape(outputs.data[0]["text/html"])
    assert "recompile" in html
    assert "stablehlo" not in html
    assert "Without its kernel, program texts, links, graphs and comparisons are lost" in html
    assert [message for message in comms.sent if message.data.get("state", {}).get("view")] == []
    assert shown._widget is not None
    (said,) = comms.say(shown._widget, {"type": "look"})
    (functions,) = said.data["state"]["view"]["functions"]
    assert [one["name"] for one in functions["versions"][0]["listings"]] == ["jaxpr", "stablehlo", "hlo"]


def test_a_look_while_the_cell_runs_is_answered_at_its_end(outputs: Outputs, comms: Comms) -> None:
    story = samples.recompile_by_treedef()
    growing = Recording(story.events[:6])
    shown = Shown(growing, is_asked=False)
    assert shown._widget is not None
    assert comms.say(shown._widget, {"type": "look"}) == []
    for event in story.events[6:]:
        growing.append(event)
    shown.settle()
    assert comms.sent[-1].data["state"]["view"]["is_finished"] is True


def test_when_the_cell_is_done_both_outputs_are_final(outputs: Outputs, comms: Comms) -> None:
    story = samples.recompile_by_treedef()
    growing = Recording(story.events[:6])
    shown = Shown(growing)
    for event in story.events[6:]:
        growing.append(event)
    shown.settle()
    static, _ = outputs.data
    assert static["text/plain"] == begin_panel(shape_panel(growing, SAVED), access=OF_A_CELL)
    assert comms.sent[-1].data["state"]["view"]["is_finished"] is True


def test_events_left_unread_at_the_end_are_drawn_later(outputs: Outputs) -> None:
    story = samples.recompile_by_treedef().events
    texts = [event for event in story if isinstance(event, TextSeen)]
    recording = Recording([event for event in story if event not in texts])
    may_read = threading.Event()
    recording.read_later(Unread(1, lambda: texts if may_read.wait(60) else ()))
    shown = Shown(recording)
    with reading("nothing"):
        shown.settle()
    assert "stablehlo" not in outputs.data[0]["text/html"]
    (reader,) = [thread for thread in threading.enumerate() if thread.name == "jitviz reader"]
    may_read.set()
    reader.join(60)
    assert "stablehlo" in outputs.data[0]["text/html"]


def test_events_left_unread_wait_until_no_cell_runs(outputs: Outputs) -> None:
    recording = samples.only_hits()
    is_read = threading.Event()
    recording.read_later(Unread(1, lambda: is_read.set() or ()))
    at_prompt.clear()
    try:
        with reading("nothing"):
            Shown(recording).settle()
        assert not is_read.wait(0.5)
    finally:
        at_prompt.set()
    (reader,) = [thread for thread in threading.enumerate() if thread.name == "jitviz reader"]
    reader.join(60)
    assert is_read.is_set()


def test_while_the_cell_runs_the_static_html_is_one_line(outputs: Outputs) -> None:
    Shown(samples.still_compiling())
    assert outputs.data[0]["text/plain"] == "jitviz will draw its panel here when the cell is done."


def test_a_widget_that_breaks_does_not_prevent_the_final_static_html(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing = Recording(samples.only_hits().events[:-1])
    shown = Shown(growing)
    growing.append(samples.only_hits().events[-1])
    monkeypatch.setattr(PanelWidget, "refresh", broken)
    shown.settle()
    assert outputs.data[0]["text/plain"] == begun(growing)


def test_in_marimo_the_widget_is_put_under_the_cell(monkeypatch: pytest.MonkeyPatch, comms: Comms) -> None:
    put: list[Any] = []
    marimo = SimpleNamespace(running_in_notebook=lambda: True, output=SimpleNamespace(append=put.append))
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    jitviz.show(samples.nothing())
    (model,) = put
    assert model.view["verdict"]["level"] == "empty"


def test_outside_a_notebook_a_recording_is_shown_as_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    jitviz.show(samples.nothing())
    assert capsys.readouterr().out == render(samples.nothing()) + "\n"


def test_limits_and_packages_are_said_by_the_first_panel_of_a_notebook_and_by_whichever_has_new_ones(
    outputs: Outputs, comms: Comms
) -> None:
    def said_by(panel: Shown) -> tuple[int, bool]:
        panel.settle()
        view = comms.view_of(panel._widget) or {}
        return len(view["limits"]), "environment" in outputs.data[-2]["text/html"]

    limits = [shape_panel(make(), PANEL).limits for make in (samples.only_hits, samples.nasty)]
    assert [len(of) for of in limits] == [1, 1]
    assert said_by(Shown(samples.only_hits())) == (1, True)
    assert said_by(Shown(samples.only_hits())) == (0, False)
    assert said_by(Shown(samples.nasty())) == (1, False)
