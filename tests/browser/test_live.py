"""The panel while its cell runs, and what becomes of it, in JupyterLab."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .conftest import Open
from .notebook import Notebook, open_version

SETUP = """
%load_ext jitviz
import functools, pathlib, time
import jax, jax.numpy as jnp

@jax.jit
def slowly_traced(x):
    while not pathlib.Path("go").exists():
        time.sleep(0.05)
    return x

@functools.partial(jax.jit, static_argnums=1)
def slowly_compiled(x, n):
    for _ in range(n):
        x = jnp.sort(x) + 1
    return x

def compile_until_seen():
    n = 50
    while not pathlib.Path("seen").exists():
        slowly_compiled(x3, n)
        n = max(n + 1, 400)

@jax.jit
def step(x):
    return x + 1

x2, x3, x4 = jnp.ones(2), jnp.ones(3), jnp.ones(4)
"""
CELLS = [
    SETUP,
    "%%filterjit\nslowly_traced(x3)",
    "%%filterjit\ncompile_until_seen()",
    "%%filterjit\nstep(x2)\nraise ValueError('of the user')",
    "%%filterjit\nstep(x3)\nwhile True:\n    time.sleep(0.1)",
    "%jitviz report",
    "%%filterjit\nstep(x4)\nwhile True:\n    time.sleep(0.1)",
]
TRACED, COMPILED, RAISES, INTERRUPTED, REPORT, KILLED = range(1, 7)


@pytest.fixture(scope="module")
def notebook(open_notebook: Open) -> Notebook:
    notebook = open_notebook("live.ipynb", CELLS)
    notebook.run(0)
    return notebook


def bar(panel: Locator) -> Locator:
    return panel.locator(".jitviz-live")


def verdict(panel: Locator) -> Locator:
    return panel.locator(".jitviz-verdict")


def test_a_trace_under_way_is_a_bar_with_its_time(notebook: Notebook, folder: Path) -> None:
    panel = notebook.panel(TRACED)
    notebook.start(TRACED)
    expect(bar(panel)).to_contain_text("tracing slowly_traced")
    expect(verdict(panel)).to_contain_text("slowly_traced is still compiling")
    before = bar(panel).locator("b").inner_text()
    expect(bar(panel).locator("b")).not_to_have_text(before)
    (folder / "go").touch()
    notebook.wait(TRACED)
    expect(bar(panel)).to_have_count(0)
    expect(verdict(panel)).to_contain_text("compiling")


def test_a_compile_of_xla_is_seen_while_it_goes_on(notebook: Notebook, folder: Path) -> None:
    panel = notebook.panel(COMPILED)
    notebook.start(COMPILED)
    expect(bar(panel)).to_contain_text("compiling slowly_compiled")
    expect(notebook.prompt(COMPILED)).to_have_text("[*]:")
    (folder / "seen").touch()
    notebook.wait(COMPILED)
    expect(bar(panel)).to_have_count(0)


def test_after_an_error_the_panel_settles_and_says_so(notebook: Notebook) -> None:
    notebook.start(RAISES)
    notebook.wait(RAISES)
    expect(verdict(notebook.panel(RAISES))).to_contain_text("This cell raised ValueError")
    expect(bar(notebook.panel(RAISES))).to_have_count(0)


def test_after_an_interrupt_the_panel_settles_and_says_so(notebook: Notebook) -> None:
    panel = notebook.panel(INTERRUPTED)
    notebook.start(INTERRUPTED)
    expect(bar(panel)).to_have_text("recording · 1 compile so far")
    notebook.command("notebook:interrupt-kernel")
    notebook.wait(INTERRUPTED)
    expect(verdict(panel)).to_contain_text("This cell raised KeyboardInterrupt")
    expect(bar(panel)).to_have_count(0)


def test_a_report_is_one_panel_with_cells_as_bands(notebook: Notebook) -> None:
    notebook.run(REPORT)
    panel = notebook.panel(REPORT)
    expect(verdict(panel)).to_contain_text("One of these cells raised")
    expect(panel.get_by_role("grid", name="Calls of slowly_")).to_be_visible()  # whichever took longest
    panel.get_by_role("button", name="by time").click()
    expect(panel.get_by_role("application")).to_contain_text("slowly_traced")


def test_when_the_kernel_dies_the_panel_says_so(notebook: Notebook) -> None:
    panel, done = notebook.panel(KILLED), notebook.panel(COMPILED)
    notebook.start(KILLED)
    expect(verdict(panel)).to_contain_text("compiling")
    expect(bar(panel)).to_have_text("recording · 1 compile so far")
    notebook.restart()
    expect(panel).to_contain_text("The kernel is gone; this is what it had recorded.")
    expect(verdict(panel)).to_contain_text("compiling")
    open_version(done, 1)
    done.get_by_role("button", name="jaxpr of version 1").click()
    expect(done).to_contain_text("lambda")  # a small program is kept with the panel
    expect(done).to_contain_text("The texts are plain. The kernel is gone, so this can no longer be looked up.")


def test_a_panel_that_nobody_asked_for_is_drawn_for_the_browser_that_shows_it(open_notebook: Open) -> None:
    cells = ["%load_ext jitviz\nimport jax, jax.numpy as jnp", "%jitviz on", "jax.jit(jnp.sin)(jnp.ones(9))"]
    notebook = open_notebook("on.ipynb", cells)
    for number in range(3):
        notebook.run(number)
    panel = notebook.panel(2)
    expect(verdict(panel)).to_contain_text("compiling")
    expect(notebook.cell(2).locator("[id^=jitviz-static-]")).to_be_hidden()
    open_version(panel, 1)
    panel.get_by_role("button", name="jaxpr of version").last.click()
    expect(panel.get_by_role("region", name="jaxpr")).to_contain_text("f32[9]")
