"""filter_jit and filter_grad on methods: `self` is an argument."""

import dataclasses
import inspect
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from jitviz.filters import filter_grad, filter_jit, filter_value_and_grad

from .samples import Counted, same

X = jnp.arange(3.0)
counted = Counted()


class Model(eqx.Module):
    weight: jax.Array
    power: int = 1

    @filter_jit
    @counted
    def __call__(self, x: Any) -> Any:
        return self.weight * x**self.power

    @filter_jit
    @filter_grad
    def gradient(self, x: Any) -> Any:
        """By self."""
        return jnp.sum(self(x))

    @filter_value_and_grad
    def both(self, x: Any) -> Any:
        return jnp.sum(self.weight * x)


class Trainer:
    """Not a tree: it is static, and compared by identity."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    @filter_jit
    def step(self, x: Any) -> Any:
        return self.rate * x


def test_arrays_of_self_are_traced_and_its_settings_are_static() -> None:
    counted.traces = 0
    for scale in (1.0, 2.0):
        assert same(Model(scale * X)(X), scale * X * X)
    assert counted.traces == 1
    assert same(Model(X, 2)(X), X * X**2)
    assert counted.traces == 2


def test_a_gradient_by_self_is_a_tree_like_self() -> None:
    assert same(Model(X).gradient(X), Model(X, None))  # type: ignore[arg-type]
    value, gradient = Model(X).both(X)
    assert same((value, gradient), (jnp.sum(X * X), Model(X, None)))  # type: ignore[arg-type]


def test_an_object_that_is_not_a_tree_is_static() -> None:
    trainer = Trainer(3.0)
    assert same(trainer.step(X), 3 * X)
    trainer.rate = 4.0
    assert same(trainer.step(X), 3 * X)  # as in jax.jit with a static self: a hashed object must not change
    assert same(Trainer(4.0).step(X), 4 * X)


def test_a_bound_method_is_a_tree_of_its_object() -> None:
    traces = Counted()

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Scaler:
        factor: Any

        @traces
        def scale(self, x: Any) -> Any:
            return self.factor * x

    for factor in (1.0, 2.0):
        assert same(filter_jit(Scaler(jnp.asarray(factor)).scale)(X), factor * X)
    assert traces.traces == 1


def test_a_bound_method_of_an_unhashable_object_is_compared_by_identity() -> None:
    @dataclasses.dataclass
    class Scaler:
        factor: float

        def scale(self, x: Any) -> Any:
            return self.factor * x

    scaler = Scaler(2.0)
    assert same(filter_jit(scaler.scale)(X), 2 * X)
    assert same(filter_jit(Scaler(3.0).scale)(X), 3 * X)


def test_lookup_on_the_class_returns_the_wrapper_and_on_an_object_a_bound_one() -> None:
    model = Model(X)
    assert Model.gradient is Model.__dict__["gradient"]
    assert same(Model.gradient(model, X), model.gradient(X))
    assert repr(model.gradient) == "<bound <jitviz.filter_jit of gradient>>"
    assert model.gradient.__name__ == "gradient"
    assert model.gradient.__qualname__ == "Model.gradient"
    assert inspect.getdoc(model.gradient) == "By self."
    assert list(inspect.signature(model.gradient).parameters) == ["x"]
    with pytest.raises(AttributeError, match="'Bound' object has no attribute 'missing'"):
        _ = model.gradient.missing


def test_a_bound_method_can_be_passed_on_and_its_arrays_are_leaves() -> None:
    model = Model(X)
    assert same(filter_jit(lambda method, x: method(x))(model.gradient, X), model.gradient(X))
    assert any(leaf is model.weight for leaf in jax.tree.leaves(model.gradient))


def test_a_method_can_be_lowered_and_compiled_ahead_of_time() -> None:
    model = Model(X)
    assert same(model.gradient.lower(X).compile()(X), model.gradient(X))
