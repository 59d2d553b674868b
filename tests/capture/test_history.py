"""The history is older than a recording: its compiles are compared with those of the whole process."""

import gc
from typing import Any

import jax
import numpy as np
import pytest
from jax._src.config import enable_x64  # public from jax 0.8 on

import jitviz
from jitviz import capture
from jitviz.capture.log.history import PER_LINEAGE
from jitviz.capture.traces import history_of
from jitviz.recording.events import CachesCleared

from .samples import JITS, causes, named_causes

X, Y, Z = (np.ones(size, np.float32) for size in (3, 4, 5))


def own(api: str) -> Any:
    """A function with a lineage that no other test has; each api has its own."""

    def looked_back_at(x: Any) -> Any:
        return x + 1

    return JITS[api](looked_back_at)


@pytest.mark.parametrize("api", list(JITS))
def test_a_recompile_is_compared_with_what_earlier_recordings_compiled(api: str) -> None:
    step = own(api)
    with jitviz.record() as first:
        step(X)
    with jitviz.record() as second:
        step(Y)
    assert causes(second)[0] == ("shape", "x")
    (reason,) = second.compiles[0].reasons
    assert (reason.before, reason.after) == ("f32[3]", "f32[4]")
    assert second.earlier[-1].signature == first.compiles[0].signature
    assert second.earlier[-1].start_s < 0
    assert second.compiles[0].version == first.compiles[0].version + 1


@pytest.mark.parametrize("api", list(JITS))
def test_a_recompile_is_compared_with_compiles_between_recordings(api: str) -> None:
    capture.watch()
    step = own(api)
    step(X)
    with jitviz.record() as rec:
        step(Y)
    assert causes(rec)[0] == ("shape", "x")


@pytest.mark.parametrize("api", list(JITS))
def test_a_function_that_compiled_before_jitviz_watched_is_marked_as_such(api: str) -> None:
    capture.unwatch()

    def compiled_before(x: Any) -> Any:
        return x + 2

    step = JITS[api](compiled_before)
    step(X)
    with jitviz.record() as rec:
        step(Y)
        step(Z)
    assert causes(rec)[0] == ("unexplained", "")
    assert "before jitviz started to watch" in rec.compiles[0].reasons[0].summary
    assert causes(rec)[1] == ("shape", "x")


def test_a_function_that_is_defined_again_is_compared_with_the_one_that_died() -> None:
    def define() -> Any:
        @jax.jit
        def redefined(x: Any) -> Any:
            return x + 3

        return redefined

    with jitviz.record() as rec:
        define()(X)
        gc.collect()
        define()(X)
    assert named_causes(rec) == [("redefined", 1, "first"), ("redefined", 2, "new_function")]


def test_caches_cleared_between_recordings_are_noticed() -> None:
    def cleared_between(x: Any) -> Any:
        return x + 4

    step = jax.jit(cleared_between)
    with jitviz.record():
        step(X)
    jax.clear_caches()
    with jitviz.record() as rec:
        step(X)
    assert causes(rec)[0] == ("cache_cleared", "")


def test_a_setting_or_a_backward_pass_clears_nothing() -> None:
    def watched(x: Any) -> Any:
        return (x**2).sum()

    step = jax.jit(watched)
    with jitviz.record() as rec:
        step(X)
        with enable_x64(True):
            step(X)
        jax.grad(step)(X)
        step(Y)
    assert [event for event in rec.events if isinstance(event, CachesCleared)] == []


def test_the_history_continues_after_a_pause() -> None:
    step = own("jax.jit")
    with jitviz.record():
        step(X)
    capture.unwatch()
    with jitviz.record() as rec:
        step(Y)
    assert causes(rec)[0] == ("shape", "x")


def test_only_the_newest_versions_of_a_function_are_remembered() -> None:
    @jax.jit
    def often(x: Any) -> Any:
        return None

    capture.watch()
    for size in range(PER_LINEAGE + 5):
        often(np.ones(size))
    with jitviz.record() as rec:
        often(np.ones((2, 2)))
    assert len(rec.earlier) == PER_LINEAGE
    assert rec.earlier[0].signature.leaves[0].shape == (5,)


def test_a_hit_of_an_earlier_version_has_that_version() -> None:
    @jitviz.filter_jit
    def told_again(x: Any) -> Any:
        return x

    with jitviz.record() as first:
        told_again(X)
    with jitviz.record() as second:
        told_again(X)
    (call,) = second.calls
    assert (call.outcome, call.version) == ("hit", first.compiles[0].version)
    assert call.compile == second.earlier[-1]


@pytest.mark.parametrize("api", list(JITS))
def test_the_history_of_one_function_is_a_recording(api: str) -> None:
    capture.watch()

    def asked_for(x: Any) -> Any:
        return x * 3

    step = JITS[api](asked_for)
    step(X)
    step(Y)
    rec = history_of(step)
    assert named_causes(rec) == [("asked_for", 1, "first"), ("asked_for", 2, "shape")]
    assert list(rec.calls) == []
    assert not rec.is_live
    assert all(compile_.duration_s > 0 for compile_ in rec.compiles)


def test_only_a_jitted_function_has_a_history() -> None:
    with pytest.raises(TypeError, match="function is not jitted"):
        history_of(lambda x: x)


def test_a_function_jitted_by_different_wrappers_is_several_functions() -> None:
    def shared(x: Any) -> Any:
        return x - 1

    with jitviz.record() as rec:
        for jit in JITS.values():
            jit(shared)(X)
    assert causes(rec) == [("first", "")] * 3
    assert len(rec.facts.functions) == 3
