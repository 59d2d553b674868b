from dataclasses import replace
from typing import Any

from jitviz.model import Description, Function, Miss
from jitviz.model.cachekey import CONCRETE_MESH, trace_key
from jitviz.reasons.change import Change, Inside
from jitviz.reasons.compare import compare_misses

from .samples import array, compare, function, jitted, made, miss, plain, signature, static, told


def change_of(before: Function, after: Function) -> Change:
    (change,) = compare_misses(miss(array("x"), function=before), miss(array("x"), function=after))
    return change


def test_a_function_created_again_has_the_same_code_and_another_token() -> None:
    before, after = (
        jitted(token, function(token, "57e9", "step", "a.py:3", lr=lr)) for token, lr in ((1, 0.1), (2, 0.2))
    )
    change = change_of(before, after)
    sides = ("<function step at a.py:3>",) * 2
    inside = Inside("<closure lr>", "0.1", "0.2")
    facts: dict[str, Any] = {"type": "function", "where": "a.py:3", "inside": inside, "closes_over": ("lr",)}
    assert change == Change("new_function", "", *sides, event="anew", **facts)


def test_a_function_with_other_code_was_edited() -> None:
    change = change_of(jitted(1), jitted(2, function(2, "f00d", "step", "train.py:12")))
    assert (change.event, change.is_rerun) == ("edited", False)


def test_a_cell_that_ran_again_is_distinguished_from_a_loop() -> None:
    first, again = (jitted(n, function(n, "57e9", "step", f"In [{n}]:4")) for n in (3, 5))
    change = change_of(first, again)
    assert (change.event, change.where, change.is_rerun) == ("anew", "In [5]:4", True)
    in_a_loop = change_of(jitted(1, function(1, origin="In [3]:4")), jitted(2, function(2, origin="In [3]:4")))
    assert not in_a_loop.is_rerun


def test_a_function_without_a_known_body_is_told_by_its_name() -> None:
    known = jitted(1)
    unknown = replace(known, token=2, body=None)
    assert told([change_of(unknown, known), change_of(known, unknown)]) == [
        ("new_function", "", "step", "<function step at train.py:12>"),
        ("new_function", "", "<function step at train.py:12>", "step"),
    ]


def test_a_new_wrapper_around_the_same_function_is_reported() -> None:
    loss = function(9, "1055", "loss")
    assert change_of(jitted(1, loss), jitted(2, loss)).event == "rewrapped"


def test_a_second_jit_with_other_options_names_the_option() -> None:
    before = miss(array("x"), options=(("inline", "False"),))
    after = miss(array("x"), options=(("inline", "False"), ("donate_argnums", "(0,)")))
    assert told(compare_misses(before, after)) == [("new_function", "", "not given", "(0,)")]
    (change,) = compare(before.signature, after.signature)
    assert (change.event, change.option) == ("options", "donate_argnums")


def test_a_callable_object_that_a_loop_runs_is_reported_as_a_leaf() -> None:
    def scan(token: int, body: Description, **rest: Any) -> Miss:
        owner = jitted(token, body, api="jax.lax", name="scan", lineage="scan")
        return miss(static("f", body), array("xs"), function=owner, **rest)

    first, second = (scan(token, made("Body", token, "hash_only", k=1)) for token in (1, 2))
    assert told(compare_misses(first, second)) == [("static_eq", "f", "Body(k=1)", "Body(k=1)")]
    plain_bodies = [
        miss(array("xs"), function=jitted(token, function(token), api="jax.lax", name="scan", lineage="scan"))
        for token in (1, 2)
    ]
    assert [change.kind for change in compare_misses(*plain_bodies)] == ["new_function"]


def test_another_transform_is_a_change() -> None:
    before, after = miss(array("x")), miss(array("x"), transform="jvp")
    assert told(compare_misses(before, after)) == [("transform", "", "call", "jvp")]


def test_parameters_that_jax_lists_by_name_and_by_position_are_named_once() -> None:
    before, after = signature(), signature(options=(("donate_argnums", "(0,)"), ("donate_argnames", "('x',)")))
    assert told(compare(before, after)) == [("new_function", "", "not given", "('x',)")]


def test_settings_are_named_and_mesh_contexts_are_one() -> None:
    before = signature(
        context=(("jax_enable_x64", "False"), ("mesh_context_manager", "()"), ("jax_default_device", "None"))
    )
    after = signature(
        context=(
            ("jax_enable_x64", "True"),
            ("mesh_context_manager", "(i=2)"),
            ("abstract_mesh_context_manager", "(i=2)"),
            ("jax_default_device", "None"),
        )
    )
    assert told(compare(before, after)) == [
        ("config_context", "jax_enable_x64", "False", "True"),
        ("config_context", "mesh", "()", "(i=2)"),
    ]
    assert compare(before, signature()) == ()  # where one side does not tell, nothing is known


def test_a_mesh_of_other_devices_is_another_mesh_but_needs_no_other_trace() -> None:
    before, after = (signature(context=((CONCRETE_MESH, text),)) for text in ("(i=2) of cpu:0,1", "(i=2) of cpu:2,3"))
    assert told(compare(before, after)) == [("config_context", "mesh", "(i=2) of cpu:0,1", "(i=2) of cpu:2,3")]
    assert trace_key(before) == trace_key(after)


def test_an_argument_given_in_another_way_is_named() -> None:
    leaves = [array("x"), array("y")]
    by_position = signature(leaves, form=(("x", "positional"), ("y", "positional")))
    by_name = signature(leaves, form=(("x", "positional"), ("y", "keyword")))
    assert told(compare(by_position, by_name)) == [("kwargs_vs_args", "y", "positional", "keyword")]
    assert compare(by_position, signature(leaves)) == ()  # filter_jit does not care
    turned = signature(leaves[::-1], form=(("y", "keyword"), ("x", "positional")))
    assert compare(by_name, turned) == ()


def test_changes_come_in_the_order_in_which_to_look_at_them() -> None:
    before = miss(
        array("x"),
        array("y"),
        static("n", 1),
        static("fn", function(5)),
        context=(("jax_enable_x64", "False"),),
        form=(("x", "positional"), ("y", "positional")),
    )
    after = miss(
        array("x", (4,), "int32", weak_type=True, committed=True, sharding="cpu:1"),
        static("y", plain(1)),
        static("n", 2),
        static("fn", function(6)),
        array("z"),
        function=jitted(2),
        context=(("jax_enable_x64", "True"),),
        form=(("x", "positional"), ("y", "keyword")),
    )
    assert [(change.kind, change.path) for change in compare_misses(before, after)] == [
        ("new_function", ""),
        ("config_context", "jax_enable_x64"),
        ("treedef", "z"),
        ("kwargs_vs_args", "y"),
        ("leaf_kind", "y"),
        ("static_identity", "fn"),
        ("static_value", "n"),
        ("shape", "x"),
        ("dtype", "x"),
        ("weak_type", "x"),
        ("sharding", "x"),
        ("committed", "x"),
    ]
