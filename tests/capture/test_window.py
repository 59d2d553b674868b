"""The process-wide history is a window: the newest compiles of each lineage, and a limited number altogether."""

import gc
import itertools
import sys
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture import tokens
from jitviz.capture.adapters import registry
from jitviz.capture.in_progress import CallingLine, OpenMiss
from jitviz.capture.log import history
from jitviz.capture.log.history import IN_PROCESS, PER_LINEAGE, History
from jitviz.capture.log.known_functions import FUNCTIONS, KEYS, HeldVersion, KnownFunctions
from jitviz.capture.log.watcher import watcher
from jitviz.model import Function, Leaf, Signature
from jitviz.model.wrappers import JAX
from jitviz.recording.events import (
    CachesCleared,
    CompileFinished,
    CompileStarted,
    Event,
    FunctionSeen,
    PhaseFinished,
)


def row(function: Any, name: str) -> Function:
    return Function(name, name, "made", JAX.name, f"jax.jit|made|{name}", tokens.token(function))


def traced(function: int, signature: Signature) -> Any:
    """What is known of a miss when its trace ends."""
    return SimpleNamespace(function=function, signature=signature, reads=None)


def called(number: int) -> Signature:
    return Signature(leaves=(Leaf(path="x", role="traced", type="jax.Array", shape=(number,), dtype="float32"),))


def started(number: int, function: int, at_s: float = 0.0) -> CompileStarted:
    return CompileStarted(at_s=at_s, compile=number, call=None, function=function, signature=called(number))


def opened(number: int, function: int, version_key: int | None = None) -> OpenMiss:
    return OpenMiss(
        number=number, frame=0, function=function, key=0, signature=Signature(), started_s=0.0, source="", through="",
        written="", stage="call", transform="", jitted_by=JAX, output_transform="", is_doubtful=False, stack=(),
        version_key=version_key,
    )  # fmt: skip


def size_of(tables: object) -> int:
    """The number of entries in all tables of an object, including nested ones."""
    if isinstance(tables, str | bytes | Function | CompileStarted):
        return 0
    if isinstance(tables, dict):
        return len(tables) + sum(size_of(part) for part in tables.values())
    if isinstance(tables, Iterable):
        parts = list(tables) if hasattr(tables, "__len__") else []
        return len(parts) + sum(map(size_of, parts))
    slots = getattr(tables, "__dict__", {})
    return sum(size_of(part) for name, part in slots.items() if name != "_functions")


def compile_many(functions: KnownFunctions, past: History, misses: int, lineages: int) -> None:
    """Misses of functions that die before the next miss, with `lineages` different names."""
    for number in range(misses):

        def made_anew() -> None: ...

        function = functions.number_of_wrapper(made_anew, lambda: row(made_anew, f"f{number % lineages}"))  # noqa: B023
        functions.by_source[f"made anew, {number}"] = function
        past.note_clearing(CachesCleared(number, "function"))
        past.note_start(started(number, function))
        functions.note_compile(function, called(number), is_traced=True)
        functions.note_trace(traced(function, called(number)))
        functions.note_version(opened(number, function, version_key=number))
        past.note_end(PhaseFinished(number, number, "compile", number))
        past.note_end(CompileFinished(number, number, None))


def test_ten_thousand_misses_of_a_thousand_functions_keep_the_history_bounded() -> None:
    functions = KnownFunctions(itertools.count(1))
    past = History(functions)
    compile_many(functions, past, 10_000, 1_000)
    after = size_of(past), size_of(functions)
    compile_many(functions, past, 10_000, 1_000)
    assert len(past._compiles) == IN_PROCESS
    assert len(functions._known) <= max(FUNCTIONS, 2 * IN_PROCESS)
    assert size_of(past) == after[0]
    assert size_of(functions) <= 2 * after[1]


def test_ten_thousand_misses_of_one_function_keep_the_history_bounded() -> None:
    functions = KnownFunctions(itertools.count(1))
    past = History(functions)

    def one() -> None: ...

    number = functions.number_of(row(one, "one"))
    for compile_ in range(10_000):
        past.note_start(started(compile_, number))
        functions.note_compile(number, called(compile_), is_traced=True)
        functions.note_trace(traced(number, called(compile_)))
        functions.note_version(opened(compile_, number, version_key=compile_))
        past.note_end(CompileFinished(0.0, compile_, None))
    assert len(past._compiles) == PER_LINEAGE
    assert size_of(functions) < 6 * KEYS + 100
    assert functions.traces_of(tokens.token(one)) == 10_000


