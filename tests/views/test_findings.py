"""How findings are shaped for the first screen."""

import pytest

from jitviz.model.finding import Finding
from jitviz.views.findings import tell_summary


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
