"""Program texts without the kernel that made them: in a panel whose kernel is gone, in a saved notebook, in a page."""

from __future__ import annotations

import gzip
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from playwright.sync_api import Browser, Page, expect

import jitviz
from jitviz.recording import Recording

from .conftest import Open
from .notebook import Notebook, open_version

CELLS = [
    "%load_ext jitviz\nimport jax, jax.numpy as jnp",
    """
%%filterjit
@jax.jit
def inner(x):
    return jnp.sin(x) * x

@jax.jit
def step(x):
    return inner(x) + jnp.cos(x).sum()

step(jnp.ones(3))
""".strip(),
]
CELL = 1


@pytest.fixture(scope="module")
def notebook(open_notebook: Open) -> Notebook:
    """A saved notebook whose kernel was restarted before anyone looked at a program."""
    notebook = open_notebook("kept_programs.ipynb", CELLS)
    notebook.run(0, CELL)
    notebook.save()
    notebook.restart()
    return notebook


def test_texts_that_nobody_looked_at_are_there_when_the_kernel_is_gone(notebook: Notebook) -> None:
    panel = notebook.panel(CELL)
    for name, words in (("jaxpr", "= sin"), ("StableHLO", "stablehlo.sine"), ("HLO", "ENTRY")):
        open_version(panel, 1)
        panel.get_by_role("button", name=f"{name} of version 1", exact=True).click()
        expect(panel.get_by_text(words).first).to_be_visible()


def test_a_graph_says_why_it_is_not_drawn_if_the_kernel_went_before_the_engine_came(notebook: Notebook) -> None:
    panel = notebook.panel(CELL)
    panel.get_by_role("tab", name="Program").click()
    panel.get_by_role("tab", name="Graph").click()
    expect(panel.get_by_role("status").first).to_contain_text("It is not drawn here: The kernel is gone")
    expect(panel.get_by_role("button", name="copy the graph as DOT")).to_be_visible()


def test_a_saved_notebook_gives_its_texts_whole_without_a_kernel(
    notebook: Notebook, open_notebook: Open, tmp_path: Path
) -> None:
    notebook.shut_down()
    again = open_notebook("kept_programs.ipynb")
    assert again.is_trusted
    with again.page.expect_download() as download:
        again.cell(CELL).get_by_role("link", name="HLO", exact=True).click()
    assert download.value.suggested_filename == "step-1.hlo.txt.gz"
    download.value.save_as(tmp_path / "hlo")
    assert gzip.decompress((tmp_path / "hlo").read_bytes()).startswith(b"HloModule jit_step")


@pytest.fixture
def recording() -> Recording:
    @jax.jit
    def inner(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * x

    @jax.jit
    def stepped(x: jax.Array) -> jax.Array:
        return inner(x) + 1

    with jitviz.record() as recording:
        stepped(jnp.ones(3))
        stepped(jnp.ones(4))
    return recording


@pytest.fixture
def asked() -> list[str]:
    """The addresses that the page has requested."""
    return []


@pytest.fixture
def page(browser: Browser, recording: Recording, tmp_path: Path, asked: list[str]) -> Page:
    """The page of a recording, opened from its file."""
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(recording.to_html(tmp_path / "page.html").as_uri())
    page.get_by_role("tab", name="Program").click()
    return page


def test_a_page_loads_its_editor_from_itself(page: Page, asked: list[str]) -> None:
    expect(page.locator(".cm-line").filter(has_text="= jit[").first).to_be_visible()
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [page.url.partition("#")[0]]
    page.close()


def test_a_page_compares_successive_versions(page: Page) -> None:
    page.get_by_role("tab", name="Diff").click()
    expect(page.locator(".jitviz-summary")).to_contain_text("3 → 4")
    page.close()


def test_a_page_holds_each_graph_as_it_opens_and_says_that_it_does(page: Page) -> None:
    page.get_by_role("tab", name="Graph").click()
    graph = page.locator(".jitviz-graph")
    expect(
        graph.get_by_role("button", name="jit inner").or_(graph.get_by_role("region", name="DOT text"))
    ).to_be_visible()
    page.get_by_role("button", name="close all").click()
    expect(graph.get_by_role("status").first).to_contain_text("A page holds each graph as it opens at first")
    page.close()


FORBIDDEN = """(ask) => new Promise((tell) => {
  document.addEventListener("securitypolicyviolation", (event) => tell(event.effectiveDirective), { once: true });
  ask().then(() => tell("loaded"), (error) => setTimeout(() => tell(`failed for ${error}`), 5_000));
})"""


@pytest.mark.parametrize(
    ("ask", "rule"),
    [("fetch('https://example.org')", "connect-src"), ("import('https://example.org/a.js')", "script-src-elem")],
)
def test_a_page_forbids_itself_the_network(page: Page, ask: str, rule: str) -> None:
    assert page.evaluate(f"({FORBIDDEN})(() => {ask})") == rule
    page.close()
