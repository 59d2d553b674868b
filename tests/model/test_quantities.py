"""Durations whose sum stands beside them."""

from __future__ import annotations

import random

import pytest

from jitviz.model.quantities import UNITS, seconds, summed

LIMIT_S = 599.4  # from ten minutes on there are two numbers in one text


def read(text: str) -> tuple[float, float]:
    """The number of seconds in a text, and what its last digit stands for."""
    number, unit = text.split(" ")
    return float(number) * UNITS[unit], (0.1 if "." in number else 1) * UNITS[unit]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((73.2, 3.41, 0.62), ("77 s", ["73 s", "3.4 s", "620 ms"])),
        ((1.34, 0.349), ("1.7 s", ["1.4 s", "349 ms"])),  # 1.3 and 0.349 would be 1.6
        ((1.26, 1.26, 1.26), ("3.8 s", ["1.2 s", "1.3 s", "1.3 s"])),
        ((2.46, 2.46, 2.46), ("7.4 s", ["2.4 s", "2.5 s", "2.5 s"])),
        ((0.0, 0.0), ("0 s", ["0 s", "0 s"])),
        ((5.0,), ("5.0 s", ["5.0 s"])),
        ((), ("0 s", [])),
    ],
)
def test_the_parts_of_a_sum_are_rounded_so_that_they_add_up(
    parts: tuple[float, ...], said: tuple[str, list[str]]
) -> None:
    assert summed(parts) == said


def test_parts_of_any_size_add_up_to_the_sum_that_is_shown_and_none_is_off_by_more_than_its_last_digit() -> None:
    numbers, n_alone = random.Random(27), 0
    for _ in range(20_000):
        parts = [10 ** numbers.uniform(-6, 3) for _ in range(numbers.randint(1, 6))]
        if sum(parts) > LIMIT_S:
            continue
        whole, texts = summed(parts)
        assert whole == seconds(sum(parts))
        shown, step = read(whole)
        assert abs(sum(read(text)[0] for text in texts) - shown) <= 0.501 * step, (parts, whole, texts)
        for part, text in zip(parts, texts, strict=True):
            assert abs(read(text)[0] - part) <= 1.001 * read(text)[1], (part, text)
        n_alone += texts != list(map(seconds, parts))
    assert n_alone > 100  # which would not have added up
