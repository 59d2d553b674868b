"""The cost of jitviz, and of other tools, in one run: ratios and curves rather than single times.

    python -m pytest --benchmark-enable --benchmark-only tests/benchmarks/bench.py

takes a few minutes and writes the table in `table.md`, and `growth.svg`, which the manual shows; it needs the extra
`bench`. Both sides take turns, round by round. A ratio is the median of all rounds, which hardly depends on the load of
the machine; a time is the shortest.
"""

import contextlib
import gc
import logging
import os
import platform
import threading
import time
import tracemalloc
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
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
from jitviz import capture
from jitviz.capture.heartbeat import Pulse
from jitviz.capture.thread_activity import current_frames
from jitviz.model import Function, Glance, Sample
from jitviz.recording import Recording
from jitviz.recording import events as ev

from ..capture import transformer
from ..capture.samples import JITS
from .drawing import draw
from .kernel import timed_cells
from .sessions import session

HERE = Path(__file__).parent
X = jnp.ones(4)
MLP = eqx.nn.MLP(4, 4, 8, 3, key=jax.random.key(0))
Run = Callable[[], Any]
Watch = Callable[[], AbstractContextManager[Any]]

rows: list[tuple[str, str, str, str]] = []
curves: dict[str, list[tuple[int, float]]] = {}


@pytest.fixture(scope="module", autouse=True)
def written() -> Iterator[None]:
    """Write the table and the picture after all measurements. The limits in `table.md` are prose, and stay."""
    load = os.getloadavg()[0]
    yield
    cores = f"{os.cpu_count()} cores of {platform.machine()} (load {load:.1f})"
    made = f"Python {platform.python_version()}, jax {jax.__version__}, {cores}, {jax.default_backend()} backend"
    lines = ["| what | without jitviz, or another tool | with jitviz | target |", "|---|---|---|---|"]
    lines += (f"| {' | '.join(row)} |" for row in rows)
    table = HERE / "table.md"
    limits = table.read_text().partition("## Limits")[1:]
    table.write_text("\n".join([*lines, "", f"Measured with {made}.", "", "".join(limits)]))
    (HERE / "growth.svg").write_text(draw(curves))


def spent_s(run: Run) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def compare(benchmark: Any, one: Run, watches: dict[str, Watch], rounds: int) -> tuple[float, dict[str, float]]:
    """The shortest round without jitviz, and for each kind of capture the median of its ratios to the round before."""
    capture.unwatch()
    plain: list[float] = []
    ratios: dict[str, list[float]] = {name: [] for name in watches}

    def each() -> None:
        plain.append(one())
        for name, watch in watches.items():
            with watch():
                ratios[name].append(one() / plain[-1])
            capture.unwatch()  # the history continues after a recording

    benchmark.pedantic(each, rounds=rounds)
    medians = {name: median(found) for name, found in ratios.items()}
    benchmark.extra_info.update(medians)
    return min(plain), medians


def test_an_argument_of_many_leaves(
    benchmark: Any,
) -> None:  # first: it takes 0.1 s more in a process with many objects
    def look(leaves: int) -> tuple[float, float]:
        tree = {f"leaf{number}": np.ones(1, np.float32) for number in range(leaves)}

        def step(tree: dict[str, Any]) -> Any:
            return tree["leaf0"] + 1

        step.__name__ = step.__qualname__ = (
            f"step_of_{leaves}"  # a different name each time, so that jitviz has not seen the leaves
        )

        def recorded() -> None:
            with jitviz.record() as rec:
                jax.jit(step)(tree)
            jitviz.explain(rec)
            rec.to_html(HERE / "page.html")

        capture.unwatch()
        gc.collect()  # the garbage of the other tool
        plain_s = spent_s(lambda: jax.jit(lambda tree: tree["leaf0"] + 2)(tree))
        ours_s = spent_s(recorded) - plain_s
        peer_s = spent_s(lambda: treescope.render_to_html(tree)) if leaves <= 20_000 else 0.0
        return ours_s, peer_s

    seconds: dict[int, tuple[float, float]] = {}
    for leaves in (10, 100, 1_000, 20_000, 100_000):
        ours_s, peer_s = seconds[leaves] = look(leaves)
        curves.setdefault("record, explain and page of so many leaves", []).append((leaves, ours_s))
        if peer_s:
            curves.setdefault("Treescope's page of so many leaves", []).append((leaves, peer_s))
    benchmark.pedantic(lambda: look(10), rounds=1)
    (HERE / "page.html").unlink()
    ours_s, peer_s = seconds[20_000]
    what = "record, explain and page of 20,000 leaves"
    rows.append((what, f"Treescope's page {peer_s:.1f} s", f"{ours_s:.2f} s", "0.5 s"))


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
    cost = f"x {ratio:.2f}, +{plain * (ratio - 1):.1f} µs"
    rows.append((f"a recorded hit of `{api}`", f"{plain:.1f} µs", cost, TARGETS[api]))


