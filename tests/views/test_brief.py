from __future__ import annotations

import pytest

from jitviz.views.findings import briefly


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
