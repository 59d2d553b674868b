import inspect
import sys
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.jaxcompat import equinox_internals, jits, output_trees

from .watching import caller_at_trace, outputs_of


def test_equinox_calls_have_the_users_arguments_in_their_frame() -> None:
    step, x = eqx.filter_jit(lambda x, flag: x, donate="all-except-first"), jnp.ones(1)
    frame = caller_at_trace(lambda: step(x, flag="train"))
    assert equinox_internals.is_module_frame(frame, equinox_internals.EQUINOX_CALL)
    assert frame.f_code.co_filename.endswith(equinox_internals.EQUINOX_FILE)
    call = equinox_internals.read_equinox_call(frame)
    assert call is not None
    assert call.wrapper is step
    assert call.args[0] is x
    assert call.kwargs == {"flag": "train"}
    assert list(equinox_internals.signature_in(step).parameters) == ["x", "flag"]
    assert (step.donate_first, step.donate_rest) == (False, True)
    assert {name: (str(treedef), list(leaves)) for name, (treedef, leaves) in call.flat.items()} == {
        "fun": ("PyTreeDef(*)", [step.__wrapped__]),
        "first": ("PyTreeDef(*)", [x]),
        "rest": ("PyTreeDef(((*, None), {}))", ["train"]),
    }
    assert equinox_internals.read_equinox_call(inspect.currentframe()) is None


def test_equinoxs_classes_are_where_they_were() -> None:
    step = eqx.filter_jit(lambda x: x)
    assert equinox_internals.equinox_module() is eqx.Module
    assert equinox_internals.is_class_of_equinox(eqx.nn.Linear)
    assert equinox_internals.is_equinox_module(eqx.nn.Identity())
    assert not equinox_internals.is_equinox_module(eqx.nn.Linear)
    assert equinox_internals.equinox_jit_wrapper() is type(step)
    assert equinox_internals.is_equinox_jit(step)
    assert not equinox_internals.is_equinox_jit(jax.jit(lambda x: x))
    assert type(equinox_internals.jit_inside(step)) is jits.PjitFunction
    assert equinox_internals.wrapped_by(step) is step.__wrapped__
    assert equinox_internals.wrapped_by(lambda x: x) is None
    assert equinox_internals.equinox_transform(eqx.filter_grad(lambda x: x)) == "grad"
    assert equinox_internals.equinox_transform(eqx.filter_value_and_grad(lambda x: x)) == "value_and_grad"
    assert equinox_internals.equinox_transform(step) == ""
    counted = eqx.debug.assert_max_traces(lambda x: x, max_traces=1)
    assert equinox_internals.trace_tag(counted) is counted.tag is not None
    assert equinox_internals.trace_tag(step) is None


def test_an_error_that_equinox_raises_from_a_program_is_known_by_its_text() -> None:
    check = jax.jit(lambda x: eqx.error_if(x, x > 0, "too big"))
    with pytest.raises(Exception, match="_EquinoxRuntimeError") as error:
        jax.block_until_ready(check(1.0))
    meant = equinox_internals.runtime_error(error.value)
    assert type(meant) is eqx.EquinoxRuntimeError
    assert "equinox.EquinoxRuntimeError: too big" in str(meant)
    assert equinox_internals.runtime_error(RuntimeError("another")) is None


def test_the_stack_of_such_an_error_ends_at_the_mark_of_filter_jit() -> None:
    @jitviz.filter_jit
    def check(x: Any) -> Any:
        return eqx.error_if(x, x > 0, "too big")

    def called_from_here() -> None:
        jax.block_until_ready(check(jnp.ones(())))

    with pytest.raises(eqx.EquinoxRuntimeError, match="too big") as error:
        called_from_here()
    assert equinox_internals.JIT_MARK in eqx._jit.last_error_info[1]
    assert "called_from_here" not in str(error.value)


def test_equinoxs_static_outputs_are_in_the_output_tree() -> None:
    inferred = outputs_of(lambda: eqx.filter_jit(lambda x: (x, "static"))(jnp.ones(1)))
    assert (None, "static") in equinox_internals.static_outputs(inferred.out_tree)


def test_equinox_flattens_modules_with_generated_code() -> None:
    files: set[str] = set()
    module = eqx.nn.Linear(1, 1, key=jax.random.key(0))
    sys.setprofile(lambda frame, *_: files.add(frame.f_code.co_filename))
    try:
        jax.tree.leaves(module)
    finally:
        sys.setprofile(None)
    assert [name for name in files if name.startswith(equinox_internals.GENERATED)]


def test_equinox_marks_a_module_with_an_attribute_that_is_not_a_field() -> None:
    def others(module: Any) -> list[str] | None:
        data = output_trees.node_data(jax.tree.structure(module))
        assert data is not None
        return equinox_internals.other_attributes(module, data[1])

    module = eqx.nn.Linear(1, 1, key=jax.random.key(0))
    assert others(module) is None
    assert others(eqx.filter_jit(lambda x: x)) is None  # which has the names of the function
    vars(module)["norm"] = 1.0
    assert others(module) == ["norm"]
    assert others(jax.tree.map(lambda x: x, module)) == []
