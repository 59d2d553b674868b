"""With which earlier version a person would compare."""

from dataclasses import replace
from typing import Any

import pytest

from jitviz.model import Description, Leaf, Miss, Node
from jitviz.reasons import Explainer

from .samples import array, explained, function, jitted, made, miss, none, plain, static

X = array("x")


def compared(*misses: Miss) -> int | None:
    """The number of the miss that the last one is compared with."""
    explainer = explained(*misses)
    return explainer.compared_with(len(misses) - 1)


def causes(*misses: Miss) -> list[tuple[str, str]]:
    explainer = Explainer()
    return [[(reason.kind, reason.path) for reason in explainer.explain(one)] for one in misses][-1]


def run(token: int, a: int, b: int, equality: str = "identity") -> Miss:
    return miss(X, static("run", made("Run", token, equality, a=a, b=b)))  # type: ignore[arg-type]


@pytest.mark.parametrize("equality", ["identity", "hash_only", "value", "custom"])
def test_none_once_is_farther_than_an_object_with_two_fields_swept(equality: str) -> None:
    start = miss(X, static("run", None))
    runs = [run(token, token, 10 * token, equality) for token in (1, 2, 3)]
    assert [compared(start, *runs[:count]) for count in (1, 2, 3)] == [0, 1, 2]
    assert causes(start, *runs) == [("static_value", "run.a"), ("static_value", "run.b")]


def test_none_once_is_farther_than_a_tuple_with_all_items_changed() -> None:
    values = [None, (1, 2), (3, 4)]
    assert compared(*(miss(X, static("sizes", value)) for value in values)) == 1


def test_none_once_is_farther_than_a_function_created_again_with_another_closure() -> None:
    values = [plain(None), function(1, rate=1), function(2, rate=2)]
    assert compared(*(miss(X, static("schedule", value)) for value in values)) == 1


def test_a_function_created_again_is_nearer_than_none() -> None:
    values = [function(1), plain(None), function(2)]
    assert compared(*(miss(X, static("schedule", value)) for value in values)) == 0


def test_another_type_is_farther_than_the_same_type_with_all_fields_changed() -> None:
    other = miss(X, static("run", made("Other", 9, a=5, b=6)))
    assert compared(run(1, 1, 2), other, run(2, 5, 6)) == 0


def test_another_class_of_variable_is_one_change() -> None:
    def step(kind: str, size: int) -> Miss:
        return miss(array("w", variable=f"flax.nnx.{kind}"), array("x", (size,)), array("y", (size,)))

    assert compared(step("Param", 3), step("BatchStat", 4), step("BatchStat", 3)) == 0


def test_an_object_inside_is_a_whole_too() -> None:
    def solver(token: int, control: Description) -> Miss:
        return miss(X, static("solver", made("Solver", token, "value", control=control, steps=1)))

    first, second = (made("Control", token, "value", rtol=token, atol=token) for token in (2, 3))
    assert compared(solver(1, first), solver(2, plain(None)), solver(3, second)) == 0


def test_an_argument_that_was_none_once_is_farther_than_a_tree_whose_leaves_all_changed() -> None:
    def state(size: int) -> Miss:
        return miss(
            array("state[0]", (size,)), array("state[1]", (size,)), nodes=[Node("state", "list", ("[0]", "[1]"))]
        )

    assert compared(miss(nodes=[none("state")]), state(3), state(4)) == 1


def model(class_token: int, size: int, *leaves: Leaf) -> Miss:
    nodes = [Node("model", "my.Model", (".inner",), class_token), Node("model.inner", "list", ("[0]",))]
    return miss(array("model.inner[0]"), array("x", (size,)), array("y", (size,)), *leaves, nodes=nodes)


def test_a_class_redefined_is_farther_than_two_arrays_of_another_shape() -> None:
    assert causes(model(1, 3), model(2, 4), model(2, 3)) == [("shape", "x"), ("shape", "y")]


def test_another_container_class_counts_what_it_holds() -> None:
    def batch(kind: str, *sizes: int) -> Miss:
        steps = [f"[{place}]" for place in range(len(sizes))]
        leaves = [array("batch" + step, (size,)) for step, size in zip(steps, sizes, strict=True)]
        return miss(*leaves, nodes=[Node("batch", kind, tuple(steps))])

    assert compared(batch("list", 1, 2), batch("tuple", 3, 4), batch("tuple", 1, 2)) == 1


