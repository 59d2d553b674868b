"""Whatever a program does, its seconds are told once each, and every program that XLA made is shown."""

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import equinox as eqx
import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jitviz
from jitviz.capture import sampler
from jitviz.model.counting import has_compiled

from ..jaxcompat.watching import listening

HERE = "tests/findings/test_account_of_programs.py"
ASLEEP = "# asleep"
COMPILED = "/jax/core/compile/backend_compile_duration"


@contextmanager
def backend_compiles() -> Iterator[list[str]]:
    names: list[str] = []

    def note(event: str, start_s: float, end_s: float, **about: Any) -> None:
        if event == COMPILED:
            names.append(str(about.get("fun_name")))

    with listening(note, "event_time_span"):
        yield names


def tanh_sum(x: Any) -> Any:
    return jnp.tanh(x).sum()


KEPT = jax.jit(tanh_sum)
FILTERED = eqx.filter_jit(tanh_sum)
STEPS: dict[str, Callable[[Any], Any]] = {
    "a jitted function": KEPT,
    "made anew": lambda x: jax.jit(lambda x: x + 1)(x),
    "filtered": FILTERED,
    "with a static size": lambda x: jitviz.filter_jit(lambda x, n: x[:n])(x, 2),
    "op by op": lambda x: jnp.cumsum(jnp.asarray(x)),
    "a gradient": lambda x: jax.grad(KEPT)(x),
    "a batch": lambda x: jax.vmap(KEPT)(x[None]),
    "ahead of time": lambda x: KEPT.lower(x).compile(),
    "a shape only": lambda x: jax.eval_shape(KEPT, x),
    "an eager loop": lambda x: jax.lax.fori_loop(0, 2, lambda i, x: x + i, jnp.asarray(x)),
    "cleared": lambda _: jax.clear_caches(),
    "what fails": lambda x: KEPT(x, x),
    "asleep": lambda _: time.sleep(0.002),
    "a wait": lambda x: jax.block_until_ready(KEPT(x)),
}


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(2, 4)), max_size=8),
    st.booleans(),
)
def test_the_parts_sum_to_the_wall_time_of_any_program(steps: list[tuple[str, int]], sample: bool) -> None:
    with backend_compiles() as compiled, jitviz.record(sample=sample) as rec:
        for name, size in steps:
            try:
                STEPS[name](np.ones(size, np.float32))
            except TypeError:
                assert name == "what fails"
    account = rec.account
    assert sum(part.seconds for part in account.parts) == pytest.approx(account.wall_s, rel=0.02)
    assert all(part.seconds >= 0 for part in account.parts)
    assert sum(map(has_compiled, rec.compiles)) + len(rec.op_by_op) == len(compiled)
    assert rec.facts.failures == []


def lines_of(function: Callable[..., Any], *marks: str) -> set[str]:
    """The lines of `function` that hold one of `marks`."""
    source, first = inspect.getsourcelines(function)
    return {f"{HERE}:{first + place}" for place, text in enumerate(source) if any(mark in text for mark in marks)}


def share_of(rec: jitviz.Recording, what: Any, function: Callable[..., Any], *marks: str) -> float:
    """The part of these seconds that is put down to lines of `function` that hold one of `marks`."""
    lines = lines_of(function, *marks)
    part = rec.account.part(what)
    return sum(line.seconds for line in part.lines if line.source in lines) / part.seconds


def sort_in_python(x: Any) -> Any:
    table = [[(row * column) % 997 for column in range(1000)] for row in range(2000)]  # in Python
    return x * np.sum(np.sort(np.asarray(table)))  # with NumPy


def is_sampled(lines: set[str]) -> bool:
    return any(seen.source in lines for samples in sampler._samples_of.values() for seen in list(samples.glances))


def planted() -> None:
    jax.clear_caches()
    lines = lines_of(planted, ASLEEP)
    while sampler._samples_of and not is_sampled(lines):
        time.sleep(0.01)  # asleep
    rewards = []
    for reward in range(6):
        rewards.append(float(reward))
        jnp.median(np.asarray(rewards))  # growing
    jax.nn.initializers.orthogonal()(jax.random.key(0), (8, 8))  # initialiser
    jax.jit(sort_in_python)(1.0)


def test_planted_seconds_are_found_at_their_lines() -> None:
    with jitviz.record() as rec:
        planted()
    assert share_of(rec, "trace", sort_in_python, "# in Python", "# with NumPy") > 0  # how often, the load decides
    assert share_of(rec, "op_by_op", planted, "# growing", "# initialiser") >= 0.99
    assert min(share_of(rec, "op_by_op", planted, mark) for mark in ("# growing", "# initialiser")) > 0
    assert rec.account.part("python").lines[0].source.startswith(HERE)
    assert share_of(rec, "python", planted, ASLEEP) > 0
    assert share_of(rec, "compile", planted, "jax.jit(sort_in_python)") == pytest.approx(1.0)


def test_without_a_sampler_python_has_no_lines_and_tracing_those_that_called() -> None:
    with jitviz.record(sample=False) as rec:
        planted()
    assert rec.account.part("python").lines == ()
    assert share_of(rec, "trace", planted, "jax.jit(sort_in_python)") == pytest.approx(1.0)
