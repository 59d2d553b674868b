"""A notebook in JupyterLab 4 or Notebook 7, driven as a person would: run cells, and look at their outputs.

In: a page of a browser and the address of a server.  Out: cells and panels, as Playwright's locators.
Must never: go on silently when a cell raised, or when something used the network.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Request, expect

PATIENCE_MS = 60_000
APP = "(window.jupyterapp || window.jupyterlab)"
READY = f"""async () => {{
  const app = {APP};
  await app.restored;
  for (let n = 0; n < 400 && !app.shell.currentWidget?.context?.sessionContext; n++)
    await new Promise((go) => setTimeout(go, 50));
  const {{ context, revealed }} = app.shell.currentWidget;
  await context.ready; await context.sessionContext.ready; await revealed;
  await context.sessionContext.session?.kernel?.info;
}}"""
DONE = re.compile(r"^\[\d+\]:$")
KERNELSPEC = {"name": "python3", "display_name": "Python 3", "language": "python"}


def write_notebook(path: Path, sources: Sequence[str]) -> None:
    """A notebook of code cells. It names its kernel; without that, the page would ask for one."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata["kernelspec"] = KERNELSPEC
    nbformat.write(notebook, path)


def foreign_requests(page: Page, server: str) -> list[str]:
    """A list that collects the requests of a page, from now on, to anyone but its server."""
    foreign: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((server, "blob:", "data:")):
            foreign.append(request.url)

    page.on("request", note)
    return foreign


class Notebook:
    """An open notebook.

    `foreign` lists the requests that it made to others, `refused` what the server's policy forbade,
    and `received` counts the bytes that the kernel sent to the page.
    """

    def __init__(self, page: Page, server: str, name: str, app: str = "lab") -> None:
        self.page, self.app = page, app
        self.foreign = foreign_requests(page, server)
        self.refused: list[str] = []
        self.received = 0
        self._address = f"{server}/doc/tree/{name}?reset" if app == "lab" else f"{server}/notebooks/{name}"
        page.on("console", lambda told: "Content Security Policy" in told.text and self.refused.append(told.text))
        page.on("websocket", lambda socket: socket.on("framereceived", self._receive))
        page.set_viewport_size({"width": 1400, "height": 1200})

    def _receive(self, frame: str | bytes) -> None:
        self.received += len(frame)

    def open(self) -> Notebook:
        """Open it, or open it again, and wait until its kernel is ready."""
        self.page.goto(self._address)
        self.page.wait_for_selector(".jp-Notebook")
        self.page.wait_for_function(APP)
        self.page.evaluate(READY)
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")
        return self

    @property
    def chosen(self) -> int:
        """The number of the active cell."""
        return int(self._content("activeCellIndex"))

    @property
    def mode(self) -> str:
        """ "command" or "edit"."""
        return str(self._content("mode"))

    @property
    def n_cells(self) -> int:
        return int(self._content("model.cells.length"))

    def _content(self, name: str) -> Any:
        return self.page.evaluate(f"{APP}.shell.currentWidget.content.{name}")

    def restart(self) -> None:
        """Restart the kernel, whatever it is doing."""
        self.page.evaluate(f"() => {APP}.shell.currentWidget.context.sessionContext.restartKernel()")

    def shut_down(self) -> None:
        """End the kernel."""
        self.page.evaluate(f"() => {APP}.shell.currentWidget.context.sessionContext.shutdown()")

    def save(self) -> None:
        """Write the notebook to its file."""
        self.page.evaluate(f"() => {APP}.shell.currentWidget.context.save()")

    @property
    def is_trusted(self) -> bool:
        return all(
            self.page.evaluate(f"[...{APP}.shell.currentWidget.content.model.cells].map((cell) => cell.trusted)")
        )

    def cell(self, number: int) -> Locator:
        return self.page.locator(".jp-Cell").nth(number)

    def panel(self, number: int) -> Locator:
        """The live panel of a cell."""
        return self.cell(number).locator(".jitviz")

    def outputs(self, number: int) -> list[Locator]:
        """The outputs of a cell, from the top, including hidden ones."""
        return self.cell(number).locator(".jp-OutputArea-child").all()

    def command(self, name: str, **arguments: object) -> None:
        """Execute a command, as a menu does, and wait until it is done."""
        self.page.evaluate(f"([name, args]) => {APP}.commands.execute(name, args)", [name, arguments])

    def start(self, number: int) -> None:
        """Run a cell without waiting for it."""
        self.page.evaluate(
            f"""(number) => {{
              {APP}.shell.currentWidget.content.activeCellIndex = number;
              void {APP}.commands.execute("notebook:run-cell");
            }}""",
            number,
        )

    def run(self, *numbers: int) -> None:
        """Run cells one after the other; none may raise."""
        for number in numbers:
            self.start(number)
            self.wait(number)
            cell = f"{APP}.shell.currentWidget.content.widgets[{number}]"
            outputs = self.page.evaluate(f"{cell}.model.outputs.toJSON()")
            # The page draws an error as it draws what was written to stderr; its model tells them apart.
            assert [output["evalue"] for output in outputs if output["output_type"] == "error"] == []

    def wait(self, number: int) -> None:
        """Return once the cell is done."""
        expect(self.prompt(number)).to_have_text(DONE)

    def prompt(self, number: int) -> Locator:
        return self.cell(number).locator(".jp-InputPrompt")


def open_version(panel: Locator | Page, number: int) -> None:
    """Open the page of the first column that compiled a version of this number."""
    panel.get_by_role("tab", name="Score").click()
    panel.get_by_role("columnheader", name=re.compile(f"compile, version {number}\\b")).first.click()


def dress(notebook: Notebook, panel: Locator, theme: str, width: int) -> None:
    """Give the notebook a theme and a width."""
    notebook.page.set_viewport_size({"width": width, "height": 1200})
    notebook.command("apputils:change-theme", theme=f"JupyterLab {theme}")
    expect(panel).to_have_attribute("data-theme", theme.lower())


def check_that_it_can_be_read(panel: Locator) -> None:
    """Check that axe finds nothing in a panel, and that it is not too wide."""
    panel.evaluate("(el) => { el.id = 'alone'; }")
    found = Axe().run(panel.page, context="#alone").response["violations"]
    panel.evaluate("(el) => el.removeAttribute('id')")
    told = [(one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"]) for one in found]
    assert told == [], told
    assert panel.evaluate("(el) => el.scrollWidth - el.clientWidth") == 0
