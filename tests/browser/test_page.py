from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import jitviz
from jitviz.display.page import write_page
from jitviz.recording import Recording
from tests.capture import museum
from tests.display import samples

from .notebook import open_version


class Visit:
    """A page opened from its file, with its requests and complaints."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text))

    def open(self, recording: samples.Sample | Recording) -> Page:
        address = write_page(recording, self.folder / "page.html").as_uri()
        self.page.goto(address)
        self.requests.remove(address)
        return self.page

    @property
    def foreign(self) -> list[str]:
        return [url for url in self.requests if not url.startswith(("data:", "blob:"))]


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Visit]:
    page = browser.new_page()
    visit = Visit(page, tmp_path)
    yield visit
    assert visit.complaints == []
    page.close()


def test_every_tab_of_a_page_works_from_a_file_without_any_request(visit: Visit) -> None:
    page = visit.open(samples.recompile_by_treedef())
    expect(page.get_by_role("grid", name="Calls of step")).to_be_visible()
    expect(page.locator("#jitviz-static")).to_be_hidden()
    page.get_by_role("button", name="by time").click()
    expect(page.get_by_role("application", name="Timeline of 2.3 s")).to_be_visible()
    page.get_by_role("button", name="by call").click()
    open_version(page, 2)
    expect(page.get_by_role("tabpanel")).to_contain_text("Make the first state in the shape that the update returns")
    page.get_by_role("button", name="HLO of version 2", exact=True).click()
    expect(page.get_by_role("region", name="hlo")).to_contain_text("calls=%fused_computation.30")
    page.get_by_role("tab", name="Time").click()
    expect(page.get_by_role("tabpanel").first).to_contain_text("tracing")
    assert visit.foreign == []


def test_whichever_tab_is_open_the_static_text_is_printed(visit: Visit) -> None:
    page = visit.open(samples.recompile_by_treedef())
    page.get_by_role("tab", name="Time").click()
    page.emulate_media(media="print")
    expect(page.locator("#jitviz-panel")).to_be_hidden()
    expect(page.locator("#jitviz-static")).to_contain_text("830 ms to save of 2.3 s")


def test_without_scripts_the_static_text_stays(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = Visit(context.new_page(), tmp_path).open(samples.recompile_by_treedef())
    expect(page.locator("#jitviz-static")).to_contain_text("830 ms to save of 2.3 s")
    context.close()


def test_all_leaves_of_a_huge_tree_can_be_found(visit: Visit) -> None:
    page = visit.open(samples.huge())
    open_version(page, 2)
    page.get_by_role("button", name="all leaves of this call").click()
    page.get_by_role("button", name="only what changed").click()
    page.get_by_role("searchbox").fill("block99 w199")
    expect(page.locator(".jitviz-leaves tbody tr")).to_have_count(1)
    expect(page.locator(".jitviz-leaves tbody th")).to_contain_text("['w199']")


@pytest.mark.parametrize("name", ["markup", "bidi", "control", "surrogates"])
def test_hostile_strings_are_text_in_every_tab(visit: Visit, name: str) -> None:
    text = museum.NAMES[name] + "<img src=x onerror=alert(1)>"
    namespace: dict[str, Any] = {}
    exec(compile("def step(tree, setting):\n    return 1.0", text, "exec"), namespace)
    step = jax.jit(namespace["step"], static_argnames="setting")
    with jitviz.record(text, sample=False) as rec:
        step({text: np.ones(3)}, setting=text)
        step({text: np.ones(4)}, setting=text + "2")
    page = visit.open(rec)
    page.on("dialog", lambda dialog: visit.complaints.append(dialog.message))
    for tab in page.get_by_role("tab").all():
        tab.click()
        expect(page.get_by_role("tabpanel").first).to_be_visible()
        assert page.locator("main img[src=x], main script").count() == 0
    page.get_by_role("tab", name="Score").click()
    expect(page.get_by_role("rowheader").filter(has_text="onerror=alert(1)").first).to_be_visible()
    assert visit.foreign == []


def test_a_link_opens_its_tab_and_call_and_back_returns(visit: Visit) -> None:
    page = visit.open(samples.recompile_by_treedef())
    page.get_by_role("grid").press("Home")
    expect(page.get_by_role("heading", name="step call 1")).to_be_visible()
    link = page.url
    assert "#tab=score&call=0" in link
    page.get_by_role("tab", name="Time").click()
    page.go_back()
    expect(page.get_by_role("tab", name="Score")).to_have_attribute("aria-selected", "true")
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_role("heading", name="step call 1")).to_be_visible()


def test_a_link_opens_the_text_and_the_line_of_a_program_and_back_returns_to_the_text_before(visit: Visit) -> None:
    page = visit.open(samples.recompile_by_treedef())
    page.get_by_role("tab", name="Program").click()
    line = page.locator(".jitviz-pane-jaxpr .cm-line", has_text="dot_general").first
    line.click()
    expect(page.locator(".jitviz-line-chosen")).to_contain_text("dot_general")
    link = page.url
    assert "&function=step&" in link
    assert "&place=code+jaxpr&line=jaxpr+2" in link
    page.get_by_role("button", name="StableHLO", exact=True).click()
    expect(page.locator(".jitviz-pane-stablehlo")).to_be_visible()
    page.go_back()
    expect(page.locator(".jitviz-pane-jaxpr")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("tab", name="Score")).to_have_attribute("aria-selected", "true")
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".jitviz-line-chosen")).to_contain_text("dot_general")
