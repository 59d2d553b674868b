"""Ctrl-C at any point, and programs that XLA refuses: the error reaches the user, and the next call is seen."""

import inspect
import logging
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jitviz
from jitviz.capture.in_progress import here
from jitviz.capture.log.watcher import watcher
from jitviz.jaxcompat.jax_frames import stack

from .samples import JITS, SEES_HITS, fresh

X, Y = np.ones(3, np.float32), np.ones(4, np.float32)
ERROR = jax.errors.JaxRuntimeError.__name__  # up to jax 0.7 it is that of XLA
Strikes = Callable[[FrameType, str], bool]


def interrupted(run: Callable[[], Any], strikes: Strikes) -> bool:
    """Run with a KeyboardInterrupt at the first call or return for which `strikes` is true; whether it was raised."""

    def strike(frame: FrameType, event: str, _: Any) -> None:
        if event in ("call", "return") and strikes(frame, event):
            sys.setprofile(before)
            raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(strike)
    try:
        run()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(before)
    return False


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs jitviz; not in a generator, since Python itself swallows what is raised as it is freed, nor
    beneath `logging`, which then keeps its lock."""
    code = frame.f_code
    if not code.co_filename.startswith(jitviz.__path__[0]) or code.co_flags & inspect.CO_GENERATOR:
        return False
    return not any(above.f_code.co_filename == logging.__file__ for above in stack(frame))


def recorded(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record(sample=False):
        step(X)
        step(X)


def assert_all_is_well(api: str) -> None:
    """Nothing is recorded, no lock is held, and recordings on this thread and another one are complete."""
    assert watcher.sinks == []

    def run() -> None:
        with jitviz.record(sample=False) as rec:
            fresh(JITS[api])(X)
        seen.append(([(call.outcome, call.parent) for call in rec.calls], rec.facts.failures, list(here.mine.phases)))

    seen: list[Any] = []
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    run()
    assert seen == [([("compile", None)], [], [])] * 2


@pytest.mark.parametrize("api", list(JITS))
def test_an_interrupt_in_the_code_of_jitviz_reaches_the_user(api: str) -> None:
    jitviz.capture.watch()
    recorded(api)
    places: list[str] = []

    def count(frame: FrameType, _: str) -> bool:
        if is_ours(frame):
            places.append(frame.f_code.co_qualname)
        return False

    interrupted(lambda: recorded(api), count)
    places.clear()  # some code runs only the first time
    interrupted(lambda: recorded(api), count)
    for place in range(0, len(places) * 9 // 10, len(places) // 6):  # the last ones differ between runs
        left = place

        def strikes(frame: FrameType, _: str) -> bool:
            nonlocal left
            left -= is_ours(frame)
            return left < 0

        assert interrupted(lambda: recorded(api), strikes), (place, places[place])
        assert_all_is_well(api)


@pytest.mark.parametrize("inside", ["lower_jaxpr_to_module", "compile_or_get_cached"])
@pytest.mark.parametrize("api", list(JITS))
def test_an_interrupt_in_a_phase_is_an_error_of_its_call(api: str, inside: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record(sample=False) as rec:
        assert interrupted(lambda: step(X), lambda frame, _: frame.f_code.co_name == inside)
        assert float(step(X)[0]) == 2.0
    assert [(call.outcome, call.error) for call in rec.calls][-2:] == [
        ("error", "KeyboardInterrupt"),
        ("compile", None),
    ]
    assert [row.status for row in rec.compiles][-2:] == ["failed", "done"]
    assert rec.facts.failures == []
    assert_all_is_well(api)


@pytest.mark.parametrize("api", list(JITS))
def test_an_interrupt_in_a_trace_is_an_error_of_its_call(api: str) -> None:
    def body(x: Any) -> Any:
        strikes.append(len(strikes))
        if len(strikes) == 1:
            signal.raise_signal(signal.SIGINT)
        return x * 2

    strikes: list[int] = []
    step = JITS[api](body)
    with jitviz.record(sample=False) as rec:
        with pytest.raises(KeyboardInterrupt):
            step(X)
        assert float(step(X)[0]) == 2.0
    assert [(call.outcome, call.error) for call in rec.calls] == [("error", "KeyboardInterrupt"), ("compile", None)]
    assert_all_is_well(api)


def phases_told(rec: jitviz.Recording) -> list[list[str]]:
    return [[phase.name for phase in row.phases] for row in rec.compiles]


@pytest.mark.parametrize("stops", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("before", [False, True], ids=["first", "after_another_shape"])
@pytest.mark.parametrize("api", [*JITS, "nnx.jit", "nested", "lower"])
def test_a_trace_that_failed_is_a_trace_again(api: str, before: bool, stops: type[BaseException]) -> None:
    def body(x: Any) -> Any:
        if stops in failing:
            raise stops
        return x * 2

    inner = JITS.get(api, nnx.jit if api == "nnx.jit" else jax.jit)(body)
    step = {"nested": jax.jit(lambda x: inner(x) + 1), "lower": lambda x: inner.lower(x).compile()}.get(api, inner)
    failing: list[Any] = []
    with jitviz.record(sample=False) as rec:
        if before:
            step(Y)
        failing.append(stops)
        for _ in range(2):
            with pytest.raises(stops):
                step(X)
        failing.clear()
        step(X)
        jax.clear_caches()
        step(X)
    every = ["trace", "lower", "compile"]
    assert phases_told(rec) == [every] * before + [["trace"], ["trace"], every, every]
    assert rec.facts.failures == []


@pytest.mark.parametrize("api", list(JITS))
def test_a_trace_whose_lowering_failed_is_not_done_again(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record(sample=False) as rec:
        assert interrupted(lambda: step(X), lambda frame, _: frame.f_code.co_name == "lower_jaxpr_to_module")
        step(X)
    assert phases_told(rec) == [["trace", "lower"], ["lower", "compile"]]


def test_a_trace_that_another_jit_object_has_made_is_not_told_as_one() -> None:
    def body(x: Any) -> Any:
        return x * 2

    with jitviz.record(sample=False) as rec:
        for options in ({}, {"keep_unused": True}, {"inline": True}):
            jax.jit(body, **options)(X)
    assert phases_told(rec) == [["trace", "lower", "compile"]]


@pytest.mark.parametrize("api", list(JITS))
def test_an_interrupt_while_a_program_runs_is_raised_as_without_jitviz(api: str, capfd: Any) -> None:
    def host(x: Any) -> Any:
        runs.append(len(runs))
        if len(runs) == 2:
            signal.raise_signal(signal.SIGINT)
        return x

    def results() -> list[str]:
        runs.clear()
        step = JITS[api](lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((3,), jnp.float32), x) * 2)
        return [result(step) for _ in range(3)]

    def result(step: Any) -> str:
        try:
            return str(jax.block_until_ready(step(X)))
        except (ValueError, KeyboardInterrupt) as error:
            return type(error).__name__

    runs: list[int] = []
    alone = results()
    with jitviz.record(sample=False) as rec:
        assert results() == alone
    assert alone[1].isidentifier()
    assert alone[::2] == ["[2. 2. 2.]"] * 2
    if api != "jax.jit" or SEES_HITS:
        assert [call.outcome for call in rec.calls] == ["compile", "error", "hit"]
    assert rec.facts.failures == []
    assert_all_is_well(api)


@pytest.mark.parametrize("api", list(JITS))
def test_a_program_that_xla_refuses_to_run_is_an_error_of_its_call(api: str) -> None:
    too_large = JITS[api](lambda x: jnp.zeros((1 << 44,)) + x)

    def run() -> None:
        ran.append(too_large(X[0]))  # in some versions it returns, and the result raises
        jax.block_until_ready(ran)

    ran: list[Any] = []
    with jitviz.record(sample=False) as rec, pytest.raises(jax.errors.JaxRuntimeError, match=r"^RESOURCE_EXHAUSTED"):
        run()
    (call,) = rec.calls
    has_raised = not ran and call.is_end_known  # on 3.11 the end of a jax.jit call after its compile is not seen
    assert call.outcome == ("error" if has_raised else "compile")
    assert (call.error or "")[:33] == (f"{ERROR}: RESOURCE_EXHAUST" if has_raised else "")
    assert [row.status for row in rec.compiles] == ["done"]
    assert rec.facts.failures == []
    assert_all_is_well(api)


@pytest.mark.parametrize("api", list(JITS))
def test_a_program_that_xla_cannot_compile_is_an_error_of_its_call(api: str) -> None:
    unknown = JITS[api](lambda x: jax.ffi.ffi_call("nowhere", jax.ShapeDtypeStruct((3,), np.float32))(x))
    with jitviz.record(sample=False) as rec, pytest.raises(jax.errors.JaxRuntimeError, match=r"^NOT_FOUND") as raised:
        unknown(X)
    (call,), (row,) = rec.calls, rec.compiles
    assert (call.outcome, call.error) == ("error", f"{ERROR}: {raised.value}")
    assert (row.status, [phase.name for phase in row.phases]) == ("failed", ["trace", "lower", "compile"])
    assert rec.facts.failures == []
    assert_all_is_well(api)