def test_every_property_of_a_leaf_counts() -> None:
    base = array("x", (3,), "float32")
    changed = [
        replace(base, shape=(4,)),
        replace(base, dtype="int32"),
        replace(base, weak_type=True),
        replace(base, committed=True),
    ]
    after = replace(base, shape=(4,), dtype="int32", weak_type=True)
    for far in changed:  # one step from the first, two or more from the last
        assert compared(miss(base), miss(after, static("n", 1), static("m", 1)), miss(far)) == 0


def test_equally_near_versions_are_ordered_by_age() -> None:
    assert compared(miss(X, static("n", None)), miss(X, static("n", "a")), miss(X, static("n", "b"))) == 1
    assert compared(miss(X, static("n", "a")), miss(X, static("n", None)), miss(X, static("n", "b"))) == 1


def test_two_forms_of_one_dtype_are_as_near_as_any_two_values() -> None:
    values = [
        plain("sum"),
        Description("type", "jax.numpy.float32", "identity", 4),
        Description("Float32DType", "float32"),
    ]
    assert compared(*(miss(X, static("dtype", value)) for value in values)) == 1


def given(form: str, mode: str, *, has_mask: bool) -> Miss:
    names = [f"x{number}" for number in range(5)]
    mask = [array("mask")] if has_mask else []
    nodes = [] if has_mask else [none("mask")]
    return miss(
        *map(array, names), *mask, static("mode", mode), nodes=nodes, form=tuple((name, form) for name in names)
    )


def test_one_calling_form_is_one_change_however_many_arguments_it_moves() -> None:
    first, second = given("positional", "sin", has_mask=False), given("keyword", "exp", has_mask=True)
    third = given("positional", "exp", has_mask=True)
    assert causes(first, second, third) == [("kwargs_vs_args", f"x{number}") for number in range(5)]


@pytest.mark.parametrize("fact", [{"dtype": "bfloat16"}, {"shape": (4,)}, {"weak_type": True}, {"committed": True}])
def test_one_property_at_all_leaves_of_an_argument_is_one_change(fact: dict[str, Any]) -> None:
    def step(rate: str, mode: str, **fact: Any) -> Miss:
        leaves = [array(f"params[{number}]", **fact) for number in range(6)]
        return miss(*leaves, static("rate", rate), static("mode", mode))

    assert compared(step("a", "sin"), step("b", "exp", **fact), step("a", "sin", **fact)) == 0


def test_of_two_versions_with_one_change_the_one_with_fewer_leaves_is_nearer() -> None:
    def step(*dtypes: str) -> Miss:
        return miss(*(array(f"params[{number}]", dtype=dtype) for number, dtype in enumerate(dtypes)))

    assert compared(step("int4", "int4", "int8"), step("int8", "int8", "int8"), step("int4", "int4", "int4")) == 0


class TestTransforms:
    """The programs of several transformations are not versions of each other."""

    def test_the_first_of_each_is_reported_by_its_transformation(self) -> None:
        names = ["vmap(jvp)", "vmap(transpose)", "jvp(jvp)", "vmap", "jvp"]
        explainer = Explainer()
        explainer.explain(miss(X))
        for name in names:
            (reason,) = explainer.explain(miss(X, array("y"), transform=name))
            assert (reason.kind, reason.after, reason.inherent) == ("transform", name, True)
            assert "report it" not in reason.advice

    def test_a_program_is_compared_with_those_of_its_transformation_however_far(self) -> None:
        batched, plain_program = miss(array("x", (9,), "int32"), transform="vmap"), miss(X)
        assert causes(batched, plain_program, miss(X, transform="vmap")) == [("shape", "x"), ("dtype", "x")]
        assert causes(plain_program, batched, miss(array("x", (9,), "int32"))) == [("shape", "x"), ("dtype", "x")]

    def test_a_function_created_again_is_the_cause_for_its_program_of_a_transformation(self) -> None:
        one, other = jitted(1), jitted(2)
        misses = [miss(X, function=owner, transform=name) for owner in (one, other) for name in ("", "vmap")]
        assert causes(*misses) == [("new_function", "")]

    def test_an_unknown_chain_is_advised_without_naming_it(self) -> None:
        explainer = Explainer()
        explainer.explain(miss(X))
        (reason,) = explainer.explain(miss(X, transform="vmap(jvp)"))
        assert reason.advice == (
            "Nothing to fix. To get one program for all of it, apply `jax.jit` around the outermost transformation."
        )
