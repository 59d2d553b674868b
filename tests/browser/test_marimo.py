"""The panel in marimo, whose notebooks are Python files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from .notebook import foreign_requests, open_version
from .servers import serve_marimo

NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import jax, jax.numpy as jnp, jitviz

    @jax.jit
    def step(x):
        return jnp.sin(x)

    with jitviz.record() as rec:
        for n in (4, 5):
            step(jnp.ones(n))
    jitviz.show(rec)
    return
"""


@pytest.fixture
def page(context: BrowserContext, tmp_path: Path) -> Iterator[Page]:
    """A notebook that is open and has not run."""
    notebook = tmp_path / "notebook.py"
    notebook.write_text(NOTEBOOK)
    with serve_marimo(notebook, tmp_path) as server:
        page = context.new_page()
        foreign = foreign_requests(page, server)
        page.goto(server)
        yield page
        page.close()
        assert foreign == []


def test_a_recording_is_shown_as_a_live_panel(page: Page) -> None:
    page.locator(".cm-content", has_text="import jax").press("Control+Enter")
    panel = page.locator(".jitviz")
    expect(panel.locator(".jitviz-title")).to_contain_text(" s")
    expect(panel).to_have_attribute("data-theme", "light")
    open_version(panel, 2)
    panel.get_by_role("button", name="jaxpr of version 2", exact=True).click()
    expect(panel.get_by_role("region", name="jaxpr")).to_contain_text("f32[5]")
