"""What makes a program slow to run is found in its equations, and told where its runs took long."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.findings import slow_calls
from jitviz.findings.program.slow_runs import HostCalls
from jitviz.findings.program_findings import ProgramTraits, program_of
from jitviz.findings.slow_calls import tell_running
from jitviz.model import Signature
from tests.display.samples import FIRST, Story

XS = np.ones((3, 4), np.float32)


def chosen(x: Any) -> Any:
    return jax.lax.cond(x[0] > 2, jnp.sin, jnp.cos, x)


def selected(x: Any) -> Any:
    return jnp.where(x > 2, jnp.sin(x), jnp.cos(x))


def traits(function: Any) -> ProgramTraits:
    with jitviz.record() as rec:
        jax.jit(function)(XS)
    return program_of(rec, rec.compiles[-1])


def test_a_cond_whose_branches_all_run_under_vmap_is_found_and_a_selection_is_none() -> None:
    line = f"tests/findings/program/test_slow_runs.py:{chosen.__code__.co_firstlineno + 1}"
    assert traits(lambda xs: jax.vmap(chosen)(xs)).all_run == (line,)
    assert traits(lambda xs: jax.lax.map(chosen, xs)).all_run == ()
    assert traits(lambda xs: jax.vmap(selected)(xs)).all_run == ()


def watched(x: Any) -> Any:
    for place in range(3):
        jax.debug.callback(print, x.sum() + place)
    return jax.pure_callback(np.sin, x, x)


def turned(x: Any) -> Any:
    def body(x: Any, _: Any) -> Any:
        return jax.lax.scan(lambda x, _: (jax.pure_callback(np.sin, x, x), None), x, None, length=5)

    return jax.lax.scan(body, watched(x), None, length=4)[0]


def until(x: Any) -> Any:
    return jax.lax.while_loop(lambda x: x[0, 0] > 0.1, watched, x)


def either(x: Any) -> Any:
    return jax.lax.cond(x[0, 0] > 2, watched, jnp.cos, x)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (watched, "4 times"),
        (turned, "24 times"),
        (until, "at least 4 times"),
        (either, "up to 4 times"),
        (lambda x: until(either(x)), "about 8 times"),
        (selected, "0 times"),
    ],
)
def test_calls_of_python_are_counted_as_often_as_they_run(function: Any, calls: str) -> None:
    assert str(traits(function).host_calls) == calls


def test_what_makes_runs_slow_is_told_behind_what_they_took(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story("train.py")
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.5, Signature(), (FIRST,))
    for place in range(9):
        story.hit(step, 1.0 + place, 0.5, source="train.py:9")
    recording = story.end(10.0)
    monkeypatch.setitem(recording.facts.texts, (0, "equations"), b"")
    monkeypatch.setattr(
        slow_calls,
        "program_of",
        lambda *_: ProgramTraits(host_calls=HostCalls(8), all_run=("train.py:3", "train.py:4")),
    )
    assert tell_running(recording) == (
        "`step` at train.py:9: 9 hits took 4.5 s, 500 ms each (median). Its program calls Python 8 times in each run: "
        "return the values instead, and use them after the call. Under `jax.vmap`, the `cond` at train.py:3 and "
        "train.py:4 runs all its branches for each element: `jax.lax.map` runs the one that is needed, an element "
        "after the other.",
    )
