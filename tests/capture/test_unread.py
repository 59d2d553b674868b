"""Texts and figures of programs are read when they are asked for, and what waits keeps nothing of the user's alive."""

import gc
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture.log import watcher as hooks
from jitviz.capture.programs import reading
from jitviz.capture.programs.parameters import Reprs
from jitviz.jaxcompat import printing
from jitviz.recording.unread_programs import reading as reading_of

from .samples import JITS

pytestmark = pytest.mark.usefixtures("little_to_collect")

READERS = ("_equations", "_stablehlo", "_optimised")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The readers that ran so far."""
    seen: list[str] = []

    def counted(name: str) -> Callable[..., Iterator[Any]]:
        read = getattr(reading, name)

        def call(*args: Any, **more: Any) -> Iterator[Any]:
            seen.append(name)
            yield from read(*args, **more)

        return call

    for name in READERS:
        monkeypatch.setattr(reading, name, counted(name))
    return seen


def fresh() -> Any:
    return jax.jit(lambda x: x * 2.0)


X = np.ones(3, np.float32)


@pytest.mark.parametrize("api", list(JITS))
def test_nothing_is_read_inside_the_call_and_all_of_it_once(api: str, reads: list[str]) -> None:
    with jitviz.record() as outer, jitviz.record() as inner:
        JITS[api](lambda x: x * 2.0)(X)
    assert reads == []
    for rec in (outer, inner, outer):
        (row,) = rec.compiles
        assert None not in (row.jaxpr, row.stablehlo, row.hlo, row.equations, row.cost, row.memory)
        assert rec.facts.failures == []
    assert sorted(reads) == sorted(READERS)
    assert [event for event in outer.events if type(event).__name__ == "TextSeen"] != []
    assert not outer.is_live


def test_what_is_asked_for_inside_the_block_is_read_there(reads: list[str]) -> None:
    with jitviz.record() as rec:
        fresh()(X)
        assert rec.compiles[0].hlo is not None
        assert len(reads) == 3
        assert rec.is_live


def test_a_recording_that_nobody_asks_is_never_read(reads: list[str]) -> None:
    with jitviz.record() as rec:
        fresh()(X)
    del rec
    gc.collect()
    capture.unwatch()
    assert reads == []


def test_what_waits_longest_is_read_when_too_much_waits(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "UNREAD", 3)
    with jitviz.record() as rec:
        for _ in range(3):
            fresh()(X)
        assert len(reads) == 6
        monkeypatch.setattr(hooks, "UNREAD_NBYTES", 0)
        fresh()(X)
        assert len(reads) == 12
    assert [row.hlo is not None for row in rec.compiles] == [True] * 4


def test_a_file_that_is_open_holds_what_was_compiled(tmp_path: Path) -> None:
    with jitviz.record() as rec:
        rec.save(tmp_path / "run.jsonl")
        fresh()(X)
        assert jitviz.load(tmp_path / "run.jsonl").compiles[0].hlo is not None


def test_a_thread_that_only_looks_reads_nothing(reads: list[str]) -> None:
    seen: list[Any] = []

    def look() -> None:
        with reading_of("nothing"):
            seen.append((rec.compiles[0].status, rec.compiles[0].n_lines("hlo"), rec.compiles[0].cost))

    with jitviz.record() as rec:
        fresh()(X)
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert (seen, reads) == ([("done", 0, None)], [])
    assert rec.compiles[0].n_lines("hlo") > 0


def test_unwatching_reads_what_a_recording_still_waits_for(reads: list[str]) -> None:
    with jitviz.record() as rec:
        fresh()(X)
    capture.unwatch()
    assert len(reads) == 3
    assert rec.compiles[0].hlo is not None


def test_for_findings_a_small_program_that_compiled_once_is_not_read(reads: list[str]) -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: x - 2.0)(X)
    with reading_of("findings"):
        assert (rec.findings, rec.unread, rec.compiles[0].jaxpr) == ((), frozenset(), None)
    assert reads == []
    assert rec.compiles[0].jaxpr is not None
    assert sorted(reads) == sorted(READERS)


def test_for_findings_programs_that_are_compared_are_read(reads: list[str]) -> None:
    step = jax.jit(lambda x: x - 3.0)
    with jitviz.record():
        step(X)
    with jitviz.record() as rec:
        step(X)
    with reading_of("findings"):
        assert rec.compiles == []
    assert reads == []
    with jitviz.record() as rec:
        step(np.ones(4, np.float32))
    with reading_of("findings"):
        verdict = rec.compiles[0].judgement.verdict
        assert reads == ["_stablehlo"] * 2
    assert verdict == rec.compiles[0].judgement.verdict == "avoidable"


@pytest.mark.usefixtures("unhurried")
def test_for_findings_equations_are_read_without_their_text_and_then_with_it(reads: list[str]) -> None:
    halved = jax.jit(lambda x: x * 0.5 - 1.0)  # traced once

    def slow(x: Any) -> Any:
        for _ in range(80):
            x = jnp.sin(halved(x)) * 2.0 + 1.0
        return x

    with jitviz.record() as rec:
        jax.jit(slow)(X)
    with reading_of("findings"):
        (unrolled,) = rec.findings
        assert unrolled.summary.endswith(": 322 of 322 equations")
        assert (unrolled.kind, unrolled.count, rec.compiles[0].jaxpr) == ("unrolled", 80, None)
    assert reads == ["_equations"]
    assert rec.findings == (unrolled,)
    assert rec.compiles[0].jaxpr is not None
    assert '"line":1' in (rec.compiles[0].equations or "")


@pytest.mark.usefixtures("unhurried")
def test_for_findings_what_xla_did_with_donated_inputs_is_read(reads: list[str]) -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: x.sum(), donate_argnums=0)(jnp.ones(300_000))
    with reading_of("findings"):
        assert [one.kind for one in rec.findings] == ["donation"]
    assert reads == ["_optimised"]


@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_child_reads_nothing_of_its_parents() -> None:
    with jitviz.record() as rec:
        fresh()(X)
        child = os.fork()
        if child == 0:
            os._exit(0 if rec.compiles[0].hlo is None else 1)
        signal.alarm(60)
        assert os.waitpid(child, 0)[1] == 0
        signal.alarm(0)
    assert rec.compiles[0].hlo is not None


# -- what waits keeps nothing alive ------------------------------------------------------------------------------------


class Held:
    """Stands for what a function of the user's holds."""


