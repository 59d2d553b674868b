"""Take the pictures of the README and the manual again: `python notebooks/pictures.py`.

In: the first notebook, which `jitviz demo` runs, and the script below; it needs the extra `test`, and Chromium.
Out: `images/`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import jax.numpy as jnp
from playwright.sync_api import Page, sync_playwright

import jitviz
from jitviz.views import shape_panel

IMAGES = Path(__file__).parent / "images"
DEEP = """
import jax
import jax.numpy as jnp
import numpy as np
import optax


def block(layer, x):
    h = jax.nn.gelu(x @ layer["up"])
    return x + h @ layer["down"]


def loss(params, x, y):
    for layer in params:
        x = block(layer, x)
    return jnp.mean((x.sum(-1) - y) ** 2)


optim = optax.sgd(1e-3)


@jax.jit
def step(params, state, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    updates, state = optim.update(grads, state)
    return optax.apply_updates(params, updates), state, value


params = [{"up": np.ones((16, 64), np.float32), "down": np.ones((64, 16), np.float32)} for _ in range(8)]
state = optim.init(params)
for size in (128, 72):
    params, state, value = step(params, state, np.ones((size, 16), np.float32), np.ones(size, np.float32))
"""


QUIZ = """
@jitviz.filter_jit
def power(x, n):
    return x**n


power(jnp.ones(3), 2)
power(jnp.zeros(3), 2)
power(jnp.ones(4), 2)
power(jnp.ones(3), 3)
"""


def main() -> None:
    with TemporaryDirectory() as elsewhere, sync_playwright() as playwright:
        folder = Path(elsewhere)
        (folder / "train.py").write_text(DEEP, encoding="utf-8")
        for arguments in (["demo", "--html", "demo.html"], ["run", "--html", "train.html", "train.py"]):
            subprocess.run([sys.executable, "-m", "jitviz", *arguments], cwd=folder, check=True, capture_output=True)
        write_quiz(folder / "quiz.html")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            context = browser.new_context(color_scheme=scheme, device_scale_factor=1.25)
            page = context.new_page()
            take_panel(page, folder / "demo.html", f"panel_{scheme}.png")
            take_program(page, folder / "train.html", f"program_{scheme}.png")
            if scheme == "light":
                take_tabs(page)
                take_quiz(page, folder / "quiz.html")


def write_quiz(file: Path) -> None:
    """A page that asks first, as `%%filterjit --quiz` does."""
    with jitviz.record() as rec:
        exec(compile(QUIZ, "quiz.py", "exec"), {"jitviz": jitviz, "jnp": jnp})
    with patch("jitviz.display.page.shape_panel", partial(shape_panel, has_quiz=True)):
        rec.to_html(file)


def take_panel(page: Page, file: Path, name: str) -> None:
    """The score and the first finding."""
    page.set_viewport_size({"width": 1000, "height": 900})
    page.goto(file.as_uri())
    page.get_by_role("grid").first.wait_for()
    save(page, name, height=470)


def take_program(page: Page, file: Path, name: str) -> None:
    """A line of the source, and what it became in the other three texts."""
    page.set_viewport_size({"width": 1200, "height": 860})
    page.goto(file.as_uri())
    page.get_by_role("tab", name="Program").click()
    page.get_by_role("button", name="all", exact=True).click()
    page.get_by_text("x = block(layer, x)").first.click(position={"x": 5, "y": 5})
    page.get_by_text("lines highlighted").first.wait_for()
    page.evaluate("document.querySelectorAll('.cm-scroller').forEach(each => (each.scrollLeft = 0))")
    save(page, name)


def take_tabs(page: Page) -> None:
    """The other tabs of a program."""
    page.set_viewport_size({"width": 1200, "height": 640})
    for tab in ("Graph", "Diff"):
        page.get_by_role("tab", name=tab).click()
        page.get_by_text({"Graph": "download SVG", "Diff": "hunks"}[tab]).wait_for()
        if tab == "Graph":
            page.wait_for_timeout(1000)  # until it is drawn
            page.get_by_role("button", name="fit").click()
        save(page, f"{tab.lower()}.png")


def take_quiz(page: Page, file: Path) -> None:
    """The questions."""
    page.set_viewport_size({"width": 1000, "height": 900})
    page.goto(file.as_uri())
    page.get_by_text("Quiz").first.wait_for()
    save(page, "quiz.png", height=305)


def save(page: Page, name: str, height: int = 0) -> None:
    page.wait_for_timeout(500)  # until bars have their length
    size = page.viewport_size
    page.screenshot(path=IMAGES / name, clip={"x": 0, "y": 0, "width": size["width"], "height": height or size["height"]})
    print(IMAGES / name)


if __name__ == "__main__":
    main()
