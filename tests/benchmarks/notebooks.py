"""Ten cells in the style of a library's tutorial, in two kernels, with jitviz and without: their processor seconds.

    python -m tests.benchmarks.notebooks [PAIRS] [NAME...]

prints, for each notebook, the seconds of both sides, their ratio and their difference, medians of so many pairs, and
the bytes that it saves; then the sum and the median ratio. The two kernels take turns cell by cell, so that a processor
that slows down for a minute slows both. The notebook `session` is generated: 300 cells of two small compiles each.
"""

import sys
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import NamedTuple

from .kernel import Kernel

FOLDER = Path(__file__).parent / "cells"  # a file for each notebook; `# %%` begins a cell
BYTECODE = Path("/tmp/jitviz-bytecode")
_SETUP = "import jax, jax.numpy as jnp\nx = jnp.ones((5, 3))\ny = jnp.ones(4)\nparams = {'w': x, 'b': y}"
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


def cells_of(name: str) -> list[str]:
    """The cells of a notebook."""
    if name == "session":
        return [_SETUP, *(_STEP.format(number=number) for number in range(300))]
    return [cell.strip() for cell in (FOLDER / f"{name}.txt").read_text().split("# %%\n") if cell.strip()]


def compare(name: str) -> Row:
    """One pair of kernels that run the notebook."""
    with closing(Kernel(BYTECODE)) as plain, closing(Kernel(BYTECODE)) as watched:
        for setup in ("%load_ext jitviz", "%jitviz on"):
            watched.run(setup)
        for number, cell in enumerate(cells_of(name)):
            for kernel in (plain, watched) if number % 2 else (watched, plain):
                kernel.run(cell)
        return Row(_cpu_seconds(plain), _cpu_seconds(watched), watched.nbytes)


def _cpu_seconds(kernel: Kernel) -> float:
    kernel.run("import time; time.sleep(1)")  # what is done while nobody waits counts as well
    return float(kernel.run("print(time.process_time())"))


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
    return f"x {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})   {more:+.2f} s"


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 3, given[1:] or sorted(path.stem for path in FOLDER.glob("*.txt")))