def custom_jvp(held: Any, table: Any) -> Any:
    @jax.custom_jvp
    def f(x: Any) -> Any:
        return x * table.sum() if held else x

    f.defjvp(lambda xs, ts: (f(xs[0]), ts[0] if held else xs[0]))
    return f


def custom_vjp(held: Any, table: Any) -> Any:
    @jax.custom_vjp
    def f(x: Any) -> Any:
        return x * table.sum() if held else x

    f.defvjp(lambda x: (f(x), x), lambda x, g: (g if held else x,))
    return f


def callback(held: Any, table: Any) -> Any:
    def host(x: Any) -> Any:
        return x if held else table

    return lambda x: jax.pure_callback(host, x, x)


def printed(held: Any, table: Any) -> Any:
    return lambda x: jax.debug.callback(lambda y: (held, table), x) or x


def scanned(held: Any, table: Any) -> Any:
    def body(carry: Any, x: Any) -> Any:
        return carry * table.sum(), x if held else carry

    return lambda x: jax.lax.scan(body, x[0], x)


def branched(held: Any, table: Any) -> Any:
    return lambda x: jax.lax.cond(x[0] > 0, lambda: x * table[:3] if held else x, lambda: x)


def rematerialised(held: Any, table: Any) -> Any:
    def policy(*args: Any, **kwargs: Any) -> bool:
        return held is None

    return jax.grad(jax.checkpoint(lambda x: (x * table[:3]).sum(), policy=policy))


