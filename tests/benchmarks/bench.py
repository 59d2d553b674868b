"""What jitviz costs, beside what it is compared with, in one run: ratios and curves, never one time alone.

    python -m pytest --benchmark-enable --benchmark-only tests/benchmarks/bench.py

writes `table.md` and `growth.svg` beside this file; it needs the extra `bench`. Both sides take turns, round by round,
and the median of the ratios counts, which is much the same whatever else the machine does; a time is the shortest seen.
"""

import contextlib
import gc
import logging
import platform
import time
import tracemalloc
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import treescope

import jitviz
from jitviz.model import Function
from jitviz.recording import Recording
from jitviz.recording import events as ev

from ..capture.samples import JITS

HERE = Path(__file__).parent
X = jnp.ones(4)
MLP = eqx.nn.MLP(4, 4, 8, 3, key=jax.random.key(0))
Run = Callable[[], Any]
Watch = Callable[[], AbstractContextManager[Any]]

rows: list[tuple[str, str, str]] = []
curves: dict[str, list[tuple[int, float]]] = {}


@pytest.fixture(scope="module", autouse=True)
def written() -> Iterator[None]:
    """The table and the picture, once all is measured."""
    yield
    made = f"Python {platform.python_version()}, jax {jax.__version__}, {platform.machine()}, {jax.default_backend()}"
    lines = ["| what | plain | with jitviz |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    (HERE / "table.md").write_text("\n".join([*lines, "", f"Measured with {made}.", ""]))
    (HERE / "growth.svg").write_text(draw(curves))


def spent_s(run: Run) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def compare(benchmark: Any, one: Run, watches: dict[str, Watch], rounds: int) -> tuple[float, dict[str, float]]:
    """The shortest round without a watch, and the median of the ratios of each watch to that."""
    plain: list[float] = []
    ratios: dict[str, list[float]] = {name: [] for name in watches}

    def each() -> None:
        plain.append(one())
        for name, watch in watches.items():
            with watch():
                ratios[name].append(one() / plain[-1])

    benchmark.pedantic(each, rounds=rounds)
    medians = {name: median(found) for name, found in ratios.items()}
    benchmark.extra_info.update(medians)
    return min(plain), medians


@pytest.mark.parametrize("api", JITS)
def test_a_recorded_hit(benchmark: Any, api: str) -> None:
    number, args = 200, ((MLP, X) if api != "jax.jit" else (X,))
    call = JITS[api]((lambda model, x: model(x)) if api != "jax.jit" else (lambda x: x * 2))
    call(*args)

    def hits() -> None:
        for _ in range(number):
            call(*args)

    def run() -> float:
        hits()
        return min(spent_s(hits) for _ in range(5))

    best_s, ratios = compare(benchmark, run, {"recorded": lambda: jitviz.record(sample=False)}, 40)
    plain, ratio = best_s / number * 1e6, ratios["recorded"]
    rows.append((f"a hit of `{api}`", f"{plain:.1f} µs", f"x {ratio:.2f}, + {plain * (ratio - 1):.1f} µs"))


@contextlib.contextmanager
def setting(name: str) -> Iterator[None]:
    """One of JAX's own ways to tell of compiles, whose texts go nowhere."""
    logging.disable(logging.CRITICAL)
    jax.config.update(name, True)
    try:
        yield
    finally:
        jax.config.update(name, False)
        logging.disable(logging.NOTSET)


def misses(count: int, leaves: int) -> float:
    """Seconds of so many misses of one function, each for another shape."""
    tree = {f"leaf{number}": np.ones(3, np.float32) for number in range(leaves)}
    step = jax.jit(lambda tree, x: (jax.tree.map(lambda leaf: leaf + 1, tree), x.sum()))
    return spent_s(lambda: [step(tree, np.ones(size + 1, np.float32)) for size in range(count)])


def test_misses_of_many_leaves(benchmark: Any) -> None:
    watches: dict[str, Watch] = {
        "jitviz": jitviz.record,
        "`jax_explain_cache_misses`": lambda: setting("jax_explain_cache_misses"),
        "`jax_log_compiles`": lambda: setting("jax_log_compiles"),
    }
    plain_s, ratios = compare(benchmark, lambda: misses(10, 200), watches, 3)
    peers = ", ".join(f"{name} x {ratio:.2f}" for name, ratio in ratios.items() if name != "jitviz")
    rows.append(("10 misses of 200 leaves", f"{plain_s:.1f} s; {peers}", f"x {ratios['jitviz']:.2f}"))


def recorded_hits(count: int) -> Recording:
    """A recording of so many hits of one line, as capture tells them."""
    rec = Recording([ev.RecordingStarted(1.0), ev.FunctionSeen(1.0, 1, Function("f", "f", "m", "jax.jit", "m.f", 1))])
    rec.append(ev.SiteSeen(1.0, 2, 1, "train.py:3"))
    for first in range(0, count, 1024):
        n = min(1024, count - first)
        numbers = array("q", (number for hit in range(first, first + n) for number in (2, 10**9 + hit * 20_000, 9_000)))
        rec.append(ev.HitsNoted(1.0 + (first + n) * 2e-5, numbers.tobytes()))
    return rec


def test_a_million_hits(benchmark: Any) -> None:
    for count in (10, 1_000, 100_000, 1_000_000):
        gc.collect()
        tracemalloc.start()
        rec = recorded_hits(count)
        kept, _ = tracemalloc.get_traced_memory()
        assert len(rec.calls) == count
        asked, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        panel_s, length_s = (
            spent_s(lambda rec=rec: str(rec)),
            min(spent_s(lambda rec=rec: len(rec.calls)) for _ in range(9)),
        )
        curves.setdefault("text panel of so many hits", []).append((count, panel_s))
    benchmark.pedantic(lambda: str(recorded_hits(1000)), rounds=3)
    rows.append(("memory of a hit, recorded / asked for", "", f"{kept / count:.0f} / {asked / count:.0f} bytes"))
    rows.append(("`len(rec.calls)` / text panel, of 1,000,000", "", f"{length_s * 1e6:.0f} µs / {panel_s:.2f} s"))


def test_an_argument_of_many_leaves(benchmark: Any) -> None:
    def look(leaves: int) -> tuple[float, float]:
        tree = {f"leaf{number}": np.ones(1, np.float32) for number in range(leaves)}
        step = jax.jit(lambda tree: tree["leaf0"] + 1)

        def recorded() -> None:
            with jitviz.record() as rec:
                step(tree)
            jitviz.explain(rec)
            rec.to_html(HERE / "page.html")

        plain_s = spent_s(lambda: jax.jit(lambda tree: tree["leaf0"] + 2)(tree))
        return spent_s(recorded) - plain_s, spent_s(lambda: treescope.render_to_html(tree))

    for leaves in (10, 100, 1_000, 20_000):
        ours_s, treescope_s = look(leaves)
        curves.setdefault("record, explain and page of so many leaves", []).append((leaves, ours_s))
        curves.setdefault("Treescope's page of so many leaves", []).append((leaves, treescope_s))
    benchmark.pedantic(lambda: look(10), rounds=1)
    (HERE / "page.html").unlink()
    rows.append(
        ("record, explain and page of 20,000 leaves", f"Treescope's page: {treescope_s:.1f} s", f"{ours_s:.1f} s")
    )


def test_many_versions(benchmark: Any) -> None:
    for count in (10, 30, 100):
        with jitviz.record() as rec:
            misses(count, 2)
        told_s = spent_s(lambda rec=rec: jitviz.explain(rec))
        curves.setdefault("explain so many versions", []).append((count, told_s))
    benchmark.pedantic(lambda: jitviz.explain(rec), rounds=1)
    rows.append((f"explain {count} versions", "", f"{told_s:.2f} s"))


def draw(curves: dict[str, list[tuple[int, float]]]) -> str:
    """Seconds over size, both on logarithmic scales, a curve for each."""
    colours = ("#4269d0", "#ff725c", "#6cc5b0", "#a463f2")

    def at(size: float, seconds: float) -> str:
        return f"{60 + 90 * np.log10(size):.0f},{200 - 40 * (np.log10(max(seconds, 1e-4)) + 1):.0f}"

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="340" font-family="sans-serif" font-size="12">'
    ]
    for power in range(-4, 3):
        y = 200 - 40 * (power + 1)
        parts.append(f'<text x="4" y="{y}">{10.0**power:g} s</text><path d="M60 {y}H620" stroke="#ccc"/>')
    parts += [f'<text x="{60 + 90 * power}" y="335">{10**power:,}</text>' for power in range(1, 7)]
    for colour, (name, points) in zip(colours, curves.items(), strict=False):
        line = " ".join(at(*point) for point in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="640" y="{at(*points[-1]).split(",")[1]}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])
