"""A trace that is slow is put down to the line that makes it slow, with what to do about such a line."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import jitviz
from jitviz.findings import slow_traces as slow_traces_found
from jitviz.model import Glance, Sample
from jitviz.model.finding import Finding
from jitviz.recording import Recording
from jitviz.recording import events as ev
from tests.display.samples import EPOCH_S
from tests.findings.runs import Run
from tests.reasons.samples import array
from tests.views.program import programs, unrolled

LINE = Glance("model.py:12", ("model.py:30", "train.py:7"))


def traced(*seen: tuple[Glance, float], sizes: int = 1, compile_s: float = 0.25, wall_s: float = 0.0) -> Recording:
    """`step` is traced and compiled once per size; in each trace the same is seen, one after the other."""
    run = Run()
    samples: list[Sample] = []
    for size in range(sizes):
        at_s = run.now_s
        for glance, spent_s in seen:
            samples.append(Sample(EPOCH_S + at_s, EPOCH_S + at_s + spent_s, glance, True))
            at_s += spent_s
        trace_s = sum(spent_s for _, spent_s in seen)
        run.call("step", array("x", shape=(3 + size,)), phases_s=(trace_s, 0.25, compile_s))
    rec = run.end(after_s=wall_s)
    return Recording([*rec.events, ev.LinesSampled(EPOCH_S, tuple(samples))])


def slow_traces(rec: Recording) -> list[Finding]:
    return [found for found in rec.findings if found.kind == "slow_trace"]


def test_the_line_that_stands_out_is_reported_with_who_called_it() -> None:
    (found,) = slow_traces(traced((LINE, 5.0), (Glance("model.py:13"), 1.0)))
    assert (found.source, found.seconds, found.count, found.compiles) == ("model.py:12", pytest.approx(5.0), 1, (0,))
    assert found.summary == ("tracing `step` took 6.0 s, 5.0 s of that at `model.py:12`, called from `model.py:30`")
    assert found.advice.startswith(
        "Python and NumPy run again at every trace: compute what no traced argument decides once, outside"
    )


def test_what_the_line_is_in_is_reported_and_says_what_to_do() -> None:
    (found,) = slow_traces(traced((Glance("model.py:12", ("train.py:7",), "numpy.sort"), 5.0)))
    assert found.summary == "tracing `step` took 5.0 s, 5.0 s of that at `model.py:12` in `numpy.sort`"
    assert found.advice.startswith(
        "`numpy.sort` runs again at every trace: compute what no traced argument decides once, outside"
    )
    assert (found.saves_s, found.is_estimated) == (pytest.approx(5.0), True)


@pytest.mark.parametrize("inside", ["jnp.median", "optax.adam"])
def test_what_takes_traced_values_cannot_be_moved(inside: str) -> None:
    assert slow_traces(traced((Glance("model.py:12", ("train.py:7",), inside), 5.0))) == []


def test_what_jax_does_beneath_the_line_that_called_cannot_be_moved() -> None:
    assert slow_traces(traced((Glance("train.py:7"), 5.0))) == []
    (found,) = slow_traces(traced((Glance("train.py:7", (), "numpy.sort"), 5.0)))
    assert found.source == "train.py:7"


def test_a_recompile_that_could_be_avoided_is_reported_by_its_own_cause() -> None:
    (found,) = slow_traces(traced((LINE, 2.0), sizes=4))
    assert (found.seconds, found.compiles) == (pytest.approx(2.0), (0,))


@pytest.mark.parametrize(
    "seen",
    [
        [(LINE, 0.4)],
        [(Glance(f"model.py:{line}"), 1.0) for line in range(8)],
    ],
    ids=["too quick", "nothing stands out"],
)
def test_what_is_quick_or_everywhere_is_not_a_finding(seen: list[tuple[Glance, float]]) -> None:
    assert slow_traces(traced(*seen)) == []


def test_what_is_little_of_the_whole_is_not_a_finding() -> None:
    assert slow_traces(traced((LINE, 2.0), wall_s=1000.0)) == []


def test_a_slow_compile_beside_it_is_reported_as_well() -> None:
    rec = traced((LINE, 2.0), compile_s=9.0)
    assert {found.kind for found in rec.findings} == {"slow_trace", "slow_compile"}


def test_an_unrolled_loop_is_reported_by_its_own_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LEAST_S", "_LEAST_SHARE", "_STANDS_OUT"):
        monkeypatch.setattr(slow_traces_found, name, 0.0)
    with jitviz.record() as rec:
        unrolled.over_parameters([np.ones((4, 4), np.float32)] * 100, np.ones(4, np.float32))
    line = programs.line_in(unrolled, "# over_parameters")
    loop, body = (f"tests/views/program/unrolled.py:{number}" for number in (line, line + 1))
    seen = [sample.seen for sample in rec.facts.samples if sample.is_in_phase]
    assert any(body in (glance.source, *glance.callers) for glance in seen)
    assert [found for found in slow_traces(rec) if "unrolled.py" in found.source] == []
    assert [found.source for found in rec.findings if found.kind == "unrolled"] == [loop]


def repeat(n: int) -> float:
    return float(sum(number % 7 for number in range(n)))


def test_a_planted_second_is_found_at_its_line() -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return x * repeat(20_000_000)

    with jitviz.record() as rec:
        step(np.ones(3, np.float32))
    (found,) = slow_traces(rec)
    assert found.source == f"tests/findings/test_slow_traces.py:{repeat.__code__.co_firstlineno + 1}"
    assert 0.5 * rec.compiles[0].phases[0].duration_s <= found.seconds  # type: ignore[operator]
    assert found.seconds <= rec.compiles[0].phases[0].duration_s * 1.01  # type: ignore[operator]


def test_a_line_that_traces_the_same_again_takes_what_is_beneath_it() -> None:
    rec = traced((Glance("model.py:3", ("model.py:8", "train.py:7")), 3.0), (Glance("model.py:4"), 0.5))
    again = {rec.compiles[0].lineage: {"model.py:8": ("`layer`", 6)}}
    ((total_s, (line,)),) = slow_traces_found.find_slow_lines(rec, set(), again).values()
    assert line.tell("step", total_s) == (
        "tracing `step` took 3.5 s, 3.0 s of that beneath `model.py:8`, where `layer` was traced 6 times with equal "
        "inputs, 500 ms each, most of it at `model.py:3`"
    )
    assert line.saves_s == pytest.approx(2.5)
    assert line.advice.endswith("define and jit the function once, outside what repeats.")


@pytest.mark.parametrize(("inside", "expected"), [("diffrax.diffeqsolve", 0), ("jnp.median", 1), ("gc", 1), ("", 1)])
def test_what_a_library_traces_again_is_not_the_users_to_define_once(inside: str, expected: int) -> None:
    rec = traced((Glance("model.py:8", ("train.py:7",), inside), 3.0), (Glance("model.py:8", (), "gc"), 4.0))
    again = {rec.compiles[0].lineage: {"model.py:8": ("`layer`", 6)}}
    ((_, lines),) = slow_traces_found.find_slow_lines(rec, set(), again).values()
    assert len(lines) == expected
