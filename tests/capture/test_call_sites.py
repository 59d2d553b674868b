"""Every hit of a `jax.jit` function is seen, whatever else its call site calls.

Sites that never call one are given up after a while.
"""

import contextlib
import functools
import heapq
import math
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

import jitviz
from jitviz.capture.hooks import call_sites, hits

from .samples import fresh, needs_hits, outcomes

pytestmark = needs_hits
X = np.ones(3, np.float32)


def plain(x: Any) -> Any:
    """A function that is never jitted."""
    return x


def call_by_name(times: int) -> None:
    """One site that calls the current `plain`."""
    for _ in range(times):
        plain(X)


class Model:
    """One call site for all its functions."""

    def __init__(self, **fns: Callable[..., Any]) -> None:
        self.fns = fns

    def __call__(self, name: str, x: Any) -> Any:
        return self.fns[name](x)


@pytest.mark.parametrize("others", [[plain, type, repr], [jax.numpy.sin, np.asarray, functools.partial(plain)]])
def test_only_the_jitted_calls_of_a_dispatch_table_are_counted(others: list[Callable[..., Any]]) -> None:
    step = fresh()
    step(X)
    model = Model(step=step, a=others[0], b=others[1], c=others[2])
    with jitviz.record() as rec:
        for number in range(200):
            model(["a", "b", "step", "c"][number % 4], X)
    assert outcomes(rec) == [("step", "hit")] * 50


def test_a_site_sees_a_jitted_function_after_many_others() -> None:
    step = fresh()
    step(X)
    with jitviz.record() as rec:
        for function in [*[plain] * 900, step, *[plain] * 5000, step]:
            function(X)
    assert outcomes(rec) == [("step", "hit")] * 2


def test_all_calls_through_a_shared_decorator_are_seen() -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return call

    step = fresh()
    step(X)
    first, second = logged(plain), logged(step)
    with jitviz.record() as rec:
        for _ in range(100):
            first(X)
            second(X)
    assert outcomes(rec) == [("step", "hit")] * 100


def test_calls_through_a_decorator_of_a_library_are_seen() -> None:
    @contextlib.contextmanager
    def nothing() -> Any:
        yield

    step = fresh()
    step(X)
    first, second = nothing()(plain), nothing()(step)  # both are called by one line of `contextlib`
    with jitviz.record() as rec:
        for _ in range(20):
            first(X)
            second(X)
    assert outcomes(rec) == [("step", "hit")] * 20


def test_a_line_of_a_library_that_passes_arguments_on_is_given_up_later_than_the_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @contextlib.contextmanager
    def nothing() -> Any:
        yield

    told, step = _count_events(monkeypatch), fresh()
    step(X)
    other, jitted = nothing()(plain), nothing()(step)
    with jitviz.record() as rec:
        for _ in range(5 * call_sites.PATIENCE):
            other(X)
        jitted(X)
    assert outcomes(rec) == [("step", "hit")]
    told.clear()
    with jitviz.record():
        for _ in range(2 * call_sites.PATIENCE_WITH_LIBRARIES):
            other(X)
    (inner,) = {code for code in told if code.co_qualname == "ContextDecorator.__call__.<locals>.inner"}
    assert 0 < told[inner] - call_sites.PATIENCE_WITH_LIBRARIES < 5  # its other lines are given up at once


def test_loops_comprehensions_and_generator_expressions_over_layers_are_seen() -> None:
    step = fresh()
    step(X)
    layers: list[Callable[..., Any]] = [plain, np.asarray, step] * 10
    with jitviz.record() as rec:
        y = X
        for layer in layers:
            y = layer(y)
        [layer(X) for layer in layers]
        list(layer(X) for layer in layers)  # noqa: C400 - a generator expression is what is meant
        {number: layer(X) for number, layer in enumerate(layers)}
    assert outcomes(rec) == [("step", "hit")] * 40


def test_a_generator_that_began_before_the_recording_is_seen() -> None:
    step = fresh()
    step(X)
    running = (function(X) for function in [plain, step] * 20)
    next(running)
    with jitviz.record() as rec:
        list(running)
    assert outcomes(rec) == [("step", "hit")] * 20


def test_a_partial_of_a_jitted_function_is_a_call_of_it() -> None:
    step = jax.jit(lambda x, y: x + y)
    partial = functools.partial(step, X)
    with jitviz.record() as rec:
        for _ in range(3):
            partial(X)
    assert [call.outcome for call in rec.calls] == ["compile", "hit", "hit"]


