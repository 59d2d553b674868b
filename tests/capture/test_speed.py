"""What it costs inside the call to keep what the texts of a program are made of, in calls of functions."""

from typing import Any

import jax
import pytest

import jitviz
from jitviz.capture.hooks import phases
from tests.counted import Counter

from . import transformer


def test_what_is_read_inside_is_a_small_part_of_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert 0 < noting < 0.1 * counter.n  # is 0.04; XLA's own time comes on top
