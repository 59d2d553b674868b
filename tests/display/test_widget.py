from __future__ import annotations

import gc
import gzip
import json
import threading
import weakref
from typing import Any

from jitviz.display import widget as widget_module
from jitviz.display.assets import write_bundle
from jitviz.display.widget import PanelWidget, pack_panel
from jitviz.recording import Recording
from jitviz.views import PANEL, shape_panel
from tests.display import samples
from tests.display.conftest import Comms

LISTING = {"type": "ask", "id": "token:1", "kind": "listing", "params": {"compile": 0, "name": "hlo"}}


def shown(view: dict[str, Any]) -> dict[str, Any]:
    """A view without the columns that are sent as bytes."""
    timeline = {name: column for name, column in view["timeline"].items() if not isinstance(column, bytes)}
    return view | {"timeline": timeline}


def drawn(recording: Recording) -> PanelWidget:
    widget = PanelWidget(recording)
    widget.refresh()
    return widget


def test_a_panel_opens_empty_and_is_drawn_by_its_first_refresh(comms: Comms) -> None:
    recording = samples.recompile_by_treedef()
    widget = PanelWidget(recording)
    assert comms.view_of(widget) is None
    widget.refresh()
    assert comms.view_of(widget) == shown(pack_panel(shape_panel(recording, PANEL)))


def test_columns_are_sent_as_buffers(comms: Comms) -> None:
    _, sent = comms.of(drawn(samples.recompile_by_treedef()))
    timeline = sent.data["state"]["view"]["timeline"]
    assert [name for name in timeline if name.startswith("call_")] == []
    assert [name for name in timeline if name.startswith("phase_")] == []
    assert sorted(map(len, sent.buffers)) == [8 * 4] * 4 + [12 * 4] * 5 + [8 * 8] * 3 + [12 * 8] * 3


def test_the_bundle_is_sent_once_and_panels_are_small(comms: Comms) -> None:
    panels = [drawn(samples.recompile_by_treedef()) for _ in range(30)]
    assert len({comms.of(panel)[0].data["state"]["assets"] for panel in panels}) == 1
    bundle = [message for message in comms.sent if write_bundle() == message.data.get("state", {}).get("_esm")]
    assert len(bundle) == 1
    assert sum(message.nbytes for message in comms.sent) < 1_000_000


def test_closed_assets_are_made_again(comms: Comms) -> None:
    first, second = drawn(samples.nothing()), None
    assert widget_module._assets is not None
    widget_module._assets.close()
    second = drawn(samples.nothing())
    assets = [comms.of(panel)[0].data["state"]["assets"] for panel in (first, second)]
    assert assets[0] != assets[1]


def test_a_question_is_answered_with_its_id(comms: Comms) -> None:
    (said,) = comms.say(PanelWidget(samples.recompile_by_treedef()), LISTING)
    assert said.data == {
        "method": "custom",
        "content": {"type": "answer", "id": "token:1"},
    }
    assert [json.loads(gzip.decompress(buffer)) for buffer in said.buffers] == [{"text": samples.HLO}]


def test_a_question_without_an_answer_gets_an_error(comms: Comms) -> None:
    (said,) = comms.say(
        PanelWidget(samples.recompile_by_treedef()), {**LISTING, "params": {"compile": 9, "name": "hlo"}}
    )
    error = "The recording has no compile 9; it has 2."
    assert said.data["content"] == {"type": "error", "id": "token:1", "error": error}


def test_an_aborted_question_gets_no_answer(comms: Comms) -> None:
    assert comms.say(PanelWidget(samples.nothing()), {"type": "abort", "id": "token:1"}) == []


def test_a_recording_that_grew_is_sent_again_once(comms: Comms) -> None:
    story = samples.recompile_by_treedef()
    growing = Recording(story.events[:-4])
    widget = drawn(growing)
    for event in story.events[-4:]:
        growing.append(event)
    widget.refresh()
    widget.refresh()
    assert [message.kind for message in comms.of(widget)] == ["comm_open", "comm_msg", "comm_msg"]
    assert comms.view_of(widget) == shown(pack_panel(shape_panel(growing, PANEL)))


def test_a_panel_can_be_refreshed_from_another_thread(comms: Comms) -> None:
    growing = Recording(samples.only_hits().events[:-1])
    widget = drawn(growing)
    growing.append(samples.only_hits().events[-1])
    other = threading.Thread(target=widget.refresh)
    other.start()
    other.join()
    view = comms.view_of(widget)
    assert view is not None
    assert view["is_finished"] is True


def test_each_panel_hides_its_own_static_html(comms: Comms) -> None:
    first, second = PanelWidget(samples.nothing()), PanelWidget(samples.nothing())
    assert first.static_id != second.static_id
    assert first.static_id.startswith("jitviz-static-")


def test_a_page_that_is_loaded_again_gets_the_whole_state(comms: Comms) -> None:
    panel = drawn(samples.recompile_by_treedef())
    opened, drawn_later = comms.of(panel)
    (again,) = comms.say(panel, None, method="request_state")
    assert again.data["state"] == opened.data["state"] | drawn_later.data["state"]
    assert again.buffers == drawn_later.buffers


def test_a_recording_that_is_let_go_is_freed_though_its_comm_stays_open(comms: Comms) -> None:
    recording, other = samples.recompile_by_treedef(), samples.recompile_by_treedef()
    panel, kept = drawn(recording), drawn(other)
    widget_module.let_go([recording])
    freed = weakref.ref(recording)
    del recording
    gc.collect()
    assert freed() is None
    (said,) = comms.say(panel, LISTING)
    assert said.data["content"]["error"] == "This recording was dropped by %jitviz clear."
    (said,) = comms.say(kept, LISTING)
    assert said.data["content"]["type"] == "answer"
