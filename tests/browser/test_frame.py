"""The panel in an output frame like Colab's: sandboxed, dark, and without widgets until their manager is there."""

from __future__ import annotations

import base64
import json
from html import escape
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from jitviz.display.assets import read_text, write_bundle
from jitviz.display.html import fragment
from jitviz.display.widget import pack_panel
from jitviz.views import PANEL, shape_panel
from tests.display import samples

STATIC = "jitviz-static-0123456789ab"
BACKGROUND = {"light": "#fff", "dark": "#383838"}
# Python writes DATA in front of it. The manager is there when the test says so, and may refuse.
SCRIPT = """
const read = (part) => Array.isArray(part) ? part.map(read)
  : typeof part !== "object" || part === null ? part
  : "bytes" in part ? new DataView(Uint8Array.from(atob(part.bytes), (one) => one.charCodeAt(0)).buffer)
  : Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, read(inner)]));
const state = { view: read(DATA.view), kept: {}, static_id: DATA.id, assets: "anywidget:abc" };
const arrived = new Promise((arrive, refuse) => Object.assign(window, { arrive, refuse }));
const widget_manager = { get_model: async () => { await arrived; return { get: () => DATA.bundle }; } };
const model = { get: (name) => state[name], on() {}, off() {}, send() {}, widget_manager };
const loader = await import(URL.createObjectURL(new Blob([DATA.loader], { type: "text/javascript" })));
window.drawn = loader.default.render({ model, el: document.getElementById("widget") }).catch(() => "refused");
"""


def _plain(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _plain(inner) for name, inner in part.items()}
    if isinstance(part, list | tuple):
        return [_plain(inner) for inner in part]
    return {"bytes": base64.b64encode(part).decode()} if isinstance(part, bytes | memoryview) else part


def _frame(theme: str) -> str:
    recording = samples.recompile_by_treedef()
    data = {"view": _plain(pack_panel(shape_panel(recording, PANEL))), "id": STATIC}
    data |= {"bundle": write_bundle(), "loader": read_text("loader.js")}
    script = f"const DATA = {json.dumps(data)};".replace("</", r"<\/") + SCRIPT
    body = (
        f'<div id="{STATIC}">{fragment(recording)}</div><div id="widget"></div><script type="module">{script}</script>'
    )
    ink = "#e3e3e3" if theme == "dark" else "#212121"
    style = f"<style>body {{ background: {BACKGROUND[theme]}; color: {ink} }}</style>"
    return f'<iframe sandbox="allow-scripts" srcdoc="{escape(f"<!doctype html>{style}<body>{body}")}"></iframe>'


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("refuses", [False, True])
def test_the_static_html_is_there_until_the_widget_is(browser: Browser, theme: str, refuses: bool) -> None:
    page = browser.new_page()
    page.set_content(_frame(theme))
    frame = page.frames[1]
    frame.wait_for_function("'drawn' in window")
    expect(frame.locator(f"#{STATIC}")).to_be_visible()
    frame.evaluate("async (refuses) => { refuses ? refuse() : arrive(); await drawn; }", refuses)
    if refuses:
        expect(frame.locator(f"#{STATIC}")).to_be_visible()
    else:
        expect(frame.locator(f"#{STATIC}")).to_be_hidden()
        expect(frame.locator(".jitviz .jitviz-verdict")).to_be_visible()
        expect(frame.locator(".jitviz")).to_have_attribute("data-theme", theme)
    page.close()
