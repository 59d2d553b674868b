"""Ctrl-C at any moment of a hit: nothing that comes later is drawn inside the interrupted call, and hits stay plain."""

import contextlib
import gc
import logging
import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType, ModuleType
from typing import Any

import jax
import numpy as np
import pytest
from flax import nnx
from jax._src import monitoring

import jitviz
from jitviz.capture.adapters import equinox_jit, filter_jit
from jitviz.capture.hooks import hits
from jitviz.capture.in_progress import Address, OpenPhase, here
from jitviz.capture.log.call_log import is_phase_running
from jitviz.jaxcompat.jax_frames import stack

from .samples import JITS, JITS_WITH_HITS, SEES_HITS, fresh, needs_hits, on_threads

X, Y = np.ones(3, np.float32), np.ones(4, np.float32)
Strike = Callable[[], None]
HOOKS: dict[str, tuple[ModuleType, list[str], list[str]]] = {
    "jax.jit": (hits, ["open_call", "open_again"], ["close_plain"]),
    "nnx.jit": (hits, ["open_call", "open_again"], ["close_plain"]),
    "equinox.filter_jit": (equinox_jit, ["begin_call"], ["end_call"]),
    "jitviz.filter_jit": (filter_jit, ["begin_call"], ["end_call"]),
}
WITH_HITS = [*JITS_WITH_HITS, *(["nnx.jit"] if SEES_HITS else [])]
each_jit = pytest.mark.parametrize("api", WITH_HITS)
each_moment = pytest.mark.parametrize("moment", ["opened", "returned", "closed"])


def jit(api: str) -> Any:
    return fresh(nnx.jit if api == "nnx.jit" else JITS[api])


