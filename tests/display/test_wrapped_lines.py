from __future__ import annotations

import random

from jitviz.display.wrapped_lines import align, width_of, wrap


def test_a_text_that_fits_is_one_line_and_keeps_its_columns() -> None:
    assert wrap("a    b", 10, "  ") == ["  a    b"]


def test_a_long_text_breaks_at_spaces_and_hangs() -> None:
    assert wrap("one two three four", 10, "", "  ") == ["one two", "  three", "  four"]


def test_a_number_and_its_unit_stay_in_one_line() -> None:
    text = "it took 1.1 s, and 720 ms (10 MB) more"
    assert wrap(text, 10) == ["it took", "1.1 s, and", "720 ms", "(10 MB)", "more"]


def test_a_word_that_is_wider_than_a_line_is_cut() -> None:
    assert wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert [width_of("abc"), width_of("中文"), width_of("e\u0301")] == [3, 4, 1]


def test_no_line_is_too_wide_and_no_character_is_lost() -> None:
    draw = random.Random(0)
    for _ in range(500):
        text = "".join(draw.choices("abc   中é", k=draw.randrange(80)))
        width = draw.randrange(8, 30)
        lines = wrap(text, width, "  ", "    ")
        assert max(map(width_of, lines)) <= width
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_columns_are_as_wide_as_their_widest_text_up_to_a_bound() -> None:
    lines = align([("a", "f32[3]", "4 B"), ("bias", "x" * 12, "8 B"), ("c", "", "")], 6)
    assert lines == ["a     f32[3]  4 B", "bias  xxxxxxxxxxxx  8 B", "c"]


def test_nothing_to_align_is_no_line() -> None:
    assert align([], 10) == []
