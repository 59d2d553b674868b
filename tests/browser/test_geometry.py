"""What stands on the first screen of a panel, in how many sizes of type and fills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import jitviz
from jitviz.display.page import write_page

# The type sizes of what is seen and written, without what is folded away.
SIZES = """() => [...new Set([...document.querySelectorAll(".jitviz *")].filter((el) =>
  el.checkVisibility() && !el.closest(".jitviz-hidden, svg") &&
  [...el.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
).map((el) => getComputedStyle(el).fontSize))]"""
# The opaque fills in the bar, above the columns and in the cells.
FILLS = """() => [...new Set([...document.querySelectorAll(".jitviz-bill i, .jitviz-score i, .jitviz-square")].map(
  (el) => getComputedStyle(el).backgroundColor).filter((fill) => !fill.endsWith(", 0)")))]"""
SECONDS = r"""() => [...document.querySelector(".jitviz").innerText.matchAll(/\d+(?:\.\d+)?\s(?:ms|s)\b/g)]
  .map(([said]) => said)"""


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page of a function of five arguments that compiled three times."""

    def step(model: Any, state: Any, x: Any, y: Any, rate: Any) -> Any:
        return jax.tree.map(lambda w: w - rate * jnp.sin(x).sum() * y.sum(), model), state

    jitted = jax.jit(step)
    model = {"w": np.ones((4, 4), np.float32), "b": np.ones(4, np.float32)}
    with jitviz.record("In [1]", sample=False) as rec:
        for n in (8, 8, 6, 8, 5):
            jitted(model, model, np.ones((n, 4), np.float32), np.ones(n, np.float32), 0.1)
    page = browser.new_page()
    page.goto(write_page(rec, tmp_path / "page.html").as_uri())
    page.wait_for_selector(".jitviz-finding")
    yield page
    page.close()


def bottom(page: Page, selector: str) -> float:
    return float(page.locator(selector).first.evaluate("(el) => el.getBoundingClientRect().bottom"))


@pytest.mark.parametrize(("width", "height", "most"), [(1400, 900, 560), (853, 480, 480)])
def test_the_score_and_the_first_finding_are_on_the_first_screen(
    page: Page, width: int, height: int, most: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.reload()  # how high a score may be follows from the window that it opens in
    page.wait_for_selector(".jitviz-finding")
    assert bottom(page, ".jitviz-score") < bottom(page, ".jitviz-finding") <= most
    assert page.locator("[role=rowheader]").count() >= 5


def test_twelve_functions_leave_room_for_the_first_finding(browser: Browser, tmp_path: Path) -> None:
    functions: dict[str, Any] = {}
    exec("\n".join(f"def step_{number}(x): return x * 2" for number in range(12)), functions)
    with jitviz.record("In [1]", sample=False) as rec:
        for number in range(12):
            jitted = jax.jit(functions[f"step_{number}"])
            for n in (8, 6):
                jitted(np.ones(n, np.float32))
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(write_page(rec, tmp_path / "page.html").as_uri())
    page.wait_for_selector(".jitviz-finding")
    assert bottom(page, ".jitviz-finding") <= 560
    page.get_by_role("button", name="more functions").click()
    page.get_by_role("button", name="fewer functions").wait_for()
    assert page.locator(".jitviz-folded").count() == 11
    page.close()


def test_there_are_four_sizes_of_type_and_six_fills(page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    assert len(page.evaluate(SIZES)) <= 4
    assert len(page.evaluate(FILLS)) <= 6


def test_a_quantity_is_told_twice_at_most_above_the_text_of_the_cell(page: Page) -> None:
    page.evaluate("() => document.querySelectorAll('.jitviz-cell').forEach((cell) => cell.remove())")
    said = Counter(page.evaluate(SECONDS))
    assert {text: times for text, times in said.items() if times > 2} == {}
