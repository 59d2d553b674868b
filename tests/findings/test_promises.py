"""What a rewrite is promised to save, it saves. Equations stand for seconds here, which differ from run to run; the
benchmark `rewrites` prints those."""

from __future__ import annotations

import pytest

from tests.benchmarks.rewrites import PAIRS, Pair, seen


@pytest.mark.parametrize("name", [name for name, pair in PAIRS.items() if pair.n <= 30])
def test_a_rewrite_makes_at_least_as_many_equations_fewer_as_promised(name: str) -> None:
    pair = PAIRS[name]
    before, after = (seen(function, pair.args()) for function in pair[:2])
    promised = before.promised(before.n_equations, 0)
    saved = before.n_equations - after.n_equations
    assert promised <= saved <= (2 * promised if pair.n > 8 or "orbits" in name else before.n_equations)
    assert after.promised(after.n_equations, 0) == 0


def test_few_iterations_are_promised_nothing() -> None:
    pair = Pair(*PAIRS["layers 4"][:2], n=4)
    assert seen(pair.before, pair.args()).promised(100.0, 0) == 0