def solved(held: Any, table: Any) -> Any:
    def matvec(x: Any) -> Any:
        return x * table[:3] if held else x

    return lambda x: jax.lax.custom_linear_solve(matvec, x, lambda mv, b: b, symmetric=True)


def rooted(held: Any, table: Any) -> Any:
    return lambda x: jax.lax.custom_root(
        lambda y: (y - x * table[:3]) if held else y, x, lambda f, y: y - f(y), lambda g, z: z / g(jnp.ones_like(z))
    )


PROGRAMS = (
    custom_jvp,
    custom_vjp,
    callback,
    printed,
    scanned,
    branched,
    rematerialised,
    solved,
    rooted,
)


@pytest.mark.parametrize("make", PROGRAMS)
@pytest.mark.parametrize("is_numpy", [False, True])
def test_functions_arrays_and_what_they_hold_are_gone_before_anything_is_read(make: Any, is_numpy: bool) -> None:
    def run() -> list[weakref.ref[Any]]:
        held, table = Held(), np.arange(1000.0, dtype=np.float32) if is_numpy else jnp.arange(1000.0)
        step = make(held, table)
        jax.block_until_ready(jax.jit(lambda x: step(x))(X))
        return [weakref.ref(part) for part in (held, table, step)]

    def left(kept: set[str], tries: int) -> set[str]:
        jax.clear_caches()
        for _ in range(tries):  # the runtime lets go of callbacks in its own time
            gc.collect()
            found = {type(one).__name__ for reference in references if (one := reference()) is not None}
            if found <= kept:
                break
            time.sleep(0.01)
        return found

    references = run()
    alone = left(set(), 10)  # some of it, a version of JAX keeps for ever
    with jitviz.record() as rec:
        references = run()
        assert left(alone, 3000) <= alone
    (row,) = (row for row in rec.compiles if row.call is not None)
    assert rec.facts.failures == []
    assert None not in (row.jaxpr, row.equations)


@pytest.mark.parametrize("clear", [lambda step: step.clear_cache(), lambda step: jax.clear_caches()])
def test_an_executable_goes_with_the_caches_and_its_text_is_still_read(clear: Callable[[Any], None]) -> None:
    def live() -> int:
        gc.collect()
        return len(jax.devices()[0].client.live_executables())

    with jitviz.record() as rec:
        before = live()
        step = fresh()
        step(X)
        assert live() == before + 1
        clear(step)
        assert live() <= before
    (row,) = rec.compiles
    assert "multiply" in (row.hlo or "")
    assert row.cost is not None
    assert row.cost.flops == 3.0
    assert row.memory is not None
    assert row.memory.argument == 12


@pytest.mark.parametrize("make", PROGRAMS)
def test_a_copy_prints_as_the_jaxpr_does(make: Any) -> None:
    jaxpr = jax.jit(make(Held(), np.arange(1000.0, dtype=np.float32))).trace(X).jaxpr
    copy, _ = printing.copy_jaxpr(jaxpr, holds_more=Reprs().holds_more)
    assert printing.jaxpr_text(copy).text == jaxpr.pretty_print(use_color=False)
    assert copy.n_equations > 0


def test_a_training_step_may_wait() -> None:
    from .transformer import arguments, step

    copy, _ = printing.copy_jaxpr(jax.jit(step).trace(*arguments()).jaxpr, holds_more=Reprs().holds_more)
    assert copy.may_wait


def test_what_leads_to_a_function_or_an_array_is_known() -> None:
    holds_more = Reprs().holds_more
    assert not any(map(holds_more, [1, "a", None, (1, (2.0, np.int64(3))), np.dtype("f4"), {"a": [1]}]))
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), "x")
    assert not holds_more((jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x")), mesh))
    mine = (test_a_training_step_may_wait, partial(max), Held, Held(), X, jnp.ones(2), jax.tree.structure([Held()]))
    shared = (1, [2.0])
    for _ in range(2):  # what was found of a part of it hides nothing
        assert all(holds_more(value) and holds_more((shared, [value])) for value in mine)
