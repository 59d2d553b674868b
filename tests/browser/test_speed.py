"""How long a person waits for a big panel in JupyterLab. Times are taken inside the page, and printed; they are
not limits, since they are those of one machine.

`pytest --benchmark-enable tests/browser/test_speed.py -s` measures them.
"""

from __future__ import annotations

import pytest

from .conftest import Open
from .notebook import Notebook

LEAVES = """
%load_ext jitviz
import time
import jax, jax.numpy as jnp

def make_step():
    return jax.jit(lambda params: params["block0"]["w0"] + 1)

zero = jnp.zeros(())
params = {f"block{i}": {f"w{j}": zero for j in range(200)} for i in range(100)}
bare, watched = make_step(), make_step()
make_step()(params)  # whatever JAX does only once
"""
# The same call, in a cell that is not recorded and in one that is.
BARE = "begun = time.perf_counter()\nbare(params)\nbare_s = time.perf_counter() - begun"
WATCHED = BARE.replace("bare", "watched") + "\nended_at = time.time()"
TOLD = "print(f'{bare_s} {watched_s} {ended_at}')"

CALLS = """
import time
import jitviz
from jitviz import events as ev
from jitviz.model import Function
from jitviz.recording import Recording

step = Function("step", "step", "__main__", "equinox.filter_jit", "__main__.step", 0)
log = [ev.RecordingStarted(0.0, "In [1]", ()), ev.FunctionSeen(0.0, 0, step)]
for n in range(100_000):
    log.append(ev.CallFinished(n * 1e-3 + 5e-4, n, 0, n * 1e-3, "hit"))
recording = Recording([*log, ev.RecordingFinished(100.0)])
recording.calls
"""
SHOW = "begun_at = time.time()\njitviz.show(recording)\nprint(begun_at)"

# Looks at each frame until there is something to see; gives the time of day of the frame, in seconds.
FIRST_SIGHT = """([cell, selector, text]) => new Promise((tell) => {
  const look = () => {
    const home = document.querySelectorAll(".jp-Cell")[cell];
    const part = home?.querySelector(selector);
    if (selector === "canvas" && !part) {  // a cell of hits only is one line; its timeline is two clicks away
      home?.querySelector(".jitviz-more")?.click();
      [...home?.querySelectorAll("[role=tab]") ?? []].find((tab) => tab.textContent.startsWith("Score"))?.click();
      [...home?.querySelectorAll("button") ?? []].find((one) => one.textContent === "by time")?.click();
    }
    const isThere = part && (text === null ? isPainted(part) : part.textContent.includes(text));
    if (isThere) tell(Date.now() / 1000);
    else requestAnimationFrame(look);
  };
  const isPainted = (canvas) =>
    canvas.width > 0 && canvas.getContext("2d").getImageData(0, 40, canvas.width, 8).data.some((part) => part > 0);
  look();
})"""
# Milliseconds from each key to the end of the frame that answers it.
ZOOMS = """async (timeline) => {
  const spent = [];
  for (const key of [..."+++++++++-----++++"]) {
    const begun = performance.now();
    timeline.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    spent.push(performance.now() - begun);
  }
  return spent.sort((a, b) => a - b);
}"""


@pytest.fixture(autouse=True)
def is_asked_for(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("benchmark_enable"):
        pytest.skip("a benchmark; --benchmark-enable runs it")


def printed(notebook: Notebook, number: int) -> list[float]:
    return [float(word) for word in notebook.cell(number).locator("pre").last.inner_text().split()]


def test_twenty_thousand_leaves(open_notebook: Open) -> None:
    notebook = open_notebook("leaves.ipynb", [LEAVES, BARE, f"%%filterjit\n{WATCHED}", TOLD])
    notebook.run(0, 1)
    notebook.start(2)
    seen_at = notebook.page.evaluate(FIRST_SIGHT, [2, ".jitviz-score", "params"])
    notebook.run(3)
    bare_s, watched_s, ended_at = printed(notebook, 3)
    beyond_s = watched_s - bare_s + seen_at - ended_at
    print(f"\n20 000 leaves: the call {bare_s:.2f} s; recorded {watched_s - bare_s:.2f} s, and then", end=" ")
    print(f"explained and painted {seen_at - ended_at:.2f} s: {beyond_s:.2f} s beyond the call")
    assert notebook.panel(2).get_by_role("rowheader").count() > 0


def test_a_hundred_thousand_calls(open_notebook: Open) -> None:
    notebook = open_notebook("calls.ipynb", [CALLS, SHOW])
    notebook.run(0)
    notebook.start(1)
    seen_at = notebook.page.evaluate(FIRST_SIGHT, [1, "canvas", None])
    notebook.wait(1)
    (begun_at,) = printed(notebook, 1)
    steps = notebook.panel(1).get_by_role("application").evaluate(ZOOMS)
    print(f"\n100 000 calls: shaped, sent and painted {seen_at - begun_at:.2f} s;", end=" ")
    print(f"a step of zoom {steps[len(steps) // 2]:.0f} ms, at most {steps[-1]:.0f} ms, a frame's wait included")
    assert notebook.panel(1).locator(".jitviz-lane-name").count() == 1