TARGETS = {"jax.jit": "+1.0 µs", "equinox.filter_jit": "x 1.05", "jitviz.filter_jit": "x 1.08"}


def test_code_without_a_jitted_call(benchmark: Any) -> None:
    def run() -> float:
        return min(spent_s(lambda: sum(len(str(number)) for number in range(20_000))) for _ in range(5))

    best_s, ratios = compare(benchmark, run, {"recorded": jitviz.record}, 40)
    rows.append(("code without a jitted call", f"{best_s * 1e3:.1f} ms", f"x {ratios['recorded']:.3f}", "x 1.01"))


def test_a_heartbeat(benchmark: Any, tmp_path: Path) -> None:
    """What beats take of a second, in a recording that is written to a file; four beats a round."""

    def beats() -> None:
        for number in range(4):
            pulse.due_s = pulse.told_s = 0.0
            rows = [replace(row, seen=replace(row.seen, source=f"a.py:{number}"))]
            pulse.beat(time.time(), current_frames(), rows)

    with jitviz.record(sample=False) as rec:
        rec.save(tmp_path / "run.jsonl")
        row = Sample(0.0, 1.0, Glance("a.py:1"))
        thread = threading.current_thread()
        pulse = Pulse(thread.ident or 0, thread.name, rec.beat, lambda _: None, 0.0)
        spent = benchmark.pedantic(lambda: spent_s(beats), rounds=1)
        spent = min(spent, *(spent_s(beats) for _ in range(50))) / 4
    rows.append(("a heartbeat, once a second, with its line in the file", "", f"{spent:.3%} of the time", "1%"))


@contextlib.contextmanager
def setting(name: str) -> Iterator[None]:
    """One of JAX's own settings that log compiles, with the log discarded."""
    logging.disable(logging.CRITICAL)
    jax.config.update(name, True)
    try:
        yield
    finally:
        jax.config.update(name, False)
        logging.disable(logging.NOTSET)


def misses(count: int, leaves: int) -> float:
    """The seconds of `count` misses of one function, each with a new shape."""
    tree = {f"leaf{number}": np.ones(3, np.float32) for number in range(leaves)}
    step = jax.jit(lambda tree, x: (jax.tree.map(lambda leaf: leaf + 1, tree), x.sum()))
    return spent_s(lambda: [step(tree, np.ones(size + 1, np.float32)) for size in range(count)])


def test_misses_of_many_leaves(benchmark: Any) -> None:
    watches: dict[str, Watch] = {
        "jitviz": jitviz.record,
        "`jax_explain_cache_misses`": lambda: setting("jax_explain_cache_misses"),
        "`jax_log_compiles`": lambda: setting("jax_log_compiles"),
    }
    plain_s, ratios = compare(benchmark, lambda: misses(20, 200), watches, 2)
    peers = ", ".join(f"{name} x {ratio:.2f}" for name, ratio in ratios.items() if name != "jitviz")
    rows.append(("20 misses of 200 leaves", f"{plain_s:.1f} s; {peers}", f"x {ratios['jitviz']:.2f}", "x 1.15"))


