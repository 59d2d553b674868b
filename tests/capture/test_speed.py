"""The cost inside a call of keeping what is needed to read a program later, counted in function calls."""

from typing import Any

import jax
import pytest

import jitviz
from jitviz.capture.hooks import phases
from tests.counted import Counter

from . import transformer


def test_noting_a_program_is_a_small_part_of_its_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "BLOCKS", 2)
    given, note, counter = transformer.arguments(), phases._note_program, Counter()
    noting = 0

    def counted(*args: Any) -> None:
        nonlocal noting
        before = counter.n
        note(*args)
        noting += counter.n - before

    monkeypatch.setattr(phases, "_note_program", counted)
    with jitviz.record() as rec, counter:
        jax.jit(transformer.step)(*given)
    assert rec.facts.failures == []
    assert len(rec.compiles) == 1
    assert 0 < noting < 0.1 * counter.n  # measured: 0.04, without XLA's own time