def test_every_trace_of_a_function_with_very_many_traces_may_be_in_the_cache_of_jax() -> None:
    functions = KnownFunctions(itertools.count(1))

    def one() -> None: ...

    number = functions.number_of(row(one, "one"))
    for key in range(KEYS - 1):
        functions.note_trace(traced(number, called(key)))
    assert not functions.may_be_traced(number, called(-1))
    functions.note_trace(traced(number, called(KEYS)))
    assert functions.may_be_traced(number, called(-1))


def test_living_functions_are_kept_and_dead_ones_are_forgotten() -> None:
    functions = KnownFunctions(itertools.count(1))

    def lives() -> None: ...

    number, kept = functions.number_of(row(lives, "lives")), functions.number_of(row(lambda: 0, "in the window"))
    gone = functions.number_of(row(lambda: 0, "gone"))
    gc.collect()
    functions.drop_dead({kept})
    assert [one in functions for one in (number, kept, gone)] == [True, True, False]
    assert functions.number_of(row(lives, "lives")) == number


def test_the_window_replays_the_newest_compiles_of_a_lineage_oldest_first() -> None:
    functions = KnownFunctions(itertools.count(1))
    past = History(functions)

    def one() -> None: ...

    info = row(one, "one")
    number = functions.number_of(info)
    past.note_start(started(1, number))
    past.note_end(CompileFinished(0.5, 1, None))
    past.note_clearing(CachesCleared(1.0, "function"))
    past.note_clearing(CachesCleared(1.5, "all"))
    past.note_start(started(2, number, 2.0))
    past.note_start(started(3, number, 3.0))
    past.forget(3)
    past.note_end(CompileFinished(4.0, 3, "ValueError"))
    expected: list[Event] = [
        FunctionSeen(0.0, number, info),
        started(1, number),
        CompileFinished(0.5, 1, None),
        CachesCleared(2.0, "all"),
        started(2, number, 2.0),
    ]
    assert list(past.replay(info.lineage)) == expected
    assert list(past.replay(info.lineage, among={1})) == expected[:3]
    assert list(past.clearings_since(info.lineage)) == []


def test_a_function_that_the_window_has_forgotten_has_no_first_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    capture.watch()
    monkeypatch.setattr(watcher, "history", History(watcher.functions))
    monkeypatch.setattr(history, "IN_PROCESS", 2)
    steps = [jax.jit(lambda x, n=n: x + n) for n in range(3)]

    @jax.jit
    def forgotten(x: Any) -> Any:
        return x

    forgotten(np.ones(3))
    for step in steps:
        step(np.ones(3))
    with jitviz.record() as rec:
        forgotten(np.ones(4))
    assert [reason.kind for reason in rec.compiles[0].reasons] == ["unexplained"]


def test_traces_of_a_filter_jit_are_counted_while_another_thread_adds_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = jitviz.filter_jit(lambda x, n: x * n)

    def count_and_add(jitted: object) -> int:
        step.lower(np.ones(3), len(step.set_up().programs))  # as another thread may
        return 1

    step(np.ones(3), -1)
    jitted = registry.jitted_under(step)
    monkeypatch.setattr(registry.caches, "trace_count", count_and_add)
    assert jitted is not None
    assert jitted.trace_count() == 1


def test_traces_are_counted_while_other_threads_jit() -> None:
    def jit_another(*_: object) -> None:
        if len(others) < 9:
            others.append(lambda: None)
            functions.number_of(row(others[-1], "other"))

    functions, others, step = KnownFunctions(itertools.count(1)), [], row(jit_another, "step")
    number = functions.number_of(step)
    functions.note_compile(number, called(3), is_traced=True)
    before = sys.getprofile()
    sys.setprofile(jit_another)
    try:
        counted = functions.traces_of(step.token), functions.lineages_of(step.token)
    finally:
        sys.setprofile(before)
    assert counted == (1, {step.lineage})
    assert len(others) == 9


def test_versions_may_be_added_by_another_thread_while_a_hit_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = KnownFunctions(itertools.count(1))
    number = functions.number_of(row(len, "f"))
    versions: dict[Any, HeldVersion] = functions._known[number].versions  # type: ignore[assignment]

    def may_run(held: HeldVersion, site: CallingLine, *, is_plain: bool) -> bool:
        versions[len(versions)] = HeldVersion((), "", None)
        return True

    monkeypatch.setattr(HeldVersion, "may_run", may_run)
    versions[0] = HeldVersion((), "", None)
    site = CallingLine(number, 1, "a.py:1")  # type: ignore[arg-type]
    assert list(functions.versions_of_hit(site)) == [0]
    assert list(functions.versions_of_hit(site)) == [0, 1]
