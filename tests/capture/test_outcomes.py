"""The outcome of a call, and where, when and inside which call it happened."""

import cProfile
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.capture.hooks import phases
from jitviz.jaxcompat import private

from .samples import FILTER_JITS, JITS, JITS_WITH_HITS, SEES_HITS, fresh, needs_hits, outcomes

X, Y = np.ones(3, np.float32), np.ones(4, np.float32)


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_a_second_call_with_the_same_signature_is_a_hit(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        for x in (X, X, Y, X):
            step(x)
    assert outcomes(rec) == [("step", "compile"), ("step", "hit"), ("step", "compile"), ("step", "hit")]


@needs_hits
def test_a_compile_without_a_trace_has_no_trace_phase() -> None:
    step = jax.jit(lambda x: x * 2)
    other = jax.jit(step.__wrapped__)
    committed = jax.device_put(X, jax.devices()[0])
    with jitviz.record() as rec:
        step(X)
        other(X)  # the same function, jitted again, finds everything in the cache
        step(committed)  # is lowered again, not traced
    assert [call.outcome for call in rec.calls] == ["compile", "hit", "compile"]
    assert [[phase.name for phase in compile_.phases] for compile_ in rec.compiles] == [
        ["trace", "lower", "compile"],
        ["lower", "compile"],
    ]


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
@pytest.mark.parametrize(
    "first", [lambda f: jax.jit(f)(X), lambda f: jax.grad(lambda x: jax.jit(f)(x).sum())(X)], ids=["jit", "grad"]
)
def test_a_trace_that_jax_has_in_its_cache_is_no_trace_of_another_jit(first: Callable[..., Any]) -> None:
    def double(x: Any) -> Any:
        return x * 2

    with jitviz.record() as rec:
        first(double)
        jax.jit(double, donate_argnums=0)(X)
    assert [phase.name for phase in rec.compiles[-1].phases] == ["lower", "compile"]


@pytest.mark.parametrize("api", list(JITS))
def test_a_call_inside_a_trace_is_inlined_under_its_parent(api: str) -> None:
    inner = fresh(JITS[api])

    @JITS[api]
    def outer(x: Any) -> Any:
        return inner(x) + 1.0

    with jitviz.record() as rec:
        outer(X)
    if SEES_HITS or api != "jax.jit":
        assert outcomes(rec) == [("outer", "compile"), ("step", "inlined")]
        assert [call.parent for call in rec.calls] == [None, 0]
    assert [compile_.function for compile_ in rec.compiles if compile_.phases[-1].name == "compile"] == ["outer"]


@pytest.mark.parametrize("api", FILTER_JITS)
def test_filter_jit_can_be_inlined_with_a_result_that_is_no_array(api: str) -> None:
    inner = JITS[api](lambda x: (x, "constant"), inline=True)

    @jax.jit
    def outer(x: Any) -> Any:
        y, text = inner(x)
        assert text == "constant"
        return y

    with jitviz.record() as rec:
        outer(X)
    assert ("<lambda>", "inlined") in outcomes(rec)
    assert rec.facts.failures == []


@pytest.mark.parametrize("api", list(JITS))
def test_an_error_in_a_trace_is_shown_with_its_type_its_first_line_and_the_line_that_raised_it(api: str) -> None:
    @JITS[api]
    def fail(x: Any) -> Any:
        raise ValueError("mine\nand more")

    with jitviz.record() as rec, pytest.raises(ValueError, match="mine"):
        fail(X)
    (call,) = rec.calls
    (compile_,) = rec.compiles
    line = fail.__wrapped__.__code__.co_firstlineno + 2
    error = f'ValueError: mine. At tests/capture/test_outcomes.py:{line}, `raise ValueError("mine\\nand more")`.'
    assert (call.outcome, call.error) == ("error", error)
    assert (compile_.status, compile_.error) == ("failed", error)
    assert compile_.hlo is None


@needs_hits
def test_an_error_of_a_debugging_check_is_shown() -> None:
    with jitviz.record() as rec, jax.debug_nans(True), pytest.raises(FloatingPointError):
        jax.jit(jnp.log)(-X)
    assert [call.error for call in rec.calls] == ["FloatingPointError: invalid value (nan) encountered in log"]


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_an_error_at_run_time_is_shown_with_its_type_and_first_line(api: str) -> None:
    step, gone = fresh(JITS[api]), jnp.ones(3)
    gone.delete()
    with jitviz.record() as rec:
        step(X)
        with pytest.raises(RuntimeError, match="deleted"):
            step(gone)
    assert [call.outcome for call in rec.calls] == ["compile", "error"]
    assert rec.calls[1].error == "RuntimeError: Array has been deleted with shape=float32[3]."


@needs_hits
def test_a_call_with_wrong_arguments_is_an_error_that_compiled_nothing() -> None:
    step = fresh()
    with jitviz.record() as rec:
        with pytest.raises(TypeError):
            step()
        with pytest.raises(TypeError):
            step(object())
    assert [call.outcome for call in rec.calls] == ["error", "error"]
    assert all(call.error is not None and call.error.startswith("TypeError: ") for call in rec.calls)


class Unflattened:
    """A node that raises when it is flattened."""


def flatten_fails(_: Unflattened) -> Any:
    raise ValueError("mine")


jax.tree_util.register_pytree_node(Unflattened, flatten_fails, lambda *_: Unflattened())


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_a_call_that_raises_before_its_program_is_found_is_an_error_with_a_line(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        step(X)
        for _ in range(2):
            with pytest.raises(ValueError, match="mine"):
                step(Unflattened())
            line = sys._getframe().f_lineno - 1
        with pytest.raises(TypeError):
            step()
        step(X)
    assert outcomes(rec) == [("step", outcome) for outcome in ("compile", "error", "error", "error", "hit")]
    assert [call.error for call in rec.calls[1:3]] == ["ValueError: mine"] * 2
    assert [call.source for call in rec.calls[1:3]] == [f"tests/capture/test_outcomes.py:{line}"] * 2
    assert rec.facts.failures == []


def test_ahead_of_time_work_is_listed_and_is_no_call() -> None:
    step = jax.jit(lambda x: x * 2)
    with jitviz.record() as rec:
        lowered = step.lower(X)
        lowered.compile()
        jax.eval_shape(step, Y)
        jax.make_jaxpr(step)(Y)
    assert list(rec.calls) == []
    assert [(function, stage) for function, stage, _ in rec.facts.stages] == [
        ("<lambda>", "lower"),
        ("<lambda>", "eval_shape"),
        ("<lambda>", "make_jaxpr"),
    ]
    assert [(compile_.stage, compile_.call) for compile_ in rec.compiles] == [("lower", None)]
    assert rec.facts.failures == []


def test_lowering_a_filter_jit_ahead_of_time_is_no_call() -> None:
    step = jitviz.filter_jit(lambda x, flag: x * 2)
    with jitviz.record() as rec:
        step.lower(X, "train").compile()
    assert list(rec.calls) == []
    assert [(compile_.function, compile_.stage) for compile_ in rec.compiles] == [("<lambda>", "lower")]


@pytest.mark.parametrize("api", list(JITS))
def test_nothing_is_a_hit_where_jit_is_disabled(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        with jax.disable_jit():
            step(jnp.ones(3))
            step(jnp.ones(3))
        step(X)
    assert [call.outcome for call in rec.calls] == ["compile"]


def test_a_recording_that_begins_without_jit_says_that_no_function_is_jitted() -> None:
    with jax.disable_jit(), jitviz.record() as rec:
        jax.jit(jnp.sin)(X)
    assert "While `jax_disable_jit` is set, no function is jitted." in rec.facts.limits
    with jitviz.record() as rec:
        pass
    assert [limit for limit in rec.facts.limits if "jax_disable_jit" in limit] == []


def test_calls_have_a_time_a_thread_and_a_line() -> None:
    step = fresh(jitviz.filter_jit)
    with jitviz.record() as rec:
        step(X)
        line = sys._getframe().f_lineno - 1
        other = threading.Thread(target=lambda: step(X), name="worker")
        other.start()
        other.join()
    first, second = rec.calls
    assert 0 <= first.start_s <= second.start_s <= rec.facts.wall_s
    assert first.duration_s is not None
    assert first.duration_s >= rec.compiles[0].duration_s > 0
    assert first.source == f"tests/capture/test_outcomes.py:{line}"
    assert (first.thread, second.thread) == ("MainThread", "worker")
    assert rec.compiles[0].source == first.source


@pytest.mark.parametrize("api", FILTER_JITS)
def test_the_first_call_of_a_recording_has_a_signature_even_if_it_hits(api: str) -> None:
    step = fresh(JITS[api])
    step(X)
    with jitviz.record() as rec:
        step(X)
        step(X)
    assert [call.outcome for call in rec.calls] == ["hit", "hit"]
    signature = rec.calls[0].signature
    assert signature is not None
    assert [(leaf.path, leaf.shape) for leaf in signature.leaves] == [("x", (3,))]
    assert rec.calls[1].signature is None


@pytest.mark.parametrize("api", JITS_WITH_HITS)
def test_the_version_of_a_hit_is_known_while_there_is_only_one_or_its_first_argument_tells(api: str) -> None:
    step = fresh(JITS[api])
    with jitviz.record() as rec:
        for x in (X, X, Y, Y):
            step(x)
    first, second = rec.compiles
    assert [call.compile for call in rec.calls] == [first, first, second, second]


def test_the_version_of_a_hit_is_known_by_its_static_key() -> None:
    step = jitviz.filter_jit(lambda x, mode: x if mode == "eval" else x * 2)
    with jitviz.record() as rec:
        for mode in ("train", "eval", "train", "eval"):
            step(X, mode)
    assert [call.version for call in rec.calls] == [rec.compiles[0].version, rec.compiles[1].version] * 2


def test_phases_without_a_time_in_jax_have_none() -> None:
    step = fresh()
    with jitviz.record() as rec:
        jax.vmap(step)(X)
    phases = {phase.name: phase.duration_s for compile_ in rec.compiles for phase in compile_.phases}
    assert phases["lower"] is not None
    assert phases["compile"] is not None
    traced = [phase for compile_ in rec.compiles for phase in compile_.phases if phase.name == "trace"]
    assert traced == [] or all(phase.duration_s is not None for phase in traced)


def test_the_limits_name_the_hits_that_are_not_seen() -> None:
    with jitviz.record() as rec:
        pass
    expected = {
        True: "Hits of jax.jit functions are counted as 'at least': calls made from C, as in map(f, xs), are not seen.",
        False: "Hits of jax.jit functions are not seen on Python 3.11 (their compiles are); Python 3.12 shows them.",
    }
    assert rec.facts.limits == (expected[SEES_HITS], *private.limits())
    assert rec.hits_seen == ("some" if SEES_HITS else "none")


@needs_hits
def test_without_a_free_tool_number_the_limits_say_that_hits_are_not_seen() -> None:
    free = [number for number in (3, 4, 5) if sys.monitoring.get_tool(number) is None]
    for number in free:
        sys.monitoring.use_tool_id(number, "another tool")
    try:
        with jitviz.record() as rec, cProfile.Profile():  # it has a tool number of its own
            fresh()(X)
    finally:
        for number in free:
            sys.monitoring.free_tool_id(number)
    limit = "Hits of jax.jit functions are not seen: other tools hold every free sys.monitoring slot."
    assert rec.facts.limits == (limit, *private.limits())
    assert rec.hits_seen == "none"
    assert [call.outcome for call in rec.calls] == ["compile"]


def test_equinox_may_be_imported_after_the_recording_began(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = sys.modules["equinox._jit"]
    monkeypatch.delitem(sys.modules, "equinox._jit")
    step = fresh(eqx.filter_jit)
    with jitviz.record() as rec:
        monkeypatch.setitem(sys.modules, "equinox._jit", hidden)
        step(X)
        step(X)
    assert outcomes(rec) == [("step", "compile"), ("step", "hit")]


@pytest.mark.parametrize("api", list(JITS))
def test_time_that_jitviz_spends_inside_a_call_is_its_own_and_is_no_run_time(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = phases._note_program

    def slow(*args: Any) -> None:
        time.sleep(0.2)
        read(*args)

    monkeypatch.setattr(phases, "_note_program", slow)
    with jitviz.record() as rec:
        fresh(JITS[api])(1.0)
    (call,), (compile_,) = rec.calls, rec.compiles
    assert [phase.own_s >= 0.2 for phase in compile_.phases] == [True] * 3
    last = compile_.phases[-1]
    assert None not in (call.ready_s, last.start_s, last.duration_s, call.duration_s)
    assert call.ready_s >= last.start_s + last.duration_s + 0.2
    assert call.start_s + call.duration_s >= call.ready_s - 0.001
