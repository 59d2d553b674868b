"""A recompile is said to be needed if other code would have run without it; advice names the values that were read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitviz.model import Description, Function, Miss, Read, Reason, Signature, Token
from jitviz.reasons import Explainer
from jitviz.reasons.surroundings import compare_reads

OLD = Description("function", "<function loss at a.py:1>", "identity", Token(1), "code 1")
NEW = replace(OLD, token=Token(2), code="code 2")
RATE = Description("float", "0.1")
FUNCTION = Function("step", "step", "train", "jax.jit", "train.step", Token(7))


def reading(**values: Description) -> Signature:
    return Signature(reads=tuple(Read("global", "train", name, value) for name, value in values.items()))


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (reading(loss=OLD, rate=RATE), reading(loss=OLD, rate=RATE), ((), ())),
        (reading(loss=OLD), reading(loss=replace(OLD, token=Token(2))), ((), ())),  # a cell that ran again
        (reading(loss=OLD, rate=RATE), reading(loss=NEW, rate=RATE), (("loss",), ())),
        (reading(loss=OLD, rate=RATE), reading(loss=OLD, rate=replace(RATE, text="0.2")), ((), ("rate",))),
        (reading(loss=OLD), reading(rate=RATE), ((), ())),  # nothing that both have read
    ],
)
def test_code_and_values_that_were_read_are_compared(
    before: Signature, after: Signature, changed: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    assert compare_reads(before, after) == changed


def reason_of(before: Signature, after: Signature) -> Reason:
    explainer = Explainer()
    explainer.explain(Miss(FUNCTION, before))
    (reason,) = explainer.explain(Miss(replace(FUNCTION, token=Token(8)), after))
    return reason


def test_a_recompile_that_runs_other_code_was_needed() -> None:
    reason = reason_of(reading(loss=OLD), reading(loss=NEW))
    assert (reason.kind, reason.summary, reason.advice) == (
        "new_function",
        "`step` changed to a new object with the same code, and JAX caches per function object; `loss` changed as "
        "well, so the recompile was needed.",
        "Nothing to fix: without this recompile, the old `loss` would have run.",
    )


def test_a_number_that_was_read_becomes_an_argument() -> None:
    reason = reason_of(reading(rate=RATE), reading(rate=replace(RATE, text="0.2")))
    assert (reason.kind, reason.advice) == (
        "new_function",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with `rate` as "
        "a separate argument.",
    )
