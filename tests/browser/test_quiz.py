"""A quiz before the panel, answered by key, in JupyterLab."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from .conftest import Open
from .notebook import Notebook, check_that_it_can_be_read, dress

SETUP = """
%load_ext jitviz
import jax.numpy as jnp, jitviz

@jitviz.filter_jit
def step(model, x):
    return x * model["w"] if model["mode"] == "train" else x

model = {"w": jnp.ones(3), "mode": "train"}
"""
CELL = "%%filterjit --quiz\nprint('printed')\nfor n in (3, 3, 1):\n    step(model, jnp.ones(n))\n41 + 1"
ASKED, SKIPPED = 1, 2


@pytest.fixture(scope="module")
def notebook(open_notebook: Open) -> Notebook:
    notebook = open_notebook("quiz.ipynb", [SETUP, CELL, CELL, "# nothing"])
    notebook.run(0, ASKED, SKIPPED)
    return notebook


@pytest.fixture
def panel(notebook: Notebook) -> Locator:
    return notebook.panel(ASKED)


def test_the_questions_hold_back_the_panel_and_not_what_the_cell_put_out(notebook: Notebook, panel: Locator) -> None:
    expect(panel.get_by_role("group", name="step, call 2 at In [2]:4")).to_be_visible()
    expect(panel.get_by_role("tab")).to_have_count(0)
    expect(panel).not_to_contain_text("f32")
    shown = [output.inner_text().split() for output in notebook.outputs(ASKED) if output.is_visible()]
    assert [texts[-1] for texts in shown[:2]] == ["printed", "42"]


@pytest.mark.parametrize(("theme", "width"), [("Light", 1400), ("Dark", 600)])
def test_the_questions_can_be_read_by_everyone(notebook: Notebook, panel: Locator, theme: str, width: int) -> None:
    dress(notebook, panel, theme, width)
    check_that_it_can_be_read(panel)


def test_a_quiz_is_answered_by_key_alone(notebook: Notebook, panel: Locator) -> None:
    keyboard = notebook.page.keyboard
    panel.get_by_role("radio", name="hit").first.focus()
    keyboard.press("ArrowRight")  # call 1: compile
    expect(panel.get_by_role("radio", name="compile").first).to_be_checked()
    keyboard.press("Tab")
    keyboard.press("Space")  # call 2: hit
    keyboard.press("Tab")
    keyboard.press("Space")  # call 3: hit, which is wrong
    keyboard.press("Tab")
    keyboard.press("Tab")
    keyboard.press("Space")  # the second leaf, model['w'], is traced
    expect(panel.get_by_role("checkbox", name="model['w']")).to_be_checked()
    keyboard.press("Enter")
    marks = panel.locator(".jitviz-marks").get_by_role("listitem")
    expect(marks).to_have_count(6)
    expect(marks.nth(0)).to_contain_text("right")
    expect(marks.nth(2)).to_contain_text("wrong")
    expect(marks.nth(2)).to_contain_text("compile; you said hit")
    expect(marks.nth(2)).to_contain_text("x changed its shape from f32[3] to f32[1]")
    expect(panel.get_by_role("heading", name="Quiz: 4 of 6 right")).to_be_focused()
    expect(panel.locator(".jitviz-title")).to_contain_text(" s")
    assert (notebook.chosen, notebook.mode, notebook.n_cells) == (ASKED, "command", 4)


@pytest.mark.parametrize(("theme", "width"), [("Light", 1400), ("Dark", 600)])
def test_the_answers_can_be_read_by_everyone(notebook: Notebook, panel: Locator, theme: str, width: int) -> None:
    dress(notebook, panel, theme, width)
    check_that_it_can_be_read(panel)


def test_a_quiz_can_be_skipped_and_no_kernel_is_needed_to_answer(notebook: Notebook) -> None:
    panel = notebook.panel(SKIPPED)
    notebook.shut_down()
    panel.get_by_role("button", name="Skip the quiz").click()
    expect(panel.locator(".jitviz-title")).to_contain_text("all hits")
    expect(panel.locator(".jitviz-quiz")).to_have_count(0)
