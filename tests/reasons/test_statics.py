from dataclasses import replace

import pytest

from jitviz.model import Description
from jitviz.model.equality import key_of
from jitviz.reasons.change import Inside
from jitviz.reasons.compare import compare_doubtful

from .samples import array, compare, function, made, plain, signature, static, told

NAN = float("nan")
Expected = list[tuple[str, str, str, str]]


def changes(before: object, after: object) -> Expected:
    return told(compare(signature([static("cfg", before)]), signature([static("cfg", after)])))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (4, 4, []),
        (4, 3, [("static_value", "cfg", "4", "3")]),
        (1, True, []),
        ((1, 2), (1.0, 3), [("static_value", "cfg[1]", "2", "3")]),
        ((3, 4), (3, 5), [("static_value", "cfg[1]", "4", "5")]),
        ((3, 4), (3, 4, 5), [("static_value", "cfg", "(3, 4)", "(3, 4, 5)")]),
        (NAN, NAN, [("static_eq", "cfg", "nan", "nan")]),
        (NAN, 1.0, [("static_value", "cfg", "nan", "1.0")]),
        ((1, NAN), (1, NAN), [("static_eq", "cfg[1]", "nan", "nan")]),
    ],
)
def test_plain_values_are_compared_by_what_they_say(before: object, after: object, expected: Expected) -> None:
    assert changes(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # the very same object, whatever it holds now
        (made("Config", 1, rtol=0.1), made("Config", 1, rtol=0.2), []),
        # created again, with the same content
        (
            made("Config", 1, rtol=0.1),
            made("Config", 2, rtol=0.1),
            [("static_identity", "cfg", "Config(rtol=0.1)", "Config(rtol=0.1)")],
        ),
        # created again, with other content: that would recompile however it is compared
        (made("Config", 1, rtol=0.1), made("Config", 2, rtol=0.2), [("static_value", "cfg.rtol", "0.1", "0.2")]),
        (
            made("Solver", 1, control=made("Control", 2, rtol=0.1, atol=1)),
            made("Solver", 3, control=made("Control", 4, rtol=0.2, atol=2)),
            [
                ("static_value", "cfg.control.rtol", "0.1", "0.2"),
                ("static_value", "cfg.control.atol", "1", "2"),
            ],
        ),
        # a method is equal to no other object's, even where the two objects are equal
        (
            made("method", 1, "value", __self__=made("Net", 2, "custom", k=1)),
            made("method", 3, "value", __self__=made("Net", 4, "custom", k=1)),
            [("static_identity", "cfg.__self__", "Net(k=1)", "Net(k=1)")],
        ),
        (
            made("method", 1, "value", __self__=made("Net", 2, "custom", k=1)),
            made("method", 3, "value", __self__=made("Net", 2, "custom", k=1)),
            [],
        ),
        (
            made("Config", 1),
            made("Other", 2),
            [("static_value", "cfg", "Config()", "Other()")],
        ),
    ],
)
def test_objects_that_compare_by_identity(before: Description, after: Description, expected: Expected) -> None:
    assert changes(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (function(1), function(1), []),
        (
            function(1, lr=0.1),
            function(2, lr=0.1),
            [("static_identity", "cfg", "<function act at train.py:7>", "<function act at train.py:7>")],
        ),
        # what it closes over is no part of its value
        (
            function(1, lr=0.1),
            function(2, lr=0.2),
            [("static_identity", "cfg", "<function act at train.py:7>", "<function act at train.py:7>")],
        ),
        (
            function(1),
            function(2, "f00d", "tanh"),
            [("static_value", "cfg", "<function act at train.py:7>", "<function tanh at train.py:7>")],
        ),
    ],
)
def test_functions_are_the_same_created_again_when_their_code_is(
    before: Description, after: Description, expected: Expected
) -> None:
    assert changes(before, after) == expected


def test_an_optimiser_is_compared_function_by_function() -> None:
    before = made("GradientTransformation", 1, "value", init=function(2), update=function(3, "beef"))
    after = made("GradientTransformation", 4, "value", init=function(5), update=function(6, "beef"))
    assert [(kind, path) for kind, path, _, _ in changes(before, after)] == [
        ("static_identity", "cfg.init"),
        ("static_identity", "cfg.update"),
    ]


def test_what_differs_inside_a_function_created_again_is_a_detail() -> None:
    before, after = (function(token, update=function(token + 1, lr=lr)) for token, lr in ((1, 0.1), (3, 0.2)))
    (change,) = compare(signature([static("opt.update", before)]), signature([static("opt.update", after)]))
    assert change.inside == Inside("<closure update><closure lr>", "0.1", "0.2")


def test_another_array_inside_differs_though_its_elements_are_not_read() -> None:
    held = [Description("numpy.ndarray", "f32[3]", "identity", token) for token in (7, 8, 8)]
    first, second, third = (signature([static("f", function(n, w=array))]) for n, array in enumerate(held, 1))
    (change,), (again,) = compare(first, second), compare(second, third)
    assert (change.inside, again.inside) == (Inside("<closure w>", "f32[3]", "f32[3]"), None)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (made("Key", 1, "hash_only", a=1), made("Key", 1, "hash_only", a=1), []),
        (
            made("Key", 1, "hash_only", a=1),
            made("Key", 2, "hash_only", a=1),
            [("static_eq", "cfg", "Key(a=1)", "Key(a=1)")],
        ),
        (
            made("Key", 1, "hash_only", a=1),
            made("Key", 2, "hash_only", a=2),
            [("static_value", "cfg.a", "1", "2")],
        ),
        # a user's __eq__ is believed to look at plain values, and at nothing else
        (made("Key", 1, "custom", a=1), made("Key", 2, "custom", a=2), [("static_value", "cfg.a", "1", "2")]),
        (made("Key", 1, "custom", a=1), made("Key", 2, "custom", a=1), []),
        (made("Key", 1, "custom", f=function(3)), made("Key", 2, "custom", f=function(4)), []),
        # what was put into the very same object since may be a cache
        (made("Key", 1, "custom", a=1), made("Key", 1, "custom", a=2), []),
    ],
)
def test_objects_with_a_hash_or_an_eq_of_their_own(before: Description, after: Description, expected: Expected) -> None:
    assert changes(before, after) == expected


