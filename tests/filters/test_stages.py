"""filter_jit ahead of time: `.lower()` and `.compile()`."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitviz.filters import filter_jit

from .samples import Counted, Linear, same

X = jnp.arange(3.0)
counted = Counted()


@filter_jit
@counted
def step(model: Any, x: Any, label: str = "a") -> Any:
    return {"y": model(x), "label": label}


def test_a_compiled_stage_takes_the_users_trees() -> None:
    compiled = step.lower(Linear(X), X).compile()
    counted.traces = 0
    assert same(compiled(Linear(2 * X), x=X), {"y": 2 * X * X, "label": "a"})
    assert counted.traces == 0


def test_shapes_may_replace_arrays_in_lowering() -> None:
    shape = jax.ShapeDtypeStruct((3,), jnp.float32)
    lowered = step.lower(Linear(shape), shape)  # type: ignore[arg-type]
    assert same(lowered.compile()(Linear(X), X), {"y": X * X, "label": "a"})


def test_texts_are_those_of_jax_and_contain_the_name() -> None:
    lowered = step.lower(Linear(X), X)
    assert lowered.as_text().startswith("module @jit_step")
    assert lowered.compile().as_text().startswith("HloModule jit_step")


def test_all_other_attributes_are_those_of_jax() -> None:
    lowered = step.lower(Linear(X), X)
    assert lowered.cost_analysis() == jax.jit(lambda w, x: {"y": Linear(w)(x)}).lower(X, X).cost_analysis()
    with pytest.raises(AttributeError):
        _ = lowered._missing


def test_a_compiled_stage_keeps_the_arrays_of_the_function() -> None:
    assert same(filter_jit(Linear(2 * X)).lower(X).compile()(X), 2 * X * X)


@pytest.mark.parametrize(
    ("args", "what"),
    [
        ((Linear(X), X, "b"), "another static value of `label`"),
        ((Linear(X), X, 1), "a static `label` of another type"),
        ((Linear(X), 1.0, "a"), "a traced `x`"),
        ((Linear(X, name="other"), X, "a"), "arguments of a different structure"),
        (([X], X, "a"), "arguments of a different structure"),
        ((Linear(X), X), "arguments of a different structure"),
    ],
)
def test_a_call_with_a_different_static_half_is_refused(args: Any, what: str) -> None:
    compiled = step.lower(Linear(X), X, "a").compile()
    with pytest.raises(TypeError) as error:
        compiled(*args)
    assert str(error.value) == f"step was compiled for {what}. Lower and compile it for these arguments too."


def test_a_call_with_other_shapes_is_refused_by_jax() -> None:
    with pytest.raises(TypeError, match="Argument types differ"):
        step.lower(Linear(X), X).compile()(Linear(X), jnp.ones(4))
