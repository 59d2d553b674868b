"""Calls on several threads and in generators, and recursive calls. See also `test_storms`."""

import _thread
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

import jitviz

from .samples import JITS, JITS_WITH_HITS, fresh, on_threads, outcomes

X = np.ones(3, np.float32)


@pytest.mark.parametrize("api", list(JITS))
def test_a_thread_may_begin_with_a_jitted_function(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    has_begun, failures = threading.Event(), list[Any]()

    def step(x: Any) -> Any:
        has_begun.set()
        return x

    monkeypatch.setattr(sys, "unraisablehook", failures.append)
    with jitviz.record() as rec:
        n_threads = _thread._count()
        _thread.start_new_thread(JITS[api](step), (X,))
        assert has_begun.wait()
        while _thread._count() > n_threads:
            time.sleep(0.01)
    assert failures == rec.facts.failures == []


def test_compiles_on_two_threads_at_once_keep_their_own_phases() -> None:
    barrier = threading.Barrier(2)

    def work(size: int) -> None:
        @jax.jit
        def meeting(x: Any) -> Any:
            barrier.wait()
            return x * size

        meeting(np.ones(size, np.float32))

    with jitviz.record() as rec:
        on_threads(work, 2)
    assert rec.facts.failures == []
    assert len(rec.compiles) == 2
    for compile_ in rec.compiles:
        assert [phase.name for phase in compile_.phases] == ["trace", "lower", "compile"]
        (leaf,) = compile_.signature.leaves
        assert leaf.shape is not None
        assert compile_.call is not None
        assert compile_.call.thread == f"worker {leaf.shape[0]}"
        assert compile_.outputs[0].shape == leaf.shape


def test_calls_in_a_generator_that_is_closed_early_are_seen() -> None:
    step = fresh(jitviz.filter_jit)

    def batches() -> Iterator[Any]:
        while True:
            yield step(X)

    with jitviz.record() as rec:
        generator = batches()
        next(generator)
        next(generator)
        generator.close()
        step(X)
    assert [call.outcome for call in rec.calls] == ["compile", "hit", "hit"]
    assert {call.parent for call in rec.calls} == {None}


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_a_function_that_calls_itself_during_its_trace_is_seen_at_each_level(api: str) -> None:
    @JITS[api]
    def countdown(x: Any) -> Any:
        size = x.shape[0]
        return x.sum() if size == 1 else countdown(x[1:]) + x[0]

    with jitviz.record() as rec:
        countdown(X)
    assert [(call.outcome, call.parent) for call in rec.calls] == [("compile", None), ("inlined", 0), ("inlined", 1)]
    assert rec.facts.failures == []


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_a_call_from_a_callback_inside_a_program_is_seen(api: str) -> None:
    inner = fresh(JITS[api])

    @JITS[api]
    def outer(x: Any) -> Any:
        return jax.pure_callback(lambda x: np.asarray(inner(np.asarray(x))), x, x)

    jax.block_until_ready(outer(X))
    with jitviz.record() as rec:
        jax.block_until_ready(outer(X))
    assert sorted(outcomes(rec)) == [("outer", "hit"), ("step", "hit")]
    assert rec.facts.failures == []
