"""A browser, a Jupyter server, and notebooks opened in it, for the tests that look at pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from .notebook import PATIENCE_MS, Notebook, write_notebook
from .servers import serve_jupyter

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
NOBODY_ELSE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"  # no page reaches beyond this machine
NAMES = ("chromium", "chromium-browser", "google-chrome")
LOST = f"no browser on PATH (looked for {', '.join(NAMES)}); `apt-get install chromium` brings one"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The chromium of this machine. Where there is none, tests are skipped, or fail if JITVIZ_REQUIRE_BROWSER is set.

    It is closed after the tests of this folder: as long as it is open, no other event loop can run.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("JITVIZ_REQUIRE_BROWSER"):
        pytest.fail(LOST)
    if found is None:
        pytest.skip(LOST)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*FLAGS, NOBODY_ELSE])
        expect.set_options(timeout=PATIENCE_MS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def context(browser: Browser) -> BrowserContext:
    """For the pages of servers, so that the files of JupyterLab are loaded once."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    return context


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the notebooks are, and where their kernels run."""
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="package")
def server(browser: Browser, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server for all notebooks. It depends on the browser, without which it is useless."""
    with serve_jupyter(folder, tmp_path_factory.mktemp("jupyter")) as address:
        yield address


Open = Callable[..., Notebook]


@pytest.fixture(scope="module")
def open_notebook(context: BrowserContext, server: str, folder: Path) -> Iterator[Open]:
    """Opens a notebook for the tests of a module, written from `sources` if they are given.

    When the tests are done, no notebook may have sent a request beyond this machine, or violated the policy of the
    server.
    """
    opened: list[Notebook] = []

    def open_one(name: str, sources: Sequence[str] = (), app: str = "lab") -> Notebook:
        if sources:
            write_notebook(folder / name, sources)
        notebook = Notebook(context.new_page(), server, name, app)
        opened.append(notebook)
        return notebook.open()

    yield open_one
    for notebook in opened:
        notebook.page.close()
        assert (notebook.foreign, notebook.refused) == ([], [])
