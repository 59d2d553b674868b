from dataclasses import replace

from jitviz.model import Node

from .samples import array, compare, none, signature, static, told

STATE = Node("state", "dict", ("['mu']", "['nu']"))
MODEL = Node("model", "__main__.Model", (".weight", ".index"), 7)


def test_a_leaf_that_becomes_none_is_named_with_both_sides() -> None:
    before = signature([array("state['mu']"), array("state['nu']")], [STATE])
    after = signature([array("state['nu']")], [STATE, none("state['mu']")])
    assert told(compare(before, after)) == [("treedef", "state['mu']", "array", "None")]
    assert told(compare(after, before)) == [("treedef", "state['mu']", "None", "array")]


def test_a_key_that_comes_is_named_and_what_stays_is_compared() -> None:
    before = signature([array("x"), array("m['a']")], [Node("m", "dict", ("['a']",))])
    after = signature(
        [array("x", (4,)), array("m['a']", (4,)), array("m['b']")], [Node("m", "dict", ("['a']", "['b']"))]
    )
    assert told(compare(before, after)) == [
        ("treedef", "m['b']", "absent", "array"),
        ("shape", "x", "f32[3]", "f32[4]"),
        ("shape", "m['a']", "f32[3]", "f32[4]"),
    ]


def test_a_longer_list_is_named_by_its_new_entries_alone() -> None:
    before = signature([array("xs[0]")], [Node("xs", "list", ("[0]",))])
    after = signature(
        [array("xs[0]"), array("xs[1][0]"), array("xs[1][1]")],
        [Node("xs", "list", ("[0]", "[1]")), Node("xs[1]", "tuple", ("[0]", "[1]"))],
    )
    assert told(compare(before, after)) == [("treedef", "xs[1]", "absent", "tuple of 2 items")]
    assert told(compare(after, before)) == [("treedef", "xs[1]", "tuple of 2 items", "absent")]


def test_another_container_class_hides_what_is_below() -> None:
    before = signature([array("xs[0]"), array("y")], [Node("xs", "list", ("[0]",))])
    after = signature([array("xs[0]", (9,)), array("y", (4,))], [Node("xs", "tuple", ("[0]",))])
    assert told(compare(before, after)) == [
        ("treedef", "xs", "list of 1 item", "tuple of 1 item"),
        ("shape", "y", "f32[3]", "f32[4]"),
    ]


def test_a_class_redefined_is_recognised_by_its_token() -> None:
    leaves = [array("model.weight"), array("model.index")]
    (change,) = compare(signature(leaves, [MODEL]), signature(leaves, [Node("model", MODEL.type, MODEL.keys, 8)]))
    assert (change.kind, change.path, change.before, change.after) == ("treedef", "model", "Model", "Model")
    assert change.event == "redefined"


def test_entries_in_another_order_are_one_change() -> None:
    leaves = [array("state['mu']"), array("state['nu']")]
    before = signature(leaves, [Node("state", "OrderedDict", ("['mu']", "['nu']"))])
    after = signature(leaves[::-1], [Node("state", "OrderedDict", ("['nu']", "['mu']"))])
    (change,) = compare(before, after)
    assert (change.kind, change.path, change.event) == ("treedef", "state", "order")


def test_keys_of_another_type_are_one_change() -> None:
    old, new = (Node("state", "dict", tuple(keys)) for keys in (("[0]", "[1]"), ("['0']", "['1']")))
    before = signature([array("state[0]"), array("state[1]")], [old])
    after = signature([array("state['0']"), array("state['1']")], [new])
    assert told(compare(before, after)) == [("treedef", "state", "state[0]", "state['0']")]
    fewer = signature([array("state['0']")], [Node("state", "dict", ("['0']",))])
    assert [change.path for change in compare(before, fewer)] == ["state[0]", "state[1]", "state['0']"]


def test_arguments_given_in_another_order_are_not_a_change() -> None:
    x, y = array("x"), array("y", (2,))
    assert compare(signature([x, y]), signature([y, x])) == ()


def test_an_argument_that_is_given_later_is_a_change_at_the_parameter() -> None:
    before = signature([array("x")], form=(("x", "positional"),))
    after = signature([array("x"), static("mode", "fast")], form=(("x", "positional"), ("mode", "keyword")))
    assert told(compare(before, after)) == [("treedef", "mode", "absent", "'fast'")]


def test_a_leaf_that_becomes_a_container_hides_what_is_below() -> None:
    before = signature([array("x")])
    after = signature([array("x['a']")], [Node("x", "dict", ("['a']",))])
    assert told(compare(before, after)) == [("treedef", "x", "array", "dict of 1 entry")]


def test_metadata_is_compared_by_value_and_hidden_below_another_class() -> None:
    leaf, scale = array("m.data"), static("m.scale", 1.0, is_metadata=True)
    node = Node("m", "Measurement", (".data",), 3)
    other_scale = static("m.scale", 2.5, is_metadata=True)
    same_class = compare(signature([leaf, scale], [node]), signature([leaf, other_scale], [node]))
    assert told(same_class) == [("static_value", "m.scale", "1.0", "2.5")]
    other_class = compare(
        signature([leaf, scale], [node]), signature([leaf, other_scale], [Node("m", "Other", (".data",), 4)])
    )
    assert told(other_class) == [("treedef", "m", "Measurement", "Other")]


def test_metadata_that_comes_is_a_change_of_the_tree() -> None:
    leaf, node = array("m.data"), Node("m", "Measurement", (".data",), 3)
    scale = static("m.scale", 1.0, is_metadata=True)
    (change,) = compare(signature([leaf], [node]), signature([leaf, scale], [node]))
    assert (*told([change]), change.parent) == (("treedef", "m.scale", "absent", "1.0"), "m")


def test_arguments_that_were_not_seen_whole_cannot_lose_leaves() -> None:
    before = signature([array("x"), array("y"), static("x.scale", 1.0, is_metadata=True)])
    after = signature([array("x", (4,))], is_partial=True)
    assert told(compare(before, after)) == [("shape", "x", "f32[3]", "f32[4]")]


def test_a_variable_of_another_class_is_another_structure() -> None:
    before, after = (signature([replace(array("m.w"), variable=f"flax.nnx.{name}")]) for name in ("Param", "BatchStat"))
    assert told(compare(before, after)) == [("treedef", "m.w", "Param", "BatchStat")]


def test_a_value_of_the_treedef_that_becomes_an_array_is_named_so() -> None:
    node = Node("m", "Net", (".s",))
    before = signature([static("m.s", 2.0, is_metadata=True)], [node])
    after = signature([array("m.s", ())], [node])
    assert told(compare(before, after)) == [("leaf_kind", "m.s", "static 2.0", "traced f32[]")]
    assert told(compare(after, before)) == [("leaf_kind", "m.s", "traced f32[]", "static 2.0")]


def test_two_classes_of_one_name_are_told_with_their_modules() -> None:
    before, after = (signature(nodes=[Node("state", f"{home}.AdamState", (), 7)]) for home in ("optax", "my"))
    assert told(compare(before, after)) == [("treedef", "state", "optax.AdamState", "my.AdamState")]
