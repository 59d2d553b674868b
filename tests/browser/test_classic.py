"""The panel in Notebook 6 with ipywidgets 7, which Colab has: live, saved, and opened again without its kernel."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from .notebook import PATIENCE_MS, foreign_requests, write_notebook
from .servers import serve_classic

pytestmark = pytest.mark.skipif(version("notebook").partition(".")[0] != "6", reason="it is about Notebook 6")

SOURCES = [
    "%load_ext jitviz\nimport asyncio, jax, jax.numpy as jnp",
    "%%filterjit\nstep = jax.jit(lambda x: jnp.sin(x).sum())\nfor n in (3, 3, 4):\n    step(jnp.ones(n))",
    "%%filterjit --cell\ny = jnp.ones(3) * 2\ny + 1",
    "%%filterjit\nawait asyncio.sleep(0)\nstep(jnp.ones(5))",
    "%%filterjit --quiz\nstep(jnp.ones(6))",
    "%%filterjit\nstep(jnp.ones(7))\n1 / 0",
]
# On a busy machine the kernel is there before the widget manager, to which a panel is lost that comes before it.
CONNECTED = (
    "window.Jupyter?.notebook?.kernel?.is_connected() && Jupyter.notebook.kernel.info_reply.status"
    " && 'jupyter.widget' in Jupyter.notebook.kernel.comm_manager.targets"
)
DONE = "Jupyter.notebook.get_cells().every((cell) => !cell.get_text() || cell.input_prompt_number > 0)"
NO_SESSION = "async () => (await (await fetch('/api/sessions')).json()).length === 0"
# Only where hits are seen is there a choice.
QUESTION = "call 1: hit or compile?" if sys.version_info >= (3, 12) else "what made version 4 compile?"
LOST = "could not be displayed"


@pytest.fixture(scope="module")
def address(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("classic")
    write_notebook(folder / "cells.ipynb", SOURCES)
    with serve_classic(folder, tmp_path_factory.mktemp("jupyter")) as server:
        yield f"{server}/notebooks/cells.ipynb"


def opened(page: Page, address: str) -> Page:
    """The notebook with its kernel; opened once more where it was given one that is being ended."""
    page.goto(address)
    try:
        page.wait_for_function(CONNECTED, timeout=PATIENCE_MS / 3)
    except Error:
        page.goto(address)
        page.wait_for_function(CONNECTED)
    return page


def test_a_panel_is_live_and_a_notebook_that_is_opened_again_shows_the_static_html(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    foreign = foreign_requests(page, address.partition("/notebooks/")[0])
    opened(page, address).evaluate("Jupyter.notebook.execute_all_cells()")
    page.wait_for_function(DONE)
    cells = page.locator("div.cell")
    for number in (1, 2, 3, 5):
        expect(cells.nth(number).locator(".jitviz-verdict")).to_be_visible()
    expect(cells.nth(4).locator(".jitviz")).to_contain_text(QUESTION)
    expect(cells.nth(1).locator(".jitviz")).to_contain_text("changed its shape")
    expect(page.locator("[id^=jitviz-static-]").filter(visible=True)).to_have_count(0)
    cells.nth(1).get_by_role("tab", name="Program").click()
    # the kernel sends it when it is asked
    expect(cells.nth(1).locator(".jitviz")).to_contain_text("= sin ")

    page.evaluate("Jupyter.notebook.save_notebook()")
    page.evaluate("Jupyter.notebook.session.delete()")
    # What is opened before the server has forgotten the session gets the kernel that is being ended.
    page.wait_for_function(NO_SESSION)
    opened(page, address)
    expect(page.get_by_text(LOST).first).to_be_attached()  # Jupyter has looked for the widget by now
    expect(page.get_by_text(LOST).filter(visible=True)).to_have_count(0)
    expect(page.locator("[id^=jitviz-static-]").filter(visible=True)).to_have_count(5)
    assert foreign == []
    page.close()
