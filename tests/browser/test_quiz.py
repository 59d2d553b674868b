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
CELL = "%%filterjit --quiz\nprint('printed')\nfor n in (3, 3, 1):\n    step(model, jnp.ones((n, 3)))\n41 + 1"
ASKED, SKIPPED = 1, 2


@pytest.fixture(scope="module")
def notebook(open_notebook: Open) -> Notebook:
    notebook = open_notebook("quiz.ipynb", [SETUP, CELL, CELL.replace("3, 3, 1", "2, 5"), "# nothing"])
    notebook.run(0, ASKED, SKIPPED)
    return notebook


@pytest.fixture
def panel(notebook: Notebook) -> Locator:
    return notebook.panel(ASKED)


def test_the_questions_hold_back_the_panel_and_not_what_the_cell_put_out(notebook: Notebook, panel: Locator) -> None:
    expect(panel.get_by_role("heading", name="1 of 3: call 2: hit or compile?")).to_be_visible()
    expect(panel.get_by_role("tab")).to_have_count(0)
    expect(panel.locator(".jitviz-cause:not(.jitviz-swatch)")).to_have_count(0)
    shown = [output.inner_text().split() for output in notebook.outputs(ASKED) if output.is_visible()]
    assert [texts[-1] for texts in shown[:2]] == ["printed", "42"]


@pytest.mark.parametrize(("theme", "width"), [("Light", 1400), ("Dark", 600)])
def test_the_questions_can_be_read_by_everyone(notebook: Notebook, panel: Locator, theme: str, width: int) -> None:
    dress(notebook, panel, theme, width)
    check_that_it_can_be_read(panel)


def test_a_quiz_is_answered_by_key_alone(notebook: Notebook, panel: Locator) -> None:
    keyboard = notebook.page.keyboard
    for outcome in ("hit", "compile"):
        panel.get_by_role("button", name=outcome, exact=True).press("Enter")
    expect(panel.get_by_role("heading", name="3 of 3: what made call 3 compile?")).to_be_visible()
    expect(panel.get_by_role("grid")).to_be_focused()
    keyboard.press("Control+End")  # x
    keyboard.press("Enter")
    expect(panel.get_by_role("status").first).to_contain_text("✓ right: x f32[3,3] → f32[1,3]")
    expect(panel.get_by_role("heading", name="Quiz: 3 of 3 right")).to_be_focused()
    expect(panel.locator(".jitviz-title")).to_contain_text(" s")
    assert (notebook.chosen, notebook.mode, notebook.n_cells) == (ASKED, "command", 4)


def test_a_quiz_can_be_skipped_and_no_kernel_is_needed_to_answer(notebook: Notebook) -> None:
    panel = notebook.panel(SKIPPED)
    notebook.shut_down()
    panel.get_by_role("button", name="Skip the quiz").click()
    expect(panel.get_by_role("tab").first).to_be_visible()
    expect(panel.get_by_role("button", name="Take the quiz")).to_be_visible()
