"""A parameter left to its default on one side, and given on the other: its default is no part of the key."""

from dataclasses import replace

import pytest

from jitviz.model import Description, Leaf, Signature
from jitviz.reasons.change import Change

from .samples import compare

X = Leaf("x", "traced", "jax.Array", (2,), "float32")
TRACED = Leaf("scale", "traced", "float", (), "float32", weak_type=True, repr="f32[]")


def static(text: str, kind: str = "int") -> Leaf:
    return Leaf("n", "static", kind, repr=text, static=Description(kind, text))


def test_a_traced_parameter_that_is_now_given_changed_its_form() -> None:
    before = Signature((X,), form=(("x", "positional"),), defaults=(("scale", "1.0"),))
    after = Signature((X, TRACED), form=(("x", "positional"), ("scale", "keyword")))
    assert compare(before, after) == (Change("kwargs_vs_args", "scale", "default", "keyword"),)
    assert compare(after, before) == (Change("kwargs_vs_args", "scale", "keyword", "default"),)


@pytest.mark.parametrize(
    ("default", "given", "kinds"),
    [
        ("1", replace(TRACED, dtype="float32"), ["kwargs_vs_args", "dtype"]),
        ("1.0", replace(TRACED, weak_type=False), ["kwargs_vs_args", "weak_type"]),
        ("True", replace(TRACED, dtype="bool", weak_type=False), ["kwargs_vs_args"]),
        ("1.0", replace(TRACED, shape=(3,)), ["kwargs_vs_args", "shape"]),
        ("inf", replace(TRACED, shape=(3,)), ["kwargs_vs_args"]),  # which number this is, is not read
    ],
)
def test_a_number_of_another_type_than_the_default_has_another_type(
    default: str, given: Leaf, kinds: list[str]
) -> None:
    before = Signature((X,), form=(("x", "positional"),), defaults=(("scale", default),))
    after = Signature((X, given), form=(("x", "positional"), ("scale", "keyword")))
    assert sorted(change.kind for change in compare(before, after)) == sorted(kinds)
    assert sorted(change.kind for change in compare(after, before)) == sorted(kinds)


def test_a_static_parameter_given_as_its_default_changed_its_form() -> None:
    before, after = Signature((X,), defaults=(("n", "3"),)), Signature((X, static("3")), form=(("n", "positional"),))
    assert compare(before, after) == (Change("kwargs_vs_args", "n", "default", "positional"),)


def test_a_static_parameter_given_as_something_else_changed_its_value() -> None:
    before, after = Signature((X,), defaults=(("n", "3"),)), Signature((X, static("4")))
    (change,) = compare(before, after)
    assert (change.kind, change.path, change.before, change.after) == ("static_value", "n", "3", "4")
    assert (change.flag, change.is_number) == ("no", True)


def test_a_flag_left_to_its_default_is_a_flag() -> None:
    before, after = Signature((X,), defaults=(("n", "False"),)), Signature((X, static("True", "bool")))
    (change,) = compare(after, before)
    assert (change.before, change.after, change.flag) == ("True", "False", "yes")


def test_none_is_a_default_like_any_other_but_for_an_array_in_its_place() -> None:
    left = Signature((X,), form=(("x", "positional"),), defaults=(("n", "None"), ("scale", "None")))
    given = Signature((X, static("None", "NoneType")), form=(("x", "positional"), ("n", "keyword")), defaults=())
    assert compare(left, given) == (Change("kwargs_vs_args", "n", "default", "keyword"),)
    array = Signature((X, TRACED), form=(("x", "positional"), ("scale", "keyword")))
    assert [(change.kind, change.path) for change in compare(left, array)] == [("treedef", "scale")]


def test_where_the_form_is_normalised_the_argument_came() -> None:
    before, after = Signature((X,), defaults=(("n", "3"),)), Signature((X, static("3")))
    assert [change.kind for change in compare(before, after)] == ["treedef"]


def test_a_parameter_without_a_plain_default_came() -> None:
    assert [change.kind for change in compare(Signature((X,)), Signature((X, TRACED)))] == ["treedef"]
