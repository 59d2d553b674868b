"""The panels of finished cells, in both of Jupyter's applications; for the second cell also its program texts,
which come from the kernel and are linked line by line."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Open
from .notebook import APP, Notebook, check_that_it_can_be_read, dress, open_version

SETUP = """
%load_ext jitviz
import jax, jax.numpy as jnp

@jax.jit
def step(model, x):
    return jax.tree.map(lambda w: w - x.sum() * w, model)

model = {"w": jnp.ones((3, 2)), "b": jnp.ones(2)}
x4, x5, x6 = jnp.ones(4), jnp.ones(5), jnp.ones((2, 3))
"""
RECOMPILES = "%%filterjit\nfor x in (x4, x5, x6):\n    step(model, x)"
PROGRAM = """
%%filterjit
def layer(w, x):
    return jnp.tanh(x @ w)

@jax.jit
def learn(w, x):
    return jax.grad(lambda w: layer(w, x).sum())(w)

for n in (2, 5):
    learn(jnp.ones((3, 3)), jnp.ones((n, 3)))
""".strip()
CELLS = [SETUP, RECOMPILES, PROGRAM, "# nothing"]
CELL, COMPILED, LAST = 1, 2, 3


@pytest.fixture(scope="module", params=["lab", "notebook"])
def notebook(request: pytest.FixtureRequest, open_notebook: Open) -> Notebook:
    """A notebook whose second cell compiled three versions of `step`, and whose third two of `learn`."""
    notebook = open_notebook(f"panel_{request.param}.ipynb", CELLS, request.param)
    notebook.run(0, CELL, COMPILED)
    return notebook


@pytest.fixture
def panel(notebook: Notebook) -> Locator:
    panel = notebook.panel(CELL)
    panel.get_by_role("tab", name="Score").click()
    return panel


def test_the_title_comes_first_and_the_first_finding_names_the_culprit(panel: Locator) -> None:
    expect(panel.locator(".jitviz-title")).to_contain_text("to save")
    expect(panel.locator(".jitviz-finding .jitviz-culprit").first).to_have_text("x")


def test_the_static_html_gives_way_to_the_panel(notebook: Notebook, panel: Locator) -> None:
    static, live = notebook.outputs(CELL)
    expect(static).to_be_hidden()
    expect(live).to_be_visible()


def test_choosing_a_column_shows_why_it_compiled_and_all_of_its_leaves(panel: Locator) -> None:
    panel.get_by_role("grid").press("Home")
    expect(panel.get_by_role("heading", name="version 1").first).to_be_visible()
    open_version(panel, 2)
    expect(panel.get_by_role("deletion").first).to_have_text("f32[4]")
    panel.get_by_role("button", name="all leaves of this call").click()
    expect(panel.locator(".jitviz-leaves tbody").get_by_role("row")).to_have_accessible_name(
        "traced x f32[4] became f32[5] 20 B"
    )
    panel.get_by_role("button", name="close").click()


def test_a_text_is_looked_up_in_the_kernel(panel: Locator) -> None:
    open_version(panel, 3)
    panel.get_by_role("button", name="HLO of version 3", exact=True).click()
    expect(panel.get_by_role("region", name="hlo")).to_contain_text("HloModule jit_step")


def test_single_keys_inside_the_panel_belong_to_it(notebook: Notebook, panel: Locator) -> None:
    open_version(panel, 1)
    if not panel.get_by_role("searchbox").is_visible():
        panel.get_by_role("button", name="all leaves of this call").click()
    grid, search = (panel.get_by_role(role) for role in ("grid", "searchbox"))
    pressed = [(grid, key) for key in ("Home", "ArrowRight", "ArrowDown", "ArrowUp", "n", "p", "x")]
    pressed += [(grid, key) for key in ("Enter", "d", "d")]
    pressed += [(search, key) for key in "bda"]
    for part, key in pressed:
        part.press(key)
        assert (key, notebook.chosen, notebook.mode, notebook.n_cells) == (key, CELL, "command", len(CELLS))
    expect(search).to_have_value("bda")
    search.fill("")


def test_keys_with_a_modifier_belong_to_the_notebook_even_inside(notebook: Notebook, panel: Locator) -> None:
    is_changed = f"{APP}.shell.currentWidget.context.model.dirty"
    notebook.page.evaluate(f"{is_changed} = true")
    panel.get_by_role("grid").press("Control+s")
    notebook.page.wait_for_function(f"!{is_changed}")


def test_keys_outside_the_panel_belong_to_the_notebook(notebook: Notebook) -> None:
    cells = notebook.page.locator(".jp-Cell")
    notebook.prompt(LAST).click()
    notebook.page.keyboard.press("b")
    expect(cells).to_have_count(len(CELLS) + 1)
    assert notebook.chosen == LAST + 1
    notebook.page.keyboard.press("d")
    notebook.page.keyboard.press("d")
    expect(cells).to_have_count(len(CELLS))


# Each look in either application once: what is light and wide here is dark and narrow below.
def test_every_tab_can_be_read_by_everyone(notebook: Notebook, panel: Locator) -> None:
    dress(notebook, panel, *(("Light", 1400) if notebook.app == "lab" else ("Dark", 600)))
    for tab in ("Score", "Time", "Program"):
        panel.get_by_role("tab", name=re.compile(rf"^{tab}")).click()
        expect(panel.get_by_role("tab", name=re.compile(rf"^{tab}"))).to_have_attribute("aria-selected", "true")
        check_that_it_can_be_read(panel)


def test_headline_and_tabs_stay_at_the_top_of_the_notebook_while_a_tab_scrolls(
    notebook: Notebook, panel: Locator
) -> None:
    panel.get_by_role("tab", name="Time").click()
    notebook.page.set_viewport_size({"width": 1200, "height": 420})
    scroller, head = notebook.page.locator(".jp-WindowedPanel-outer").first, panel.locator(".jitviz-head")
    by = _edge(panel, "top") - _edge(scroller, "top") + 60
    scroller.evaluate("(el, by) => { el.scrollTop += by }", by)
    assert _holds(notebook.page, lambda: _edge(panel, "top") < _edge(scroller, "top") == _edge(head, "top"))


def _holds(page: Page, condition: Callable[[], bool]) -> bool:
    """Whether it holds once the page has been laid out again, which takes its time."""
    for _ in range(100):
        if condition():
            return True
        page.wait_for_timeout(100)
    return False


def _edge(part: Locator, side: str) -> float:
    return float(part.evaluate("(el, side) => el.getBoundingClientRect()[side]", side))


@pytest.fixture
def program(notebook: Notebook) -> Locator:
    """The panel, at the texts of the last version."""
    panel = notebook.panel(COMPILED)
    open_version(panel, 2)
    panel.get_by_role("button", name="jaxpr of version 2", exact=True).click()
    expect(_lines(panel, "jaxpr").first).to_be_visible()
    return panel


def _lines(panel: Locator, name: str, part: str = "") -> Locator:
    return panel.get_by_role("region", name=name, exact=True).locator(f".cm-line{part}")


def test_a_line_of_the_cell_highlights_its_equations_of_both_passes(program: Locator) -> None:
    _lines(program, "Source").filter(has_text="jnp.tanh").click()
    expect(program.locator(".jitviz-explanation-words")).to_contain_text("In [3]:3: ")
    expect(_lines(program, "jaxpr", ".jitviz-forward").filter(has_text="tanh")).to_have_count(1)
    expect(_lines(program, "jaxpr", ".jitviz-backward").filter(has_text="dot_general")).to_have_count(1)


def test_an_operation_leads_back_to_its_line_by_key(program: Locator) -> None:
    program.get_by_role("button", name="HLO", exact=True).click()
    _lines(program, "HLO").first.click()
    program.get_by_role("searchbox", name="search the HLO").fill("tanh(")
    program.get_by_role("searchbox", name="search the HLO").press("Enter")
    expect(_lines(program, "Source", ".jitviz-strong")).to_have_text("    return jnp.tanh(x @ w)")
    program.get_by_role("list", name="Call stack").get_by_role("button").last.click()
    expect(program.locator(".jitviz-explanation-words")).to_contain_text("In [3]:3: ")


def test_single_keys_in_a_text_belong_to_it(notebook: Notebook, program: Locator) -> None:
    text = program.get_by_role("textbox", name="jaxpr of learn, version 2")
    for key in ("ArrowDown", "End", "PageDown", "d", "d", "x", "b", "Enter", "Escape"):
        text.press(key)
        assert (key, notebook.chosen, notebook.mode, notebook.n_cells) == (key, COMPILED, "command", len(CELLS))
    expect(_lines(program, "jaxpr").first).to_contain_text("{ lambda")


def test_two_versions_are_compared_in_the_kernel(program: Locator) -> None:
    program.get_by_role("tab", name="Diff").click()
    expect(program.locator(".jitviz-summary")).to_contain_text("2 → 5")
    expect(program.locator(".cm-merge-b .cm-changedLine").first).to_contain_text("f32[5,3]")


def test_a_node_of_the_graph_leads_to_its_line(program: Locator) -> None:
    program.get_by_role("tab", name="Graph").click()
    program.get_by_role("button", name="tanh").click()
    expect(_lines(program, "jaxpr", ".jitviz-line-chosen")).to_contain_text("= tanh ")
    expect(_lines(program, "Source", ".jitviz-strong")).to_have_text("    return jnp.tanh(x @ w)")


def test_every_view_can_be_read_by_everyone(notebook: Notebook, program: Locator) -> None:
    dress(notebook, program, *(("Dark", 600) if notebook.app == "lab" else ("Light", 1400)))
    _lines(program, "Source").filter(has_text="jnp.tanh").click()
    signs = {
        "Code": ".jitviz-line-highlighted",
        "Graph": ".jitviz-picture svg",
        "Diff": ".cm-changedLine",
        "Cost": "dt",
    }
    for view, sign in signs.items():
        program.get_by_role("tab", name=view, exact=True).click()
        expect(program.locator(sign).first).to_be_visible()
        check_that_it_can_be_read(program)


def test_a_notebook_that_is_opened_again_has_the_panel_of_its_kernel(notebook: Notebook, panel: Locator) -> None:
    notebook.save()
    notebook.open()
    expect(panel.get_by_role("grid")).to_be_visible()
    open_version(panel, 1)
    panel.get_by_role("button", name="jaxpr of version 1", exact=True).click()
    expect(panel.get_by_role("region", name="jaxpr")).to_contain_text("{ lambda ;")
