"""What it costs inside the call to keep what the texts of a program are made of. Ratios within one run; never seconds.

`pytest --benchmark-enable tests/capture/test_speed.py` prints the times and the ratios of this machine.
"""

import time
from collections.abc import Callable
from typing import Any

import jax
import pytest

import jitviz
from jitviz.capture.hooks import phases

from .transformer import arguments, step

# A regression guard, far from the measured ratios (0.01 to 0.02, depending on what else the machine does).
LIMIT = 0.2


class Clock:
    """Adds up the time of the processor inside a function, whatever else the machine does."""

    def __init__(self) -> None:
        self.spent_s = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            started = time.thread_time()
            result = function(*args)
            self.spent_s += time.thread_time() - started
            return result

        return call


def test_what_is_read_inside_is_a_small_part_of_the_first_call(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = Clock()
    monkeypatch.setattr(phases, "_note_program", inside.timed(phases._note_program))
    given = arguments()
    ratios = []

    def first_call() -> None:
        jax.clear_caches()
        inside.spent_s = 0.0
        with jitviz.record() as rec:
            started = time.process_time()
            jax.jit(step)(*given)
            whole_s = time.process_time() - started
        assert rec.facts.failures == []
        assert len(rec.compiles) == 1
        ratios.append(inside.spent_s / (whole_s - inside.spent_s))

    benchmark.pedantic(first_call, rounds=3)
    benchmark.extra_info["of the first call"] = measured = sorted(ratios)[len(ratios) // 2]
    assert 0 < measured < LIMIT