@pytest.mark.parametrize(("before", "after"), [(1, True), (1.0, 1), (False, 0)])
def test_equal_numbers_of_two_types_are_named_where_nothing_else_explains(before: object, after: object) -> None:
    pair = (signature([static("cfg", value)]) for value in (before, after))
    assert told(compare_doubtful(*pair)) == [("static_value", "cfg", str(before), str(after))]


def test_what_was_put_into_an_object_is_named_where_nothing_else_explains() -> None:
    before, after = (signature([static("cfg", made("Key", 1, "custom", a=a))]) for a in (1, 2))
    assert told(compare_doubtful(before, after)) == [("static_value", "cfg.a", "1", "2")]


def test_a_value_class_redefined_equals_no_old_instance() -> None:
    before, after = (replace(made("Config", 1, "value", a=1), type_token=token) for token in (1, 2))
    assert changes(before, after) == [("static_identity", "cfg", "Config(a=1)", "Config(a=1)")]


def test_items_of_a_set_are_named_by_the_set() -> None:
    before, after = (
        Description("frozenset", f"{{{item}}}", fields=(("{0}", plain(item)),), token=None) for item in (1, 2)
    )
    assert changes(before, after) == [("static_value", "cfg", "1", "2")]


def test_metadata_without_an_attribute_is_named_by_its_node() -> None:
    before, after = (static("m.<aux_data>", (1, value), is_metadata=True) for value in (2, 3))
    assert told(compare(signature([before]), signature([after]))) == [("static_value", "m", "2", "3")]


def test_a_leaf_that_was_static_and_is_traced_now_changed_its_kind() -> None:
    before, after = signature([static("model.flux", 1.0)]), signature([array("model.flux", ())])
    assert told(compare(before, after)) == [("leaf_kind", "model.flux", "static 1.0", "traced f32[]")]
    assert told(compare(after, before)) == [("leaf_kind", "model.flux", "traced f32[]", "static 1.0")]


def test_a_value_that_was_looked_at_less_far_is_compared_as_far_as_that() -> None:
    whole = made("Config", 1, "value", rate=0.1, layers=3)
    shorter = replace(made("Config", 2, "value", rate=0.1), is_cut=True)
    other = replace(made("Config", 2, "value", rate=0.2), is_cut=True)
    assert changes(whole, shorter) == []
    assert changes(shorter, whole) == []
    assert changes(whole, other) == [("static_value", "cfg.rate", "0.1", "0.2")]
    assert changes(whole, replace(shorter, is_cut=False)) != []


def test_an_object_whose_fields_are_reported_elsewhere_is_compared_there() -> None:
    node = made("Node", 1, k=1)
    again = replace(made("Node", 2), text="Node(k=1)", same_as="[0]")
    assert changes(node, again) == [("static_identity", "cfg", "Node(k=1)", "Node(k=1)")]


@pytest.mark.parametrize(
    ("before", "after", "is_equal"),
    [
        (made("Act", 1, a=1), made("Act", 1, a=2), True),  # one object, whatever was changed in it
        (made("Act", 1, a=1), made("Act", 2, a=1), False),  # created again
        (made("Act", 1, "hash_only", a=1), made("Act", 2, "hash_only", a=1), False),
        (made("Act", 1, "custom", a=1), made("Act", 2, "custom", a=1), True),  # an `__eq__` may look at what it holds
        (made("Act", 1, "custom", a=1), made("Act", 1, "custom", a=2), False),
        (made("Act", 1, "custom", a=1, b=2), made("Act", 2, "custom", b=2, a=1), True),
        (replace(plain(1), equality="identity"), replace(plain(1), equality="identity"), True),  # no object to name
        (plain((1, 2)), plain((1, 3)), False),
        (Description("my.Mode", "Mode.A", type_token=1), Description("my.Mode", "Mode.A", type_token=2), False),
    ],
)
def test_the_key_of_an_object_is_its_identity_where_jax_compares_by_that(
    before: Description, after: Description, is_equal: bool
) -> None:
    assert (key_of(before) == key_of(after)) == is_equal
    assert len({key_of(before), key_of(after)}) == 2 - is_equal


@pytest.mark.parametrize(
    ("item", "alone", "same"),
    [(plain(1), plain(1), "entry"), (made("my.Config", 1, a=1), made("my.Config", 2, a=1), None)],
)
def test_a_tuple_of_only_the_other_is_a_way_to_write_it_if_it_is_a_plain_value(
    item: Description, alone: Description, same: str | None
) -> None:
    whole = Description("tuple", f"({item.text},)", fields=(("[0]", item),))
    (change,) = compare(signature([static("cfg", whole)]), signature([static("cfg", alone)]))
    assert change.same == same
