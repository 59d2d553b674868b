"""History begins with the process, not with the recording: what a recording's compiles are compared with."""

import gc
from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest

import jitviz
from jitviz import capture
from jitviz.capture.hooks.history import PER_LINEAGE
from jitviz.recording.events import CachesCleared

from .samples import JITS

X, Y, Z = (np.ones(size, np.float32) for size in (3, 4, 5))


def cause(recording: Any, place: int = 0) -> tuple[str, str]:
    """Kind and path of the first reason of a compile."""
    reason = recording.compiles[place].reasons[0]
    return reason.kind, reason.path


def own(api: str) -> Any:
    """A function that no other test compares with: its name is part of its lineage, so each api has its own."""

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
    assert cause(second) == ("shape", "x")
    (reason,) = second.compiles[0].reasons
    assert (reason.before, reason.after) == ("f32[3]", "f32[4]")
    assert second.earlier[-1].signature == first.compiles[0].signature
    assert second.earlier[-1].start_s < 0
    assert second.compiles[0].version == first.compiles[0].version + 1


@pytest.mark.parametrize("api", list(JITS))
def test_what_was_compiled_between_recordings_is_compared_with_too(api: str) -> None:
    capture.watch()
    step = own(api)
    step(X)
    with jitviz.record() as rec:
        step(Y)
    assert cause(rec) == ("shape", "x")


@pytest.mark.parametrize("api", list(JITS))
def test_a_function_that_was_compiled_before_jitviz_watched_is_said_to_be_so(api: str) -> None:
    capture.unwatch()

    def compiled_before(x: Any) -> Any:
        return x + 2

    step = JITS[api](compiled_before)
    step(X)
    with jitviz.record() as rec:
        step(Y)
        step(Z)
    assert cause(rec) == ("unexplained", "")
    assert "before jitviz watched" in rec.compiles[0].reasons[0].summary
    assert cause(rec, 1) == ("shape", "x")


def test_a_function_that_died_and_was_defined_anew_is_compared_with_its_former_self() -> None:
    def define() -> Any:
        @jax.jit
        def redefined(x: Any) -> Any:
            return x + 3

        return redefined

    with jitviz.record() as rec:
        define()(X)
        gc.collect()
        define()(X)
    assert [compile_.version for compile_ in rec.compiles] == [
        rec.compiles[0].version,
        rec.compiles[0].version + 1,
    ]
    assert cause(rec, 1) == ("new_function", "")


def test_cleared_caches_are_told_across_recordings() -> None:
    def cleared_between(x: Any) -> Any:
        return x + 4

    step = jax.jit(cleared_between)
    with jitviz.record():
        step(X)
    jax.clear_caches()
    with jitviz.record() as rec:
        step(X)
    assert cause(rec) == ("cache_cleared", "")


def test_nothing_was_cleared_by_a_setting_or_a_backward_pass() -> None:
    def watched(x: Any) -> Any:
        return (x**2).sum()

    step = jax.jit(watched)
    with jitviz.record() as rec:
        step(X)
        with jax.enable_x64(True):
            step(X)
        jax.grad(step)(X)
        step(Y)
    assert [event for event in rec.events if isinstance(event, CachesCleared)] == []


def test_the_history_goes_on_after_a_pause() -> None:
    step = own("jax.jit")
    with jitviz.record():
        step(X)
    capture.unwatch()
    with jitviz.record() as rec:
        step(Y)
    assert cause(rec) == ("shape", "x")


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


def test_a_hit_of_an_earlier_version_is_told_with_that_version() -> None:
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
def test_the_compiles_of_one_function_are_told_as_a_recording(api: str) -> None:
    capture.watch()

    def asked_for(x: Any) -> Any:
        return x * 3

    step = JITS[api](asked_for)
    step(X)
    step(Y)
    rec = capture.history_of(step)
    assert [(compile_.function, compile_.reasons[0].kind) for compile_ in rec.compiles] == [
        ("asked_for", "first"),
        ("asked_for", "shape"),
    ]
    assert list(rec.calls) == []
    assert not rec.is_live
    assert all(compile_.duration_s > 0 for compile_ in rec.compiles)


def test_only_a_jitted_function_has_a_history() -> None:
    with pytest.raises(TypeError, match="function is not jitted"):
        capture.history_of(lambda x: x)


def test_a_function_jitted_by_different_means_is_several_functions() -> None:
    def shared(x: Any) -> Any:
        return x - 1

    with jitviz.record() as rec:
        for jit in (jax.jit, eqx.filter_jit, jitviz.filter_jit):
            jit(shared)(X)
    assert [cause(rec, place)[0] for place in range(3)] == ["first"] * 3
    assert len(rec.facts.functions) == 3
