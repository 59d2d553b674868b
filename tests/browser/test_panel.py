"""The panels of finished cells, in both of Jupyter's applications; for the second cell also its program texts,
which come from the kernel and are linked line by line."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Open
from .notebook import APP, Notebook, check_that_it_can_be_read, dress

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


def step_of(number: int, gap: str) -> str:
    """The name of a call of `step`; it has no number if hits between calls are not seen."""
    return f"step{gap}call {number}" if sys.version_info >= (3, 12) else "step"


@pytest.fixture(scope="module", params=["lab", "notebook"])
def notebook(request: pytest.FixtureRequest, open_notebook: Open) -> Notebook:
    """A notebook whose second cell compiled three versions of `step`, and whose third two of `learn`."""
    notebook = open_notebook(f"panel_{request.param}.ipynb", CELLS, request.param)
    notebook.run(0, CELL, COMPILED)
    return notebook


@pytest.fixture
def panel(notebook: Notebook) -> Locator:
    panel = notebook.panel(CELL)
    panel.get_by_role("tab", name="Timeline").click()
    return panel


def test_seconds_come_first_and_the_first_finding_names_the_culprit(panel: Locator) -> None:
    expect(panel.locator(".jitviz-headline")).to_contain_text("of that was avoidable")
    panel.get_by_role("tab", name="Overview").click()
    expect(panel.locator(".jitviz-finding .jitviz-culprit")).to_have_text("x")


def test_the_cell_is_an_index_to_what_it_compiled(panel: Locator) -> None:
    panel.get_by_role("tab", name="Overview").click()
    line = panel.get_by_role("region", name="the text of In [2]").get_by_role("listitem").nth(2)
    expect(line).to_contain_text("step(model, x)")
    expect(line).to_contain_text("x changed its shape from f32[4] to f32[5]")


def test_the_static_html_gives_way_to_the_panel(notebook: Notebook, panel: Locator) -> None:
    static, live = notebook.outputs(CELL)
    expect(static).to_contain_text("were spent compiling")
    expect(static).to_be_hidden()
    expect(live).to_be_visible()


def test_choosing_a_call_in_the_timeline_moves_the_tree(panel: Locator) -> None:
    panel.get_by_role("application").press("Home")
    expect(panel.get_by_role("heading", name="Partition")).to_contain_text(f"of {step_of(1, ', ')}, version 1")
    panel.get_by_role("button", name="next call").click()
    expect(panel.get_by_role("heading", name="Partition")).to_contain_text(f"of {step_of(2, ', ')}, version 2")
    expect(panel.get_by_role("treeitem")).to_have_accessible_name("traced x f32[4] became f32[5] 20 B")


def test_choosing_a_leaf_in_the_tree_moves_the_timeline(panel: Locator) -> None:
    panel.get_by_role("application").press("End")
    panel.get_by_role("treeitem", name="traced x").click()
    panel.get_by_role("button", name="version 2").click()
    expect(panel.locator(".jitviz-call")).to_contain_text(f"{step_of(2, ' ')} · compile, version 2")
    expect(panel.get_by_role("treeitem", selected=True)).to_contain_text("f32[5]")


def test_a_text_is_looked_up_in_the_kernel(panel: Locator) -> None:
    panel.get_by_role("tab", name="Versions").click()
    panel.get_by_label("open of version 3 of step").click()
    panel.get_by_role("button", name="HLO of version 3", exact=True).click()
    expect(panel.get_by_role("region", name="hlo")).to_contain_text("HloModule jit_step")


def test_reasons_lead_to_their_leaf(panel: Locator) -> None:
    panel.get_by_role("tab", name="Versions").click()
    panel.get_by_role("button", name="more on version 2 of step").click()
    reasons = panel.get_by_role("region", name="version 2 of step")
    expect(reasons.get_by_role("deletion")).to_have_text("f32[4]")
    reasons.get_by_role("button", name="x", exact=True).click()
    expect(panel.get_by_role("treeitem", selected=True)).to_contain_text("f32[5]")


def test_single_keys_inside_the_panel_belong_to_it(notebook: Notebook, panel: Locator) -> None:
    timeline, tree, search = (panel.get_by_role(role) for role in ("application", "tree", "searchbox"))
    pressed = [(timeline, key) for key in ("Home", "ArrowRight", "ArrowDown", "ArrowUp", "+", "-", "0", "x")]
    pressed += [(tree, key) for key in ("ArrowDown", "ArrowUp", "Enter", "d", "d")]
    pressed += [(search, key) for key in "bda"]
    for part, key in pressed:
        part.press(key)
        assert (key, notebook.chosen, notebook.mode, notebook.n_cells) == (key, CELL, "command", len(CELLS))
    expect(search).to_have_value("bda")
    search.fill("")


def test_keys_with_a_modifier_belong_to_the_notebook_even_inside(notebook: Notebook, panel: Locator) -> None:
    is_changed = f"{APP}.shell.currentWidget.context.model.dirty"
    notebook.page.evaluate(f"{is_changed} = true")
    panel.get_by_role("application").press("Control+s")
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
    table = panel.get_by_role("button", name="table", exact=True)
    if table.get_attribute("aria-pressed") == "false":  # a tab keeps what it was left with
        table.click()
    for tab in ("Timeline", "Overview", "Time", "Versions", "Program", "Notes"):
        panel.get_by_role("tab", name=re.compile(rf"^{tab}(?!line)")).click()
        expect(panel.get_by_role("tab", name=re.compile(rf"^{tab}(?!line)"))).to_have_attribute("aria-selected", "true")
        check_that_it_can_be_read(panel)


def test_the_timeline_has_the_whole_width_and_the_tree_is_below_it(notebook: Notebook, panel: Locator) -> None:
    timeline, tree = panel.locator(".jitviz-timeline"), panel.locator(".jitviz-partition")
    expect(tree).to_be_visible()
    for width in (1400, 600):
        notebook.page.set_viewport_size({"width": width, "height": 1200})
        assert _holds(notebook.page, lambda: _edge(tree, "top") >= _edge(timeline, "bottom"))
        assert _edge(tree, "right") == _edge(timeline, "right")


def test_headline_and_tabs_stay_at_the_top_of_the_notebook_while_a_tab_scrolls(
    notebook: Notebook, panel: Locator
) -> None:
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
    panel.get_by_role("tab", name="Versions").click()
    panel.get_by_label("open of version 2 of").click()
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
    panel.get_by_role("tab", name="Timeline").click()
    expect(panel.get_by_role("treeitem").first).to_be_visible()
    panel.get_by_role("tab", name="Versions").click()
    panel.get_by_label("open of version 1 of").click()
    panel.get_by_role("button", name="jaxpr of version 1", exact=True).click()
    expect(panel.get_by_role("region", name="jaxpr")).to_contain_text("{ lambda ;")
