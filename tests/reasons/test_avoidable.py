"""Strings: one out of few is a flag, one of many is not, whichever of them it is."""

import pytest

from jitviz.model import Description, Miss
from jitviz.reasons import Explainer
from jitviz.reasons.avoidable import MOST_OF_A_FLAG as FEW

from .samples import array, explained, jitted, made, miss, none, plain, static

MANY = (
    "If only the caller needs it (a path, a name, a time), do not pass it to the jitted function: it keeps "
    "getting new values, and each has its own program."
)
ENOUGH = FEW + 1


def inherent(*misses: Miss) -> list[bool]:
    """Per miss but the first, whether its cause is what anyone would expect, judged when all of them are known."""
    explainer = explained(*misses)
    return [explainer.reasons(number)[0].inherent for number in range(1, len(misses))]


def named(*values: object) -> list[Miss]:
    return [miss(array("x"), static("name", value)) for value in values]


def paths(count: int) -> list[str]:
    return [f"{name}.npz" for name in ("ape", "bee", "cat", "dog", "emu", "fox")[:count]]


def test_few_strings_are_a_flag() -> None:
    assert inherent(*named("train", "eval")) == [True]
    assert inherent(*named(*paths(FEW))) == [True] * (FEW - 1)


def test_many_strings_are_not_a_flag_from_the_first_one_on() -> None:
    assert inherent(*named(*paths(ENOUGH))) == [False] * (ENOUGH - 1)


def test_the_judgement_changes_when_there_are_too_many() -> None:
    explainer = Explainer()
    seen = [explainer.explain(one)[0] for one in named(*paths(ENOUGH))]
    assert [reason.inherent for reason in seen[1:]] == [*[True] * (FEW - 1), False]
    assert explainer.reasons(1)[0].advice == MANY != seen[1].advice
    assert explainer.reasons(1)[0].summary == seen[1].summary


def test_a_bool_stays_a_flag_where_there_were_many_strings() -> None:
    assert inherent(*named(*paths(ENOUGH), True, False))[-1]


def test_strings_that_are_numbered_continue_and_are_not_a_flag() -> None:
    assert inherent(*named("step_1", "step_2")) == [True]
    assert inherent(*named("step_8", "step_9", "step_10")) == [False] * 2
    assert inherent(*named("step_8", "step_9", "eval_10")) == [True] * 2


@pytest.mark.parametrize(
    "value",
    [
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "6ba7b8109dad11d180b400c04fd430c8",
        "2026-11-23T01:22:01",
        "run 2026-11-23 01:22",
        "20261123-012201",
        "1763860921.51",
        "/tmp/tmpx3kd_9qz/weights.npz",
        "/home/ann/data.npz",
        "C:\\data\\a.npz",
    ],
)
def test_a_string_that_identifies_one_thing_is_not_a_flag_from_the_second_on(value: str) -> None:
    assert inherent(*named(value, "none")) == [False]
    assert inherent(*named("none", value)) == [False]
    assert inherent(miss(nodes=[none("name")]), *named(value)) == [False]


@pytest.mark.parametrize(
    "value",
    [
        "gpt-4-2024-08-06",
        "b h -> h b",
        "org/model",
        "relu6",
        "float32",
        "threefry2x32",
        "mean/std",
        "deadbeef",
        "a" * 32,
    ],
)
def test_a_name_with_numbers_in_it_may_be_a_flag(value: str) -> None:
    assert inherent(*named(value, "none")) == [True]


def test_strings_that_come_back_are_counted_once() -> None:
    values = [(value, size) for size in range(1, 6) for value in ("sum", "mean")]
    misses = [miss(array("x", (size,)), static("how", value)) for value, size in values]
    assert {reason for one, reason in zip(values[1:], inherent(*misses), strict=True) if one[1] == 1} == {True}


def test_strings_are_counted_at_one_place_of_one_function() -> None:
    two_places = [miss(static("a", name), static("b", "x")) for name in paths(3)]
    two_places += [miss(static("a", "cat.npz"), static("b", name)) for name in paths(3)]
    assert inherent(*two_places) == [True] * 5
    other = jitted(2, lineage="train.other")
    two_functions = [miss(static("a", name), function=owner) for owner in (jitted(), other) for name in paths(3)]
    assert inherent(*two_functions) == [True, True, False, True, True]  # the third is the first of the other


def test_strings_inside_an_object_are_counted() -> None:
    misses = [miss(static("cfg", made("Config", 10 + place, run=name))) for place, name in enumerate(paths(ENOUGH))]
    assert inherent(*misses) == [False] * (ENOUGH - 1)


def test_none_before_a_string_is_judged_with_it() -> None:
    without = miss(nodes=[none("tag")])
    assert inherent(without, miss(static("tag", "a"))) == [True]
    misses = [without, *(miss(static("tag", name)) for name in paths(ENOUGH))]
    assert inherent(*misses) == [False] * ENOUGH
    explainer = explained(*misses)
    assert (explainer.reasons(1)[0].kind, explainer.reasons(1)[0].advice) == ("treedef", MANY)


def test_long_strings_are_distinguished_by_what_is_not_shown() -> None:
    cut = [Description("str", "'log…'", is_cut=True, rest=f"{number:x}") for number in range(ENOUGH)]
    assert inherent(*named(*cut)) == [False] * (ENOUGH - 1)


def test_what_has_few_values_by_its_type_is_a_flag_however_often_it_changes() -> None:
    members = [Description("my.Mode", f"Mode.{letter}", type_token=3) for letter in "ABCDEFG"]
    assert inherent(*named(*members)) == [True] * 6
    assert inherent(*named(True, False)) == [True]
    both = [Description("my.Flags", f"Flags.{names}", type_token=3) for names in ("A", "A|B")]
    assert inherent(*named(*both)) == [True]


def test_a_number_is_not_a_flag_even_among_strings() -> None:
    assert inherent(*named(1, 2)) == [False]
    assert inherent(*named("auto", 2)) == [False]
    assert inherent(*named(plain(True), 3)) == [False]


def test_other_reasons_keep_their_judgement_beside_many_strings() -> None:
    misses = named(*paths(ENOUGH))
    modes = [miss(array("x"), static("name", "run-4.npz"), static("train", value)) for value in (True, False)]
    assert inherent(*misses, *modes)[-1] is True
