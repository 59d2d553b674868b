"""The position of a thread: the user's line and its callers, the function that it is in, and whether it waits."""

import gc
import json
import sys
import threading
import time
from collections.abc import Callable
from types import FunctionType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from jitviz.capture.thread_activity import glance, note_call, way_to
from jitviz.jaxcompat import jax_frames
from jitviz.model import CALLBACK, GARBAGE, Glance

HERE = "tests/capture/test_thread_activity.py"
X = np.ones((200, 200), np.float32)
_looked: list[Any] = []


def look(*_: Any) -> float:
    _looked.append(glance(sys._getframe(1), with_callers=True))
    return 0.0


def seen_in(run: Callable[[], Any]) -> Glance:
    _looked.clear()
    run()
    (found,) = filter(None, _looked)
    return found


def test_a_glance_shows_the_innermost_line_and_its_callers() -> None:
    def inner() -> None:
        look()

    def outer() -> None:
        inner()

    first = inner.__code__.co_firstlineno
    seen = seen_in(outer)
    assert (seen.source, seen.callers[0]) == (f"{HERE}:{first + 1}", f"{HERE}:{first + 4}")
    assert (seen.inside, seen.is_waiting) == ("", False)


def test_a_thread_that_collects_garbage_runs_no_operation() -> None:
    name, file = jax_frames.COLLECTED
    called = (lambda: look()).__code__.replace(co_name=name, co_filename=file)
    seen = seen_in(lambda: FunctionType(called, globals())())
    assert (seen.inside, seen.is_eager, seen.source.partition(":")[0]) == (GARBAGE, False, HERE)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (lambda: jnp.atleast_2d(X), "jnp.atleast_2d"),
        (lambda: np.sort(X), "numpy.sort"),
        (lambda: optax.apply_updates([1.0], [2.0]), "optax.apply_updates"),
        (lambda: eqx.filter_jit(optax.apply_updates)([1.0], [2.0]), "optax.apply_updates"),
        (lambda: json.dumps([1.0], indent=1), ""),
    ],
)
def test_a_glance_names_the_outermost_function_of_a_library(run: Callable[[], Any], name: str) -> None:
    """A profile function takes the glance, since the library calls nothing of the user's."""
    found: list[str] = []

    def stop(frame: Any, event: str, _: Any) -> None:
        if event == "call" and not found.count(name) and (seen := glance(frame)) is not None:
            found.append(seen.inside)

    before = sys.getprofile()
    sys.setprofile(stop)
    try:
        run()
    finally:
        sys.setprofile(before)
    assert name in found
    assert name or set(found) == {""}


@jax.jit
def work(x: Any) -> Any:
    return jax.lax.fori_loop(0, 200, lambda _, y: jnp.tanh(y @ y), x)


@pytest.mark.parametrize(
    "wait",
    [
        lambda: work(X).block_until_ready(),
        lambda: jax.block_until_ready(work(X)),
        lambda: str(work(X)),
        lambda: work(X)[0, 0].item(),
    ],
)
def test_a_line_that_waits_for_a_program_is_known(wait: Callable[[], Any]) -> None:
    line = f"{HERE}:{wait.__code__.co_firstlineno}"
    is_over = threading.Event()

    def go_on() -> None:
        while not is_over.is_set():
            wait()

    thread = threading.Thread(target=go_on)
    thread.start()
    waited = None
    while waited is None:
        seen = glance(sys._current_frames()[thread.ident or 0])
        waited = seen if seen is not None and seen.is_waiting else None
        time.sleep(0.001)
    is_over.set()
    thread.join()
    assert waited.source == line


def test_a_call_of_a_jitted_function_is_known_by_its_site() -> None:
    def call() -> None:
        look()
        note()

    def note() -> None:
        note_call(sys._getframe(1))
        look_above()

    def look_above() -> None:
        _looked.append(glance(sys._getframe(2)))

    _looked.clear()
    call()
    assert [seen is not None and seen.is_waiting for seen in _looked] == [False, True]


def called(x: Any) -> Any:
    _looked.append(way_to(sys._getframe()))
    return x


def from_line(run: Callable[[], Any]) -> set[Any]:
    """The ways to the line of `run`, whenever Python calls something beneath it."""
    ways, before = set(), sys.getprofile()
    sys.setprofile(lambda frame, event, _: ways.add(way_to(frame)) if event == "call" else None)
    try:
        run()
    finally:
        sys.setprofile(before)
    return {way for way, line in ways if line == f"{HERE}:{run.__code__.co_firstlineno}"}


@pytest.mark.parametrize(
    ("run", "way"),
    [
        (lambda: jax.lax.scan(lambda c, x: (called(c), x), 0.0, X), "a trace by jax.lax.scan"),
        (lambda: jax.lax.while_loop(lambda c: called(c) < 0.0, lambda c: c, 0.0), "a trace by jax.lax.while_loop"),
        (lambda: jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(called, x, x))(X)), CALLBACK),
        (lambda: called(X), ""),
    ],
)
def test_a_glance_knows_how_jax_came_to_call_a_function(run: Callable[[], Any], way: str) -> None:
    _looked.clear()
    run()
    line = f"{HERE}:{called.__code__.co_firstlineno + 1}" if way else ""
    assert set(_looked) == {(way, line)}


def test_a_jitted_function_under_a_transformation_is_told_from_operations() -> None:
    square = jax.jit(lambda x: (x * x).sum())
    assert "a jitted function under jax.vmap" in from_line(lambda: jax.vmap(square)(X))
    assert "a jitted function under jax.grad" in from_line(lambda: jax.grad(square)(X))
    assert from_line(lambda: jax.vmap(lambda x: x)(X)) == from_line(lambda: square(X)) == set()


def test_callers_are_left_out_by_default() -> None:
    def without() -> Any:
        return glance(sys._getframe())

    assert without().callers == ()


def test_a_line_does_not_call_itself() -> None:
    seen = seen_in(lambda: list(look() for _ in range(1)))  # noqa: C400
    assert seen.source != seen.callers[0]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="creating a frame object collects no garbage there")
def test_no_garbage_is_collected_while_a_frame_object_is_created() -> None:
    found: list[str] = []

    def collecting(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            found.append(sys._getframe(1).f_code.co_name)

    def deep(n: int) -> Glance | None:
        return deep(n - 1) if n else glance(sys._getframe(), with_callers=True)

    before = gc.get_threshold()
    gc.callbacks.append(collecting)
    gc.set_threshold(1)
    try:
        deep(20)
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(collecting)
    assert "_glance" in found
    assert "uncollected" not in found
