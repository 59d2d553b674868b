from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from jitviz.jaxcompat.texts.program_lines import read_lines
from jitviz.views.program.corresponding_lines import Renaming, align, keys_from_above, keys_from_below

KEYS = st.lists(st.integers(0, 6), max_size=40)


def test_variables_correspond_one_by_one() -> None:
    renaming = Renaming()
    assert renaming.allows((1, 2), (5, 6))
    assert renaming.allows((2, 1, 3), (6, 5, 7))
    assert not renaming.allows((1,), (6,))
    assert not renaming.allows((4,), (5,))
    assert not renaming.allows((1, 2), (5,))


def test_a_refused_line_binds_nothing() -> None:
    renaming = Renaming()
    assert renaming.allows((2,), (6,))
    assert not renaming.allows((1, 2), (5, 9))
    assert renaming.allows((1,), (7,))


def test_keys_depend_on_all_inputs_or_all_uses() -> None:
    text = ["%a = sin %x", "%b = cos %a", "%c = cos %b", "%d = exp %c"]
    changed = ["%a = tan %x", *text[1:]]
    before, after = read_lines(text, "stablehlo"), read_lines(changed, "stablehlo")
    above = [one == other for one, other in zip(keys_from_above(before), keys_from_above(after), strict=True)]
    below = [one == other for one, other in zip(keys_from_below(before), keys_from_below(after), strict=True)]
    assert above == [False, False, False, False]
    assert below == [False, True, True, True]
    assert len(set(keys_from_above(before))) == 4


def test_equal_keys_are_paired_one_by_one() -> None:
    assert align([([1, 1, 2], [1, 1, 2])]) == [(0, 0), (1, 1), (2, 2)]


def test_an_inserted_line_stays_unpaired() -> None:
    assert align([([1, 2, 3, 4], [1, 2, 9, 3, 4])]) == [(0, 0), (1, 1), (2, 3), (3, 4)]


def test_a_moved_line_stays_unpaired() -> None:
    assert align([([1, 2, 3, 9], [2, 3, 1, 9])]) == [(1, 0), (2, 1), (3, 3)]


def test_more_specific_keys_come_first() -> None:
    """With only the weak key, the first lines would be paired."""
    strong, weak = ([10, 11], [99, 10, 11]), ([1, 1], [1, 1, 1])
    assert align([strong, weak]) == [(0, 1), (1, 2)]


@given(KEYS, KEYS)
def test_pairs_have_equal_keys_and_increase_on_both_sides(before: list[int], after: list[int]) -> None:
    pairs = align([(before, after)])
    assert all(before[b] == after[a] for b, a in pairs)
    assert all(b < b_next and a < a_next for (b, a), (b_next, a_next) in pairwise(pairs))


@given(KEYS)
def test_a_text_is_paired_with_itself_line_by_line(keys: list[int]) -> None:
    assert align([(keys, keys)]) == [(place, place) for place in range(len(keys))]


@given(KEYS, st.integers(0, 40))
def test_one_added_line_leaves_all_others_paired(keys: list[int], place: int) -> None:
    more = [*keys[:place], 99, *keys[place:]]
    assert len(align([(keys, more)])) == len(keys)


def test_lines_of_a_long_text_that_occur_often_stay_unpaired() -> None:
    """Comparing each of them with each would take hours."""
    before = [number % 7 for number in range(50_000)]
    after = [9, *before[:20_000], 3, 3, *before[20_000:], 9]
    assert align([(before, after)]) == []
