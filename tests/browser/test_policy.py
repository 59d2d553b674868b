"""The widget under a content-security policy that allows one script, and as `blob:` only what that script unpacks.

The page replaces a notebook: it gives the widget its model, and Python what the model sends.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import jax
import numpy as np
from playwright.sync_api import Browser, expect

import jitviz
from jitviz.display.answers import UnansweredError, answer
from jitviz.display.assets import write_bundle
from jitviz.display.kept_answers import pack
from jitviz.display.widget import pack_panel
from jitviz.views import PANEL, shape_panel
from tests.capture.museum import NAMES

ADDRESS = "http://notebook.test/"
POLICY = "default-src 'none'; script-src 'nonce-r4nd0m' blob:; style-src 'unsafe-inline'; img-src data:"
HOST = """<!DOCTYPE html><title>notebook</title><main></main>
<script type="module" nonce="r4nd0m">
document.addEventListener("securitypolicyviolation", (event) => refused(event.effectiveDirective));
const { esm, view } = await start();
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
for (const [name, column] of Object.entries(view.timeline))
  if (typeof column === "string") view.timeline[name] = bytes(column);
const acts = [];
const model = {
  get: (name) => ({ view, kept: {}, static_id: "" })[name],
  on: (event, act) => event === "msg:custom" && acts.push(act),
  off: () => {},
  send: async (message) => {
    if (message.type !== "ask") return; // a tab that was left needs its answer no more
    const [reply, buffers] = await ask(message);
    for (const act of acts) act(reply, buffers.map(bytes));
  },
};
const widget = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
widget.default.render({ model, el: document.querySelector("main") });
</script>"""


def letters(packed: bytes) -> str:
    return b64encode(packed).decode()


def test_the_widget_works_and_hostile_strings_are_text_where_only_one_script_is_allowed(browser: Browser) -> None:
    text = NAMES["markup"] + "<img src=x onerror=alert(1)>"
    step = jax.jit(lambda tree, setting: next(iter(tree.values())) * 2, static_argnames="setting")
    with jitviz.record(text, sample=False) as rec:
        for size in (3, 4):
            step({text: np.ones(size, np.float32)}, setting=text)
    view = pack_panel(shape_panel(rec, PANEL))
    view["timeline"] = {
        name: letters(column) if isinstance(column, bytes) else column for name, column in view["timeline"].items()
    }

    def ask(message: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        try:
            packed = pack(answer(rec, message["kind"], message["params"]))
        except UnansweredError as refusal:
            return {"type": "error", "id": message["id"], "error": str(refusal)}, []
        return {"type": "answer", "id": message["id"]}, [letters(packed)]

    page, complaints, requests = browser.new_page(), list[str](), list[str]()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: requests.append(request.url))
    page.expose_function("refused", lambda directive: complaints.append(directive))
    page.expose_function("start", lambda: {"esm": write_bundle(), "view": view})
    page.expose_function("ask", ask)
    page.route(
        ADDRESS,
        lambda route: route.fulfill(body=HOST, content_type="text/html", headers={"Content-Security-Policy": POLICY}),
    )
    page.goto(ADDRESS)
    for tab in page.get_by_role("tab").all():
        tab.click()
        expect(page.get_by_role("tabpanel").first).to_be_visible()
        assert page.locator("main img[src=x], main script").count() == 0
    page.get_by_role("tab", name="Score").click()
    expect(page.get_by_role("rowheader").filter(has_text="onerror=alert(1)").first).to_be_visible()
    page.get_by_role("tab", name="Program").click()
    expect(page.get_by_role("tabpanel").first).to_contain_text("lambda")
    assert complaints == []
    assert [url for url in requests if not url.startswith((ADDRESS, "data:", "blob:"))] == []
    page.close()
