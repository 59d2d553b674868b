"""An exception under a trace: the line and the argument are named, and what to write instead."""

import dataclasses
import inspect
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.findings.error_advice import advise
from jitviz.views.panel import shape_panel

from ..capture.samples import SEES_HITS


def relu(x: Any) -> Any:
    if x.sum() > 0:
        return x
    return 0 * x


def above(x: Any, limit: Any) -> Any:
    if x.sum() > limit:
        return x
    return 0 * x


def repeat(n: Any) -> Any:
    for _ in range(n):
        n = n + 1
    return n


def zeros(n: Any) -> Any:
    return jnp.zeros(n)


def as_float(x: Any) -> Any:
    return float(x[0])


def in_numpy(x: Any) -> Any:
    return np.sin(x)


def positive(x: Any) -> Any:
    return x[x > 0]


def put(x: Any) -> Any:
    x[0] = 1
    return x


def add(x: Any) -> Any:
    return x + jnp.ones(4)


X = np.ones(3, np.float32)
LENGTH = "What decides a shape, the length of a Python loop or an index into a list must be static: make `n` static"
JNP = "Use `jnp` in place of `np` there, or compute it outside the jitted function."
MASKED = "Use `jnp.where(mask, x, 0)`, which keeps the shape, or `jnp.nonzero(mask, size=...)`."
BRANCH = "Write `jnp.where` or `jax.lax.cond` in place of a branch, `jax.lax.while_loop` in place of a loop"
AS_ARRAY = "Keep it an array, with `.astype` in place of `float` or `int`."
CASES: dict[str, tuple[Any, Any, str, str]] = {
    "relu": (relu, X, "`if x.sum() > 0:`, because of the array `x`.", f"{BRANCH}."),
    "above": (
        *(above, (X, 2), "`if x.sum() > limit:`, because of the array `x` and `limit`."),
        f"{BRANCH}, or make `limit` static, if it has few values.",
    ),
    "repeat": (
        *(repeat, 3, "`for _ in range(n):`, because of `n`."),
        f"{LENGTH}, or use `jax.lax.fori_loop`, or index a `jnp` array.",
    ),
    "zeros": (
        *(zeros, 3, "`return jnp.zeros(n)`, because of `n`."),
        f"{LENGTH}, or use its largest value and mask the rest.",
    ),
    "as_float": (as_float, X, "`return float(x[0])`, because of the array `x`.", AS_ARRAY),
    "in_numpy": (in_numpy, X, "`return np.sin(x)`, because of the array `x`.", JNP),
    "positive": (positive, X, "`return x[x > 0]`.", MASKED),
    "put": (put, X, "`x[0] = 1`.", "Write `x = x.at[i].set(y)` in place of `x[i] = y`."),
    "add": (add, X, "`return x + jnp.ones(4)`.", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_the_line_and_the_argument_are_named_and_what_to_write_instead(name: str) -> None:
    function, argument, line, advice = CASES[name]
    with jitviz.record() as rec, pytest.raises((TypeError, IndexError)):
        jax.jit(function)(*(argument if isinstance(argument, tuple) else (argument,)))
    (row,) = (row for row in rec.compiles if row.function == name)
    at = f" At tests/findings/test_errors.py:{_line_of(function, line)}, "
    assert (row.error or "").partition(at)[2] == line
    assert advise(row.error or "") == advice
    verdict = shape_panel(rec).verdict
    said = "".join(f"`{span.text}`" if span.is_code else span.text for span in verdict.subline)
    assert (verdict.level, verdict.advice) == ("error", advice)
    assert f": {line}" in said
    assert at.rstrip(", ").lower() in "".join(span.text for span in verdict.title).lower()


def _line_of(function: Any, line: str) -> int:
    lines, first = inspect.getsourcelines(function)
    text = line.partition("`")[2].partition("`")[0]
    return first + next(place for place, one in enumerate(lines) if one.strip() == text)


@dataclasses.dataclass(frozen=True)
class Config:
    width: int
    sizes: list[int]


class Scaled:
    def __init__(self, x: Any) -> None:
        self.x = x

    @partial(jax.jit, static_argnums=0)
    def __call__(self, y: Any) -> Any:
        return self.x * y

    @partial(jax.jit, static_argnums=0)
    def apply(self, y: Any) -> Any:
        return self.x * y

    def __hash__(self) -> int:
        return hash((self.x,))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scaled)


@partial(jax.jit, static_argnums=0)
def configured(config: Any, x: Any) -> Any:
    return x


@partial(jax.jit, static_argnums=1)
def second(x: Any, static: Any) -> Any:
    return x


@pytest.mark.skipif(not SEES_HITS, reason="a call that raises before the trace is not seen")
@pytest.mark.parametrize(
    ("call", "said", "advice"),
    [
        (lambda: configured(Config(3, [1]), X), "`Config` cannot be hashed; `.sizes` is `[1]`.", "Make it a tuple or"),
        (lambda: configured({"a": 1}, X), "`dict` cannot be hashed; it is `{'a': 1}`.", "Pass a tuple (of a dict"),
        (lambda: Scaled(jnp.ones(3)).apply(X), "`Scaled` cannot be hashed; `.x` is `f32[3]`.", "Make it a tuple or"),
        (lambda: second(X, jnp.ones(2)), "`ArrayImpl` cannot be hashed.", "Make it traced, as arrays should be"),
        (lambda: second(X, Config(3, [1])), "`Config` cannot be hashed; `.sizes` is `[1]`.", "Make it a tuple or"),
        (lambda: second({"a": 1}, {"b": 2}), "`dict` cannot be hashed; it is `{'b': 2}`.", "Pass a tuple (of a dict"),
    ],
)
def test_a_static_argument_that_cannot_be_hashed_names_the_line_and_the_field(
    call: Any, said: str, advice: str
) -> None:
    with jitviz.record() as rec, pytest.raises(ValueError, match="Non-hashable"):
        call()
    error = rec.calls[-1].error or ""
    line = f"At tests/findings/test_errors.py:{call.__code__.co_firstlineno}"
    assert error.startswith(f"ValueError: Non-hashable static arguments are not supported: {said} {line}")
    assert advise(error).startswith(advice)


def test_a_name_of_equinox_is_not_taken_for_an_argument() -> None:
    with jitviz.record() as rec, pytest.raises(jax.errors.TracerBoolConversionError):
        eqx.filter_jit(relu)(jnp.ones(3))
    (row,) = (row for row in rec.compiles if row.function == "relu")
    assert (row.error or "").endswith("`if x.sum() > 0:`.")
    assert "make what it depends on static" in advise(row.error or "")