def test_three_hundred_misses(benchmark: Any) -> None:
    plain_s, ratios = compare(benchmark, lambda: misses(300, 200), {"jitviz": jitviz.record}, 1)
    rows.append(("300 misses of 200 leaves", f"{plain_s:.1f} s", f"x {ratios['jitviz']:.2f}", "x 1.15"))


def test_the_first_call_of_a_training_step(benchmark: Any) -> None:
    given = transformer.arguments()

    def first_call() -> float:
        jax.clear_caches()
        return spent_s(lambda: jax.block_until_ready(jax.jit(transformer.step)(*given)))

    plain_s, ratios = compare(benchmark, first_call, {"jitviz": jitviz.record}, 3)
    what = "first call of a training step, 12 transformer blocks and adam"
    rows.append((what, f"{plain_s:.1f} s", f"x {ratios['jitviz']:.2f}", "x 1.03"))


def test_a_page_of_a_training_step(benchmark: Any) -> None:
    weights, state, batch = transformer.arguments()
    step = jax.jit(transformer.step)
    with jitviz.record() as rec:
        step(weights, state, batch)
        step(weights, state, np.concatenate([batch, batch]))
    page = HERE / "page.html"
    took_s = spent_s(lambda: rec.to_html(page))
    benchmark.pedantic(lambda: rec.to_html(page), rounds=1)
    page.unlink()
    rows.append(("`to_html` of two versions of that step", "", f"{took_s:.1f} s", "2 s"))


def test_the_end_of_a_cell_and_the_beginning_of_a_session(benchmark: Any, tmp_path: Path) -> None:
    import_s, load_s, prompt_s = benchmark.pedantic(timed_cells, [tmp_path], rounds=1)
    rows.append(("prompt back after the last line of that step's cell", "", f"{prompt_s:.2f} s", "0.5 s"))
    times = f"{import_s * 1e3:.0f} / {load_s * 1e3:.0f} ms"
    rows.append(("`import jitviz` after jax / `%load_ext jitviz`", "", times, "30 / 150 ms"))


def recorded_hits(count: int) -> Recording:
    """A recording of `count` hits of one line, in the events of capture."""
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
    memory = f"{kept / count:.0f} / {asked / count:.0f} bytes"
    rows.append(("memory of a hit, recorded / after `rec.calls`", "", memory, "30 / 60 bytes"))
    times = f"{length_s * 1e6:.0f} µs / {panel_s:.2f} s"
    rows.append(("`len(rec.calls)` / text panel, of 1,000,000 hits", "", times, "1 ms / 0.3 s"))


def test_many_versions(benchmark: Any) -> None:
    for count in (1, 10, 100, 1_000, 10_000):
        rec = session(1, count, count)
        curves.setdefault("explain so many versions", []).append((count, spent_s(lambda rec=rec: jitviz.explain(rec))))
    benchmark.pedantic(lambda: jitviz.explain(session(1, 10, 10)), rounds=1)


def test_a_long_session(benchmark: Any, tmp_path: Path) -> None:
    path, page = tmp_path / "run.jsonl", tmp_path / "page.html"
    for cells in (3, 10, 30):
        session(cells, cells * 10_000 // 30, cells * 1_000 // 30).save(path)
        load_s = min(spent_s(lambda: jitviz.load(path).calls) for _ in range(3))
        rec = jitviz.load(path)
        explain_s, page_s = spent_s(lambda rec=rec: jitviz.explain(rec)), spent_s(lambda rec=rec: rec.to_html(page))
        curves.setdefault("load, explain and page of so many calls", []).append(
            (len(rec.calls), load_s + explain_s + page_s)
        )
    rate = path.stat().st_size / 1e6 / load_s
    benchmark.pedantic(lambda: jitviz.load(path), rounds=1)
    what = f"30 cells, {len(rec.calls):,} calls, {len(rec.compiles):,} compiles: load / explain / page"
    rows.append((what, "", f"{load_s:.2f} s ({rate:.0f} MB/s) / {explain_s:.1f} s / {page_s:.1f} s", "20 MB/s, linear"))
