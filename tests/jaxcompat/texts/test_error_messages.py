"""What is read from the texts of JAX's exceptions, as this version of JAX writes them."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jitviz.jaxcompat.texts import error_messages as texts


def message(raises: Callable[[], Any]) -> str:
    with pytest.raises(Exception) as raised:  # each of JAX's own
        raises()
    return str(raised.value)


def step(x: Any, y: Any) -> Any:
    if x.sum() > 1:
        return y
    return x


def leak(kept: list[Any], x: Any) -> Any:
    kept.append(x * 2)
    return x


def leaked() -> Any:
    kept: list[Any] = []
    jax.jit(lambda x: leak(kept, x))(1.0)
    return kept[0] + 1


def test_a_concrete_value_names_the_function_and_the_argument() -> None:
    told = message(lambda: jax.jit(step)(jnp.ones(3), 1.0))
    assert (texts.traced_function(told), texts.depends_on(told)) == ("step", ("x",))


def test_a_leak_names_the_function_and_the_line_that_made_it() -> None:
    told = message(leaked)
    (function, file, _), made = texts.leaked_function(told), texts.leaked_at(told)
    assert (function, file) == ("<lambda>", __file__)
    assert made is not None
    assert made == (__file__, leak.__code__.co_firstlineno + 1)


def test_an_argument_that_is_no_array_has_a_path_and_a_type() -> None:
    told = message(lambda: jax.jit(lambda b: b)({"name": "adam"}))
    assert texts.no_array(told) == ("b['name']", "str")


def test_an_output_that_is_no_array_has_a_type() -> None:
    found = texts.no_output(message(lambda: jax.jit(lambda x: {"x": x, "name": "adam"})(1.0)))
    assert found is not None
    assert found[1:] in ((component, "str") for component in ("['name']", ""))  # jax 0.7 does not say which


def test_a_static_argument_without_a_hash_has_a_class() -> None:
    told = message(lambda: jax.jit(lambda x: x, static_argnums=0)([1]))
    assert texts.unhashable_type(told) == "list"


def test_a_static_argument_that_the_function_has_not_has_an_option() -> None:
    assert texts.names_refused(message(lambda: jax.jit(step, static_argnames=("z", "q")))) == (
        "static_argnames",
        ("q", "z"),
    )
    told = message(lambda: jax.jit(step, donate_argnums=(3,)))
    assert texts.numbers_refused(told) == ("donate_argnums", "(3,)", "2")


def test_an_input_that_no_transformation_takes_has_a_class() -> None:
    assert texts.no_input(message(lambda: jax.grad(lambda x: x)("a"))) == "str"  # type: ignore[arg-type]


def test_the_body_of_a_scan_that_returns_no_pair_returns_a_type() -> None:
    assert texts.no_pair(message(lambda: lax.scan(lambda c, x: c, 0.0, jnp.ones(2)))) == "f32[]"  # type: ignore[arg-type]


def test_a_carry_says_what_went_in_and_came_out() -> None:
    told = message(lambda: lax.scan(lambda c, x: (c + 0.5, x), jnp.int32(1), jnp.ones(2)))
    assert texts.carry_types(told) == (("c", "i32[]", "f32[]"),) or texts.carry_types(told)[0][1:] == ("i32[]", "f32[]")
    tree = texts.carry_tree(message(lambda: lax.scan(lambda c, x: ((c, c), x), 1.0, jnp.ones(2))))
    assert tree is not None


def test_branches_that_differ_have_names_types_and_lines() -> None:
    told = message(lambda: lax.cond(True, lambda x: x, lambda x: x.astype("int32"), jnp.ones(2)))
    ((_, _, one, _, other),) = texts.branch_types(told)
    assert {one, other} == {"f32[2]", "i32[2]"}
    told = message(lambda: lax.cond(True, lambda x: {"a": x}, lambda x: {"a": x, "b": x}, jnp.ones(2)))
    assert set(texts.different_keys(told)) == {"b"}


def test_mapped_axes_have_sizes_and_arguments() -> None:
    told = message(lambda: jax.vmap(lambda x, y: x + y)(jnp.ones(3), jnp.ones((4, 2))))
    assert {(size, type_) for size, _, _, type_ in texts.axis_sizes(told)} == {(3, "f32[3]"), (4, "f32[4,2]")}


def test_axes_of_another_number_than_the_arguments_have_both() -> None:
    told = message(lambda: jax.vmap(lambda x, y: x, in_axes=(0,))(jnp.ones(3), 1))
    assert texts.axes_and_arguments(told) == (1, 2)


def test_a_boolean_mask_has_a_type_and_a_type_has_a_rank() -> None:
    told = message(lambda: jax.jit(lambda x, mask: x[mask])(jnp.ones((3, 2)), jnp.ones(3, bool)))
    assert texts.mask_type(told) == "bool[3]"
    assert [texts.rank_of(type_) for type_ in ("f32[]", "bool[3]", "f32[3,2]", "")] == [0, 1, 2, 0]


def test_an_axis_that_nothing_around_has_is_named() -> None:
    mesh, spec = jax.make_mesh((1,), ("data",)), jax.sharding.PartitionSpec("batch")
    assert texts.axis_of_mesh(message(lambda: jax.sharding.NamedSharding(mesh, spec))) == ("batch", "'data'")
    assert texts.unbound_axis(message(lambda: lax.psum(1.0, "i"))) == "i"


def test_a_gradient_needs_a_scalar_of_a_float() -> None:
    assert texts.output_shape(message(lambda: jax.grad(lambda x: x * 2)(jnp.ones(3)))) == "(3,)"
    assert texts.dtype_given(message(lambda: jax.grad(lambda x: x)(1))) == "int32"


def test_a_compiled_program_refuses_another_type_and_another_tree() -> None:
    compiled = jax.jit(lambda x: x).lower(jnp.ones(3)).compile()
    ((name, before, now),) = texts.compiled_with(message(lambda: compiled(jnp.ones(4))))
    assert (name, before, now) == ("x", "f32[3]", "f32[4]")


def test_a_custom_gradient_of_another_tree_has_both() -> None:
    @jax.custom_vjp
    def double(x):  # type: ignore[no-untyped-def]
        return x * 2

    double.defvjp(lambda x: (x, None), lambda _, g: {"x": g})
    found = texts.custom_trees(message(lambda: jax.grad(double)(1.0)))
    assert found is None or "'x'" in found[0]


def test_names_of_wrappers_are_known() -> None:
    assert texts.array_of_nnx("model.states[0][1]") == ("model", 1)
    assert texts.array_of_nnx("model['w']") is None
    names = ("dynamic_nodonate[0]", "pure_args[1]", "model.states[0][1]", "x")
    assert [texts.is_name_of_wrapper(name) for name in names] == [True, True, True, False]


def test_short_types_are_those_of_jax() -> None:
    names = ("float32[3]", "~int32[]", "bool[2]", "bfloat16[4]", "uint8[]", "complex64[1,2]", "f32[3]")
    assert [*map(texts.short_type, names)] == ["f32[3]", "i32[]", "bool[2]", "bf16[4]", "u8[]", "c64[1,2]", "f32[3]"]
    assert texts.tracer_types("JitTracer(float32[3]) and Tracer<~i32[]>") == ("f32[3]", "i32[]")


def test_a_text_of_another_kind_gives_nothing() -> None:
    readers = (
        texts.no_array, texts.no_output, texts.carry_tree, texts.branch_tree, texts.leaked_at, texts.trees_differ,
        texts.indivisible, texts.custom_trees, texts.names_refused, texts.numbers_refused, texts.axes_and_arguments,
    )  # fmt: skip
    assert [read("boom") for read in readers] == [None] * len(readers)
    assert (
        texts.no_input("boom") == texts.no_pair("boom") == texts.prefix_path("boom") == texts.object_text("boom") == ""
    )
    assert texts.devices_of("boom") == texts.traced_lines("boom") == ()
    assert texts.branch_functions("boom") == {}
