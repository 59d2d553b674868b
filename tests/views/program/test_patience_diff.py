from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from jitviz.views.program.patience_diff import _longest_run, align

KEYS = st.lists(st.integers(0, 6), max_size=40)


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


@given(st.permutations(range(7)))
def test_as_many_permuted_lines_as_possible_are_paired(after: list[int]) -> None:
    run = _longest_run(list(enumerate(after)))
    assert all(b < b_next and a < a_next for (b, a), (b_next, a_next) in pairwise(run))
    assert set(run) <= set(enumerate(after))
    assert len(run) == max(n for n in range(8) if any(list(part) == sorted(part) for part in combinations(after, n)))


def test_a_long_text_of_few_kinds_of_lines_is_paired() -> None:
    """Alone, difflib would need hours for this."""
    before = [number % 7 for number in range(50_000)]
    after = [*before[:20_000], 3, 3, *before[20_000:40_000], *before[40_001:]]
    assert len(align([(before, after)])) >= 40_000
