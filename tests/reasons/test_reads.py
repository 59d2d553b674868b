"""A recompile is said to be needed if other code would have run without it; advice names the values that were read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitviz.model import Description, Function, Miss, Read, Reason, Signature, Token
from jitviz.reasons import Explainer
from jitviz.reasons.reads import compare_reads

from .samples import array, explained, made, miss, static
from .test_avoidable import ADDED, SHAPE, SIZES, Known

OLD = Description("function", "<function loss at a.py:1>", "identity", Token(1), "code 1")
NEW = replace(OLD, token=Token(2), code="code 2")
RATE = Description("float", "0.1")
FUNCTION = Function("step", "step", "train", "jax.jit", "train.step", Token(7))


def reading(**values: Description) -> Signature:
    return Signature(reads=tuple(Read("global", "train", name, value) for name, value in values.items()))


def holding(part: Description, token: int) -> Description:
    """A function that closes over another one, as what an optimiser is made of does."""
    return replace(OLD, token=Token(token), fields=(("<closure inner>", part),))


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (reading(loss=OLD, rate=RATE), reading(loss=OLD, rate=RATE), []),
        (reading(loss=OLD), reading(loss=replace(OLD, token=Token(2))), []),  # a cell that ran again
        (reading(loss=OLD, rate=RATE), reading(loss=NEW, rate=RATE), [("loss", True)]),
        (reading(loss=OLD, rate=RATE), reading(loss=OLD, rate=replace(RATE, text="0.2")), [("rate", False)]),
        (reading(loss=OLD), reading(rate=RATE), []),  # nothing that both have read
        (reading(opt=holding(OLD, 3)), reading(opt=holding(NEW, 4)), [("opt", True)]),
        (reading(opt=holding(RATE, 3)), reading(opt=holding(replace(RATE, text="0.2"), 4)), [("opt", False)]),
    ],
)
def test_what_was_read_is_compared_and_told_by_whether_it_is_other_code(
    before: Signature, after: Signature, changed: list[tuple[str, bool]]
) -> None:
    assert [(read.path, is_code) for read, is_code in compare_reads(before, after)] == changed


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
        "Nothing to fix: without this recompile, a program with the old `loss` would have run.",
    )


CLEARED = "`step` was compiled for the same arguments before, but JAX's caches have been cleared since"
RATES = {"reads": reading(rate=RATE).reads}, {"reads": reading(rate=replace(RATE, text="0.2")).reads}


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        (miss(array("x", (4,))), miss(array("x", (5,))), "`x` changed its shape from f32[4] to f32[5]"),
        (miss(static("n", 1)), miss(static("n", 2)), "`n` is static and changed from `1` to `2`"),
        (miss(array("x")), miss(array("x"), cleared="all"), CLEARED),
    ],
)
def test_a_recompile_for_the_arguments_was_needed_if_a_value_changed_that_the_code_reads(
    before: Miss, after: Miss, summary: str
) -> None:
    pair = [
        replace(one, signature=replace(one.signature, **more)) for one, more in zip((before, after), RATES, strict=True)
    ]
    told = explained(*pair, programs=Known(ADDED))
    assert told.judgement(1).verdict == "expected"
    assert told.reasons(1)[0].summary == f"{summary}; `rate` changed as well, so the recompile was needed."


def test_a_value_that_the_program_does_not_depend_on_hides_nothing() -> None:
    pair = [replace(one, signature=replace(one.signature, **more)) for one, more in zip(SHAPE, RATES, strict=True)]
    assert explained(*pair, programs=Known(SIZES)).judgement(1).verdict == "avoidable"


def test_an_attribute_of_a_static_object_that_is_another_value_itself_hides_nothing() -> None:
    def of(scale: float) -> Miss:
        made_anew = made("Model", 1, "custom", scale=scale)
        read = Read("static", "model", "scale", Description("float", str(scale)))
        return miss(static("model", made_anew), reads=(read,))

    told = explained(of(1.0), of(2.0), programs=Known(ADDED))
    assert (told.judgement(1).verdict, told.reasons(1)[0].path) == ("avoidable", "model.scale")


def test_a_number_that_was_read_becomes_an_argument() -> None:
    reason = reason_of(reading(rate=RATE), reading(rate=replace(RATE, text="0.2")))
    assert (reason.kind, reason.advice) == (
        "new_function",
        "Apply `jax.jit` once, outside the loop or function that applies it now, and reuse the result, with `rate` as "
        "a separate argument.",
    )
