"""What a cell was compiled to, read in both of Jupyter's applications: texts from the kernel, linked line by line."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from .conftest import Open
from .notebook import Notebook

CELLS = [
    "%load_ext jitviz\nimport jax, jax.numpy as jnp",
    """
%%filterjit
def layer(w, x):
    return jnp.tanh(x @ w)

@jax.jit
def step(w, x):
    return jax.grad(lambda w: layer(w, x).sum())(w)

for n in (2, 5):
    step(jnp.ones((3, 3)), jnp.ones((n, 3)))
""".strip(),
    "# nothing",
]
CELL = 1


@pytest.fixture(scope="module", params=["lab", "notebook"])
def notebook(request: pytest.FixtureRequest, open_notebook: Open) -> Notebook:
    notebook = open_notebook(f"program_{request.param}.ipynb", CELLS, request.param)
    notebook.run(0, CELL)
    return notebook


@pytest.fixture
def panel(notebook: Notebook) -> Locator:
    """The panel, at the texts of the last version."""
    panel = notebook.panel(CELL)
    panel.get_by_role("tab", name="Versions").click()
    panel.get_by_role("button", name="jaxpr of version 2", exact=True).click()
    expect(_lines(panel, "jaxpr").first).to_be_visible()
    return panel


def _lines(panel: Locator, name: str, part: str = "") -> Locator:
    return panel.get_by_role("region", name=name, exact=True).locator(f".cm-line{part}")


def test_a_line_of_the_cell_lights_its_equations_of_either_pass(panel: Locator) -> None:
    _lines(panel, "Source").filter(has_text="jnp.tanh").click()
    expect(panel.locator(".jitviz-told-words")).to_contain_text("In [2]:3: ")
    expect(_lines(panel, "jaxpr", ".jitviz-forward").filter(has_text="tanh")).to_have_count(1)
    expect(_lines(panel, "jaxpr", ".jitviz-backward").filter(has_text="dot_general")).to_have_count(1)


def test_an_operation_leads_back_to_its_line_by_key(panel: Locator) -> None:
    panel.get_by_role("button", name="HLO", exact=True).click()
    _lines(panel, "HLO").first.click()
    panel.get_by_role("searchbox", name="search the HLO").fill("tanh(")
    panel.get_by_role("searchbox", name="search the HLO").press("Enter")
    expect(_lines(panel, "Source", ".jitviz-strong")).to_have_text("    return jnp.tanh(x @ w)")
    panel.get_by_role("list", name="Call stack").get_by_role("button").last.click()
    expect(panel.locator(".jitviz-told-words")).to_contain_text("In [2]:3: ")


def test_single_keys_in_a_text_are_its_own(notebook: Notebook, panel: Locator) -> None:
    text = panel.get_by_role("textbox", name="jaxpr of step, version 2")
    for key in ("ArrowDown", "End", "PageDown", "d", "d", "x", "b", "Enter", "Escape"):
        text.press(key)
        assert (key, notebook.chosen, notebook.mode, notebook.n_cells) == (key, CELL, "command", len(CELLS))
    expect(_lines(panel, "jaxpr").first).to_contain_text("{ lambda")


def test_two_versions_are_compared_in_the_kernel(panel: Locator) -> None:
    panel.get_by_role("tab", name="Diff").click()
    expect(panel.locator(".jitviz-summary")).to_contain_text("2 → 5")
    expect(panel.locator(".cm-merge-b .cm-changedLine").first).to_contain_text("f32[5,3]")


def test_a_node_of_the_graph_leads_to_its_line(panel: Locator) -> None:
    panel.get_by_role("tab", name="Graph").click()
    panel.get_by_role("button", name="tanh").click()
    expect(_lines(panel, "jaxpr", ".jitviz-line-chosen")).to_contain_text("= tanh ")
    expect(_lines(panel, "Source", ".jitviz-strong")).to_have_text("    return jnp.tanh(x @ w)")


@pytest.mark.parametrize(("theme", "width"), [("Light", 1400), ("Dark", 600)])
def test_every_view_can_be_read_by_everyone(notebook: Notebook, panel: Locator, theme: str, width: int) -> None:
    notebook.page.set_viewport_size({"width": width, "height": 1200})
    notebook.command("apputils:change-theme", theme=f"JupyterLab {theme}")
    expect(panel).to_have_attribute("data-theme", theme.lower())
    _lines(panel, "Source").filter(has_text="jnp.tanh").click()
    signs = {"Code": ".jitviz-line-lit", "Graph": ".jitviz-picture svg", "Diff": ".cm-changedLine", "Cost": "dt"}
    for view, sign in signs.items():
        panel.get_by_role("tab", name=view, exact=True).click()
        expect(panel.locator(sign).first).to_be_visible()
        found = Axe().run(notebook.page, context=".jitviz").response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert panel.evaluate("(el) => el.scrollWidth - el.clientWidth") == 0
