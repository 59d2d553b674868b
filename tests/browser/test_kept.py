"""A notebook of many panels: its size, and what is left of it without its kernel, trust or Jupyter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import Open
from .notebook import Notebook, write_notebook

SETUP = """
%load_ext jitviz
import jax, jax.numpy as jnp
import jitviz.ipython.cell_panel

jitviz.ipython.cell_panel.PERIOD_S = 3600  # each panel is sent at its start and its end, however slow the machine is

@jax.jit
def step(model, x):
    return jax.tree.map(lambda w: w - x.sum() * w, model)

model = {"w": jnp.ones((3, 2)), "b": jnp.ones(2)}
batches = [jnp.ones(n) for n in range(1, 11)]
"""
N_PANELS = 10
SOURCES = [SETUP, *(f"%%filterjit\nmodel = step(model, batches[{n}])" for n in range(N_PANELS))]
VERDICT = re.compile(r" to save of | compiling(?:$|, nothing to save|, .* to save, estimated)")
LOST = "model not found"  # what Jupyter shows in place of a missing widget


@pytest.fixture(scope="module")
def notebook(open_notebook: Open) -> Notebook:
    """A notebook of ten small panels, run and saved."""
    notebook = open_notebook("many.ipynb", SOURCES, "notebook")
    notebook.command("notebook:run-all-cells")
    expect(notebook.panel(N_PANELS)).to_be_visible()
    notebook.save()
    return notebook


@pytest.fixture(scope="module")
def kept(notebook: Notebook, folder: Path) -> Path:
    return folder / "many.ipynb"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def test_small_panels_make_small_notebooks(kept: Path, tmp_path: Path) -> None:
    write_notebook(tmp_path / "plain.ipynb", SOURCES)
    added = kept.stat().st_size - (tmp_path / "plain.ipynb").stat().st_size
    assert kept.read_text().count("widget-view") == N_PANELS
    assert added / N_PANELS < 60_000


def test_small_panels_are_little_traffic(notebook: Notebook) -> None:
    # about 32 kB a panel, a third of it its static HTML
    assert 10_000 < notebook.received / N_PANELS < 50_000


def test_a_saved_notebook_holds_neither_the_bundle_nor_the_state_of_widgets(kept: Path) -> None:
    assert "widgets" not in nbformat.read(kept, as_version=4).metadata
    assert "getWidget" not in kept.read_text()


def shown(notebook: Notebook, number: int) -> list[str]:
    return [_first_line(output) for output in notebook.outputs(number) if output.is_visible()]


def _first_line(output: Locator) -> str:
    return output.inner_text().strip().partition("\n")[0]


def test_without_its_kernel_a_notebook_shows_the_static_html(notebook: Notebook, open_notebook: Open) -> None:
    notebook.shut_down()
    again = open_notebook("many.ipynb")
    assert again.is_trusted
    # Jupyter has looked for the widget by now, and has not found it.
    expect(again.cell(1).locator(".jupyter-widgets")).to_contain_text(LOST)
    expect(again.page.get_by_text(LOST).filter(visible=True)).to_have_count(0)
    expect(again.panel(1)).to_have_count(0)
    assert VERDICT.search(next(line for line in shown(again, 1) if line))


def test_without_trust_a_notebook_shows_the_static_html(kept: Path, folder: Path, open_notebook: Open) -> None:
    # Changed by somebody else, so that this Jupyter has not signed it.
    kept_by_other = json.loads(kept.read_text())
    kept_by_other["cells"] = kept_by_other["cells"][:3]
    kept_by_other["cells"][0]["source"] = "# mine"
    for cell in kept_by_other["cells"]:
        cell["metadata"].pop("trusted", None)
        for output in cell["outputs"]:
            output["metadata"] = {"by": "other"}
    (folder / "other.ipynb").write_text(json.dumps(kept_by_other))
    other = open_notebook("other.ipynb", app="notebook")
    assert not other.is_trusted
    expect(other.cell(1).locator("details").first).to_be_visible()
    expect(other.page.get_by_text(LOST)).to_have_count(0)
    assert VERDICT.search(shown(other, 1)[0])


def test_converted_to_html_a_notebook_shows_the_static_html(kept: Path, tmp_path: Path, page: Page) -> None:
    from nbconvert import HTMLExporter  # which takes a second to import

    html, _ = HTMLExporter().from_filename(str(kept))
    converted = tmp_path / "many.html"
    converted.write_text(html, encoding="utf-8")
    page.goto(converted.as_uri())  # nbconvert's own template asks the network, in vain
    expect(page.get_by_text(VERDICT).filter(visible=True)).to_have_count(N_PANELS)
    expect(page.get_by_text(LOST)).to_have_count(0)
