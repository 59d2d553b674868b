"""Ten cells in the style of a library's tutorial, in two kernels, with jitviz and without: their processor seconds.

    python -m tests.benchmarks.notebooks [PAIRS] [NAME...]

prints, for each notebook, the seconds of both sides, their ratio and their difference, medians of so many pairs, and
the bytes that it saves; then the sum and the median ratio. The two kernels take turns cell by cell, so that a processor
that slows down for a minute slows both. The notebook `session` is generated: 300 cells of two small compiles each.
"""

import os
import sys
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from jupyter_client.manager import start_new_kernel

FOLDER = Path(__file__).parent / "cells"  # a file for each notebook; `# %%` begins a cell
BYTECODE = Path("/tmp/jitviz-bytecode")
_SETUP = "import jax, jax.numpy as jnp\nx = jnp.ones((5, 3))\ny = jnp.ones(4)\nparams = {{'w': x, 'b': y}}"
_STEP = """
@jax.jit
def scale_{number}(x, y):
    return jnp.sin(x) * {number} + y.sum()

@jax.jit
def step_{number}(params, x):
    return jax.tree.map(lambda part: part * x.mean(), params)

a, b = scale_{number}(x, y), step_{number}(params, x)
"""


class Row(NamedTuple):
    """The processor seconds of a notebook without and with jitviz, and the bytes of the outputs that it saves."""

    plain_s: float
    with_s: float
    nbytes: int


class Kernel:
    """A kernel of its own."""

    def __init__(self, *, has_jitviz: bool) -> None:
        env = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(BYTECODE)}
        quiet = ["--IPKernelApp.log_level=40"]  # it warns of the transport
        self._manager, self._client = start_new_kernel(kernel_name="python3", env=env, extra_arguments=quiet)
        self._outputs: dict[str, int] = {}  # by display, or part of a widget; an update replaces what was there
        self._printed: list[str] = []
        for setup in ("%load_ext jitviz", "%jitviz on") if has_jitviz else ():
            self.run(setup)

    def _hear(self, message: dict[str, Any]) -> None:
        content = message["content"]
        self._printed.append(content.get("text", ""))
        if message["msg_type"] in ("display_data", "update_display_data"):
            key = content.get("transient", {}).get("display_id") or str(len(self._outputs))
            self._outputs[key] = sum(len(str(value)) for value in content["data"].values())
        if message["msg_type"] in ("comm_open", "comm_msg"):  # the state of a widget is saved as well, as base64
            for name, value in (content["data"].get("state") or {}).items():
                self._outputs[f"{content['comm_id']} {name}"] = len(str(value))
            if buffers := message.get("buffers"):
                self._outputs[content["comm_id"]] = sum(len(part) * 4 // 3 for part in buffers)

    def run(self, text: str) -> None:
        reply = self._client.execute_interactive(text, timeout=300, output_hook=self._hear)
        assert reply["content"]["status"] == "ok", "\n".join(reply["content"].get("traceback", ()))

    def end(self) -> tuple[float, int]:
        """The processor seconds of all it did, and the bytes of the outputs."""
        self.run("import time; time.sleep(1)")  # what is done while nobody waits counts as well
        self._printed.clear()
        self.run("print(time.process_time())")
        return float("".join(self._printed)), sum(self._outputs.values())

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


def cells_of(name: str) -> list[str]:
    """The cells of a notebook."""
    if name == "session":
        return [_SETUP.format(), *(_STEP.format(number=number) for number in range(300))]
    return [cell.strip() for cell in (FOLDER / f"{name}.txt").read_text().split("# %%\n") if cell.strip()]


def compare(name: str) -> Row:
    """One pair of kernels that run the notebook."""
    kernels: list[Kernel] = []
    try:
        kernels += (Kernel(has_jitviz=has_jitviz) for has_jitviz in (False, True))
        for number, cell in enumerate(cells_of(name)):
            for kernel in kernels[:: 1 if number % 2 else -1]:
                kernel.run(cell)
        (plain_s, _), (with_s, nbytes) = (kernel.end() for kernel in kernels)
        return Row(plain_s, with_s, nbytes)
    finally:
        for kernel in kernels:
            kernel.close()


def main(pairs: int, names: list[str]) -> None:
    compare(names[0])  # writes the bytecode
    every: list[list[Row]] = []
    for name in names:
        rows = [compare(name) for _ in range(pairs)]
        every.append(rows)
        plain_s, with_s, nbytes = (median(column) for column in zip(*rows, strict=True))
        print(f"{name:18} {plain_s:6.2f} -> {with_s:6.2f} s   {_ratios(rows)}   {nbytes / 1e3:.0f} kB", flush=True)
    plain_s, with_s = (sum(median(row[side] for row in rows) for rows in every) for side in (0, 1))
    together = [row for rows in every for row in rows]
    print(f"{'sum':18} {plain_s:6.2f} -> {with_s:6.2f} s   x {with_s / plain_s:.3f}; all pairs {_ratios(together)}")


def _ratios(rows: list[Row]) -> str:
    ratios = [row.with_s / row.plain_s for row in rows]
    more = median(row.with_s - row.plain_s for row in rows)
    return f"x {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})   +{more:.2f} s"


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 3, given[1:] or sorted(path.stem for path in FOLDER.glob("*.txt")))
