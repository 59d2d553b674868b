"""How findings are shaped for the first screen."""

import pytest

from jitviz.model.finding import Finding
from jitviz.views import SAVED
from jitviz.views.findings import briefly, shape_findings, tell_summary


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("`x` changed its shape from f32[128,2] to f32[104,2]", ["128", "104"]),
        ("`x` changed its dtype from f32[3] to bf16[3], and `y` with it", ["f32", "bf16"]),
        ("`x` changed its shape from f32[3] to f32[3,1]", ["f32", "3", "f32", "3", "1"]),
        ("`x` came in 40 sizes: f32[40] … f32[79]", ["40", "79"]),
        ("`x` changed its key type from key<fry>[] to key<rbg>[]", ["key<fry>", "key<rbg>"]),
        ("`x` is static and changed from `f32[1]` to `f32[2]`", []),
    ],
)
def test_only_what_changed_is_bold(summary: str, expected: list[str]) -> None:
    spans = tell_summary(Finding("recompile", "f", "x", summary=summary, compiles=(1,)))
    assert [span.text for span in spans if span.is_strong] == expected
    assert "".join(f"`{span.text}`" if span.is_code else span.text for span in spans) == summary


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("`x` changed its shape from f32[3] to f32[4].", "`x` changed its shape from f32[3] to f32[4]"),
        ("Pad `x` on the host (as in the manual), with `np.pad`.", "Pad `x` on the host, with `np.pad`"),
        (
            "Use one dtype in every call, `jnp.int32`; this may change what the last digits of the sums are.",
            "Use one dtype in every call, `jnp.int32`",
        ),
        (
            "Pass an array of dtype `jnp.int32` instead of a Python number or a result that was computed from one.",
            "Pass an array of dtype `jnp.int32`",
        ),
        (
            "`slots` changed its class from a list of 2 items to a tuple of 2 items.",
            "`slots` changed its class from a list to a tuple",
        ),
        (
            "`f` itself is the same function, but its wrapper, such as `jax.grad`, is a new one.",
            "Its wrapper is a new one",
        ),
        (
            "The program is the same for these: if it is for all, make `idx` an array, which is traced.",
            "The program is the same for these",
        ),
        (
            "Make `rate` a field that is not static (in `tree_flatten`), since the program only computes with it.",
            "Make `rate` a field that is not static",
        ),
        (
            "One two three four five six seven eight nine ten eleven twelve thirteen.",
            "One two three four five six seven eight nine ten eleven …",
        ),
        (
            "One two three four five six seven eight nine ten `eleven twelve` thirteen fourteen.",
            "One two three four five six seven eight nine ten…",
        ),
    ],
)
def test_a_sentence_in_a_few_words_ends_with_a_clause_or_before_a_conjunction(sentence: str, told: str) -> None:
    assert briefly(sentence, 12) == told


def test_what_fixing_a_cause_saves_is_not_known_where_it_may_have_been_needed() -> None:
    causes = [Finding("recompile", "f", "x", saves_s=2.0, is_maybe=is_maybe) for is_maybe in (False, True)]
    assert [view.saves_s for view in shape_findings(causes, [(), ()], SAVED, "")] == [2.0, 0.0]