@pytest.fixture(autouse=True)
def free_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equinox asks `logging` in each call; on Python 3.11 what strikes between its lock and its `try` leaves it."""
    monkeypatch.setattr(logging, "_lock", threading.RLock())


@pytest.fixture
def moment() -> str:
    return "opened"


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch, api: str, moment: str) -> Strike:
    """Let Ctrl-C strike at one moment of the next call: before it is made, once it has returned, once that is noted."""
    module, opens, closes = HOOKS[api]
    armed: list[bool] = []

    def struck(original: Callable[..., Any], *given: Any) -> Any:
        strikes = bool(armed and armed.pop())
        if strikes and moment == "returned":
            raise KeyboardInterrupt
        if module is hits and moment == "opened" and len(given) == 2:
            given = *given, sys._getframe(2)  # it counts frames
        result = original(*given)
        if strikes:
            raise KeyboardInterrupt
        return result

    for name in opens if moment == "opened" else closes:
        monkeypatch.setattr(module, name, partial(struck, getattr(module, name)))
    return lambda: armed.append(True)


def assert_hits_are_plain_again(rec: jitviz.Recording, api: str) -> None:
    """Call on a line of its own, where a hit costs no event."""
    step = jit(api)
    step(X)
    for _ in range(2):
        step(X)
    before = Counter(type(event).__name__ for event in rec.events)
    n_before = len(rec.calls)
    for _ in range(100):
        step(X)
    assert here.mine.calls == here.mine.phases == []
    assert [(call.outcome, call.parent) for call in rec.calls[n_before:]] == [("hit", None)] * 100
    after = Counter(type(event).__name__ for event in rec.events)
    assert after["CallFinished"] - before["CallFinished"] <= 1
    assert [call.parent for call in rec.calls if call.parent is not None] == []
    assert rec.facts.failures == []


@each_jit
@each_moment
def test_the_loop_that_swallowed_it_goes_on_with_plain_hits(api: str, interrupt: Strike) -> None:
    step = jit(api)
    with jitviz.record(sample=False) as rec:
        for number in range(20):
            if number in (5, 6, 11):
                interrupt()
            try:
                step(X)
            except KeyboardInterrupt:
                continue
        assert_hits_are_plain_again(rec, api)


@each_jit
@each_moment
def test_an_interrupted_training_loop_is_followed_by_plain_hits(api: str, interrupt: Strike) -> None:
    def train() -> None:
        for number in range(9):
            if number == 5:
                interrupt()
            step(X)

    step = jit(api)
    with jitviz.record(sample=False) as rec:
        with pytest.raises(KeyboardInterrupt):
            train()
        assert_hits_are_plain_again(rec, api)


@each_jit
@each_moment
def test_a_line_that_called_the_interrupted_function_may_call_plain_python_next(api: str, interrupt: Strike) -> None:
    def run(work: Callable[[Any], Any]) -> Any:
        return work(X)

    step = jit(api)
    with jitviz.record(sample=False) as rec:
        for _ in range(3):
            run(step)
        interrupt()
        with pytest.raises(KeyboardInterrupt):
            run(step)
        run(partial(lambda _: assert_hits_are_plain_again(rec, api)))  # from C, as a jitted function is called
        run(step)


@each_jit
@each_moment
def test_a_generator_that_swallowed_it_may_rest(api: str, interrupt: Strike) -> None:
    def batches() -> Iterator[Any]:
        while True:
            try:
                yield step(X)
            except KeyboardInterrupt:
                yield None

    step = jit(api)
    with jitviz.record(sample=False) as rec:
        generator = batches()
        next(generator), next(generator), interrupt(), next(generator)
        assert_hits_are_plain_again(rec, api)


@each_jit
@each_moment
def test_a_recursion_that_swallowed_it_deep_down_is_followed_by_plain_hits(api: str, interrupt: Strike) -> None:
    def descend(depth: int) -> None:
        if depth:
            return descend(depth - 1)
        interrupt()
        try:
            step(X)
        except KeyboardInterrupt:
            return assert_hits_are_plain_again(rec, api)
        raise AssertionError

    step = jit(api)
    step(X)
    with jitviz.record(sample=False) as rec:
        step(X)
        descend(3)


@each_jit
def test_one_inside_a_trace_leaves_the_trace_with_its_end(api: str, interrupt: Strike) -> None:
    @JITS.get(api, jax.jit)
    def outer(x: Any) -> Any:
        interrupt()
        with contextlib.suppress(KeyboardInterrupt):
            step(x)
        return x + 1

    step = jit(api)
    with jitviz.record(sample=False) as rec:
        step(X)
        outer(X)
        assert [(call.function, call.outcome, call.is_end_known) for call in rec.calls] == [
            ("step", "compile", True),
            (outer.__qualname__.rpartition(".")[2], "compile", True),
        ]
        assert_hits_are_plain_again(rec, api)


@each_jit
def test_one_that_leaves_a_trace_is_the_error_of_the_traced_call(api: str, interrupt: Strike) -> None:
    @JITS.get(api, jax.jit)
    def outer(x: Any) -> Any:
        interrupt()
        return step(x)

    step = jit(api)
    with jitviz.record(sample=False) as rec:
        with pytest.raises(KeyboardInterrupt):
            outer(X)
        assert [(call.outcome, call.error) for call in rec.calls] == [("error", "KeyboardInterrupt")]
        assert_hits_are_plain_again(rec, api)


@each_jit
def test_a_compile_whose_return_was_interrupted_ends_where_it_was_last_seen(api: str, monkeypatch: Any) -> None:
    def strike(*_: Any) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    module, _, closes = HOOKS[api]
    step = jit(api)
    with jitviz.record(sample=False) as rec:
        monkeypatch.setattr(module, closes[0], strike)
        with pytest.raises(KeyboardInterrupt):
            step(X)
        assert_hits_are_plain_again(rec, api)
    call = rec.calls[0]
    assert (call.outcome, call.parent, call.is_end_known) == ("compile", None, False)
    assert call.duration_s is not None
    assert call.start_s + call.duration_s <= rec.calls[1].start_s


@each_jit
def test_one_on_another_thread_stays_there(api: str, interrupt: Strike) -> None:
    def work(number: int) -> None:
        for _ in range(3):
            step(X)
        if number == 0:
            interrupt()
            with pytest.raises(KeyboardInterrupt):
                step(X)
        for _ in range(3):
            step(X)
        assert here.mine.calls == []

    step = jit(api)
    step(X)
    with jitviz.record(sample=False) as rec:
        on_threads(work, 1)
        assert_hits_are_plain_again(rec, api)
    assert [call.outcome for call in rec.calls[:6]] == ["hit"] * 6


@needs_hits
@pytest.mark.parametrize("api", ["jax.jit"])
@pytest.mark.parametrize("name", ["_raises", "_watch_exceptions", "_is_raising", "close_call"])
@pytest.mark.parametrize("comes", ["before", "after"])
def test_one_while_a_call_raises_leaves_exceptions_unwatched(
    api: str, name: str, comes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def strike(*given: Any, **named: Any) -> Any:
        monkeypatch.undo()
        if comes == "after":
            original(*given, **named)
        raise KeyboardInterrupt

    step, original = jit(api), getattr(hits, name)
    step(X)
    with jitviz.record(sample=False) as rec:
        step(X)
        monkeypatch.setattr(hits, name, strike)
        with pytest.raises((KeyboardInterrupt, TypeError)):
            step()
        with pytest.raises(TypeError):
            step(X, X)
        assert hits.monitoring.get_events(hits._tool) == hits._always()
        assert [(call.outcome, (call.error or "")[:9]) for call in rec.calls][-1] == ("error", "TypeError")
        assert_hits_are_plain_again(rec, api)


@needs_hits
def test_an_exception_that_a_traced_function_catches_ends_no_call_around_it() -> None:
    @jax.jit
    def outer(x: Any) -> Any:
        for mistake in (step, int):
            with contextlib.suppress(TypeError):
                mistake([], [], [])
        return x + 1

    step = jit("jax.jit")
    with jitviz.record(sample=False) as rec:
        outer(X)
    assert [(call.outcome, call.parent, call.is_end_known) for call in rec.calls] == [
        ("compile", None, True),
        ("error", 0, True),
    ]


@each_jit
def test_a_phase_whose_end_never_came_is_forgotten_at_the_next_hit(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with jitviz.record(sample=False) as rec:
        step = jit(api)
        step(X)
        with monkeypatch.context() as patched:
            patched.setattr(monitoring, "_scalar_listeners", [*monitoring._scalar_listeners, stop])  # after jitviz's
            with pytest.raises(KeyboardInterrupt):
                step(Y)
        for _ in range(3):
            step(X)
        assert here.mine.calls == here.mine.phases == []
        assert_hits_are_plain_again(rec, api)


def test_a_frame_at_the_address_of_another_does_not_do_its_phase() -> None:
    frame = sys._getframe()
    mine = OpenPhase("trace", 0.0, 0.0, None, Address(id(frame)), frame.f_code)
    assert is_phase_running(mine, frame)
    assert not is_phase_running(mine._replace(code=jit.__code__), frame)
    assert not is_phase_running(mine._replace(frame=Address(id(mine))), frame)


@pytest.mark.parametrize("api", JITS_WITH_HITS)  # NNX itself does not survive it: its contexts stay open
def test_a_signal_at_any_moment_of_a_loop_of_hits_leaves_plain_hits(api: str) -> None:
    def strike(_: int, frame: FrameType | None) -> None:
        if any(above.f_code.co_filename == logging.__file__ for above in stack(frame)):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0001)  # up to Python 3.12, `logging` would keep its lock
        else:
            raise KeyboardInterrupt

    def train() -> None:
        while True:
            step(X)

    step, chance = jit(api), random.Random(api)
    step(X)
    with jitviz.record(sample=False) as rec:
        before = signal.signal(signal.SIGVTALRM, strike)  # CPU time: a slow machine changes nothing
        gc.disable()  # Python drops what is raised in callbacks of the collector, and the loop would never end
        try:
            for _ in range(25):
                try:
                    signal.setitimer(signal.ITIMER_VIRTUAL, chance.uniform(0.001, 0.004))
                    train()
                except KeyboardInterrupt:
                    step(X)
                    assert here.mine.calls == here.mine.phases == []
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
            gc.enable()
        assert {(call.outcome, call.parent) for call in rec.calls} <= {("hit", None), ("error", None)}
        assert Counter(type(event).__name__ for event in rec.events)["CallFinished"] < 200
        assert_hits_are_plain_again(rec, api)
