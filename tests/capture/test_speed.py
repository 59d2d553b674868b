"""What it costs to keep the texts of a program. Ratios within one run; never seconds.

`pytest --benchmark-enable tests/capture/test_speed.py` prints the times and the ratios of this machine.
"""

import time
from collections.abc import Callable
from typing import Any

import jax
import pytest

import jitviz
from jitviz.capture.hooks import phases
from jitviz.capture.programs import reading as programs

from .transformer import arguments, step

# A regression guard, far from the measured ratios (0.06 to 0.1, depending on what else the machine does).
LIMIT = 0.25


class Clock:
    """Adds up the time that is spent inside a function."""

    def __init__(self) -> None:
        self.spent_s = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            started = time.perf_counter()
            result = function(*args)
            self.spent_s += time.perf_counter() - started
            return result

        return call


def test_keeping_all_texts_is_a_small_part_of_the_first_call(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    everything, figures = Clock(), Clock()
    monkeypatch.setattr(phases, "_note_program", everything.timed(phases._note_program))
    monkeypatch.setattr(programs, "_cost", figures.timed(programs._cost))
    monkeypatch.setattr(programs, "_memory", figures.timed(programs._memory))
    given = arguments()
    ratios = []

    def first_call() -> None:
        jax.clear_caches()
        everything.spent_s = figures.spent_s = 0.0
        with jitviz.record() as rec:
            started = time.perf_counter()
            jax.jit(step)(*given)
            whole_s = time.perf_counter() - started
        assert rec.facts.failures == []
        assert len(rec.compiles) == 1
        ratios.append((everything.spent_s - figures.spent_s) / (whole_s - everything.spent_s))

    benchmark.pedantic(first_call, rounds=3)
    benchmark.extra_info["of the first call"] = measured = sorted(ratios)[len(ratios) // 2]
    assert 0 < measured < LIMIT
