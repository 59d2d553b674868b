"""The table of cache keys: which parts of a signature are in the key of a trace, which in that of an executable."""

from dataclasses import replace

import pytest

from jitviz.model import Description, Leaf, Node, Signature
from jitviz.model.cachekey import CONCRETE_MESH, of_executable, of_trace, trace_key

X = Leaf(path="x", role="traced", type="jax.Array", shape=(3,), dtype="float32", sharding="cpu:0", committed=False)
N = Leaf(path="n", role="static", type="int", static=Description("int", "2"))
CALL = Signature(leaves=(X, N), nodes=(Node("x", "dict"),), form=(("x", "positional"),), context=(("x64", "False"),))


def with_x(**changes: object) -> Signature:
    return replace(CALL, leaves=(replace(X, **changes), N))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "is_other_trace", "is_other_executable"),
    [
        (CALL, False, False),
        (with_x(shape=(4,)), True, False),
        (with_x(dtype="int32"), True, False),
        (with_x(weak_type=True), True, False),
        (with_x(variable="flax.nnx.Param"), True, False),
        (with_x(committed=True), False, True),
        (with_x(sharding="mesh"), False, True),
        (with_x(sharding="cpu:1"), False, False),  # not committed: JAX is free to move it
        (replace(CALL, leaves=(X, replace(N, static=Description("int", "3")))), True, False),
        (replace(CALL, nodes=(Node("x", "list"),)), True, False),
        (replace(CALL, form=(("x", "keyword"),)), True, False),
        (replace(CALL, context=(("x64", "True"),)), True, False),
        (replace(CALL, context=(*CALL.context, (CONCRETE_MESH, "cpu:1"))), False, True),
        (replace(CALL, options=(("donate", "all"),)), False, True),
        (replace(CALL, defaults=(("n", "2"),), note="of no key"), False, False),
    ],
)  # fmt: skip  # one change a line reads as a table
def test_each_part_is_in_the_keys_that_the_table_lists(
    other: Signature, is_other_trace: bool, is_other_executable: bool
) -> None:
    assert (trace_key(other) != trace_key(CALL)) is is_other_trace
    assert ([*of_executable(other)] != [*of_executable(CALL)]) is is_other_executable


def test_a_users_eq_may_find_two_objects_of_one_class_equal_but_not_of_two() -> None:
    def key(*class_and_text: str) -> int:
        static = Description(*class_and_text, equality="custom")
        return trace_key(replace(CALL, leaves=(X, replace(N, static=static))))

    assert key("a.Mode", "Mode(1)") == key("a.Mode", "Mode(2)")
    assert key("a.Mode", "Mode(1)") != key("a.Config", "Mode(1)")


def test_below_a_node_of_another_type_nothing_counts_as_unchanged() -> None:
    parts = set(of_trace(replace(CALL, nodes=(Node("", "dict", ("x",)),))))
    others = set(of_trace(replace(CALL, nodes=(Node("", "list", ("x",)),))))
    assert {part[0] for part in parts & others if isinstance(part, tuple)} == {"form", "context"}