def test_a_method_that_is_jitted_is_seen_among_those_that_are_not() -> None:
    class Jitted:
        @functools.partial(jax.jit, static_argnums=0)
        def run(self, x: Any) -> Any:
            return x * 2

    class Plain:
        def run(self, x: Any) -> Any:
            return x

    jitted = Jitted()
    jitted.run(X)
    with jitviz.record() as rec:
        for model in [Plain(), jitted] * 20:
            model.run(X)
    assert [call.outcome for call in rec.calls] == ["hit"] * 20


def test_a_site_that_was_switched_off_is_on_again_after_it_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = fresh()
    with jitviz.record() as rec:
        call_by_name(2 * call_sites.PATIENCE)
        monkeypatch.setattr(sys.modules[__name__], "plain", step)
        call_by_name(5)
    assert outcomes(rec) == [("step", "compile")] + [("step", "hit")] * 4


def test_the_next_recording_listens_to_every_site_again(monkeypatch: pytest.MonkeyPatch) -> None:
    step = fresh()
    step(X)
    with jitviz.record():
        call_by_name(2 * call_sites.PATIENCE)
    monkeypatch.setattr(sys.modules[__name__], "plain", step)
    with jitviz.record() as rec:
        call_by_name(1)
    assert outcomes(rec) == [("step", "hit")]


def test_a_site_that_may_call_anything_sees_a_jitted_function_however_late() -> None:
    step = fresh()
    step(X)
    model = Model(plain=plain, append=[].append, step=step)
    model.method = plain  # type: ignore[attr-defined]
    layer: Callable[..., Any] = plain

    def local() -> None:
        layer(X)

    def attribute() -> None:
        model.method(X)  # type: ignore[attr-defined]

    with jitviz.record() as rec:
        for _ in range(20 * call_sites.PATIENCE):
            model("plain", X)
            local()
            attribute()
        layer = model.method = step  # type: ignore[attr-defined]
        model("step", X)
        local()
        attribute()
    assert outcomes(rec) == [("step", "hit")] * 3


def test_a_loop_variable_of_a_module_does_not_name_its_value() -> None:
    step = fresh()
    step(X)
    names = {"layers": [plain] * (2 * call_sites.PATIENCE) + [step], "X": X}
    with jitviz.record() as rec:
        exec(compile("for layer in layers:\n    layer(X)", "module.py", "exec"), names)
    assert outcomes(rec) == [("step", "hit")]


def test_sites_that_call_plain_functions_by_name_are_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = _count_events(monkeypatch)

    def by_name(rows: list[int]) -> None:
        for number in range(5 * call_sites.PATIENCE):  # each line is one site, `range` is one more
            plain(number)
            len(rows)
            Model()
            math.floor(number)
            np.linalg.norm(X)
            rows.append(number)
            rows.copy().append(1)

    with jitviz.record():
        by_name([])
    assert told[by_name.__code__] == 8 * (call_sites.PATIENCE + 1) + 1


class Point(NamedTuple):
    """Python generates the constructor."""

    x: int


@dataclass(frozen=True)
class Row:
    """Python generates this constructor, too."""

    x: int


def test_sites_in_generated_constructors_are_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    told = _count_events(monkeypatch)
    with jitviz.record():
        for number in range(5 * call_sites.PATIENCE):
            Point(number)
            Row(number)
    assert told[Point.__new__.__code__] + told[Row.__init__.__code__] == 0


def test_a_library_that_passes_no_arguments_on_is_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    told = _count_events(monkeypatch)
    directory = Path("a", "b")
    with jitviz.record():
        for _ in range(50):
            directory.with_suffix(".txt")
    assert [code.co_name for code in told if "pathlib" in code.co_filename and code.co_name == "with_suffix"] == []


def test_a_library_that_has_called_a_jitted_function_is_listened_to() -> None:
    step = fresh()
    with jitviz.record() as rec:
        list(heapq.merge([X, X], [X], key=lambda x: float(step(x)[0])))  # of the user's
        list(heapq.merge([1.0, 2.0], [3.0], key=jax.jit(lambda x: x * 2)))
    assert [outcome for name, outcome in outcomes(rec) if "lambda" in name] == ["compile", "hit", "hit"]


def test_a_compile_does_not_switch_other_sites_on_again(monkeypatch: pytest.MonkeyPatch) -> None:
    restarts: list[None] = []
    monkeypatch.setattr(hits, "look_again", lambda: restarts.append(None))
    step = fresh()
    with jitviz.record():
        restarts.clear()
        for size in range(1, 6):
            step(np.ones(size, np.float32))
    assert restarts == []


def _count_events(monkeypatch: pytest.MonkeyPatch) -> Counter[CodeType]:
    told: Counter[CodeType] = Counter()
    on_call = hits._on_call

    def counted(code: CodeType, offset: int, target: Any, first: Any) -> Any:
        told[code] += 1
        return on_call(code, offset, target, first)

    monkeypatch.setattr(hits, "_on_call", counted)
    return told
