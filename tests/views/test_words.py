from __future__ import annotations

import random

import pytest

from jitviz.views import words
from jitviz.views.schema import Span


@pytest.mark.parametrize(
    ("part_s", "whole_s", "said"),
    [
        (1.93, 2.3, "1.9 of the 2.3 s"),
        (0.917, 1.6, "917 ms of the 1.6 s"),
        (0.012, 2.3, "12 ms of the 2.3 s"),
        (0.3, 12.0, "300 ms of the 12 s"),
        (0.0, 0.4, "0 s of the 400 ms"),
        (0.0, 0.0, "0 of the 0 s"),
        (93.4, 106.0, "93 of the 106 s"),
        (106.9, 106.95, "107 of the 107 s"),
        (125.0, 4000.0, "125 s of the 66 min 40 s"),
    ],
)
def test_a_share_has_the_numbers_of_other_screens_and_a_common_unit_once(
    part_s: float, whole_s: float, said: str
) -> None:
    assert words.share(part_s, whole_s) == said


def test_how_often_is_said_in_words() -> None:
    assert [words.times(1), words.times(2_000)] == ["once", "2,000 times"]


@pytest.mark.parametrize(
    ("dtype", "shape", "short"),
    [
        ("float32", (3, 4), "f32[3,4]"),
        ("bfloat16", (), "bf16[]"),
        ("uint8", (2,), "u8[2]"),
        ("int4", (2,), "i4[2]"),
        ("complex64", (1,), "c64[1]"),
        ("bool", (), "bool[]"),
        ("key<fry>", (), "key<fry>[]"),
        ("float8_e4m3fn", (8,), "f8_e4m3fn[8]"),
        ("float0", (), "f0[]"),
        (None, None, ""),
    ],
)
def test_array_types_are_written_as_jax_writes_them(
    dtype: str | None, shape: tuple[int, ...] | None, short: str
) -> None:
    assert words.aval(dtype, shape) == short


def test_a_text_of_the_user_becomes_one_printable_line() -> None:
    text = "red \x1b[31m, right to left \u202e, half a pair \ud800, two\nlines"
    assert words.plain(text, 200) == r"red \x1b[31m, right to left \u202e, half a pair \ud800, two\nlines"


def test_a_text_of_the_user_is_never_longer_than_its_limit() -> None:
    draw = random.Random(0)
    for _ in range(500):
        text = "".join(draw.choices("ab.[0]'\x00\n\u202e\ud800\u4e2d", k=draw.randrange(120)))
        limit = draw.randrange(4, 60)
        for shown in (words.plain(text, limit), words.plain_path(text, limit)):
            assert len(shown) <= limit
            assert shown.isprintable()


def test_a_long_path_keeps_the_leaf_at_its_end() -> None:
    assert words.plain_path("model.blocks[0].attention.query.weight", 21) == "model.bloc…ery.weight"


def test_a_sentence_has_its_code_in_backticks() -> None:
    assert words.as_text((Span("step", is_code=True), Span(" compiled"))) == "`step` compiled"


def test_a_text_with_odd_backticks_stays_as_it_is() -> None:
    for text in ("a `` b", "`a", "`a` and ``b``", "'``x``'"):
        assert words.as_text(words.read_spans(text)) == text
