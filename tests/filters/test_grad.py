"""filter_grad and filter_value_and_grad."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from jitviz.filters import filter_grad, filter_jit, filter_value_and_grad, is_inexact_array

from .samples import Linear, same, trees

X = jnp.arange(3.0)


def total(tree: Any) -> Any:
    return sum([jnp.sum(leaf**2) for leaf in jax.tree.leaves(tree) if is_inexact_array(leaf)], jnp.zeros(()))


@settings(max_examples=25, deadline=None)
@given(trees())
def test_the_gradient_is_a_tree_like_the_first_argument_as_in_equinox(tree: object) -> None:
    assert same(filter_grad(total)(tree), eqx.filter_grad(total)(tree))
    assert same(filter_value_and_grad(total)(tree), eqx.filter_value_and_grad(total)(tree))


def test_leaves_without_a_gradient_are_none() -> None:
    model = {"layer": Linear(X), "step": 3, "index": jnp.arange(2), "numpy": np.float32(2), "text": "x"}
    assert same(
        filter_grad(total)(model),
        {
            "layer": Linear(2 * X, None),
            "step": None,
            "index": None,
            "numpy": jnp.asarray(np.float32(4)),
            "text": None,
        },
    )


def test_the_value_and_the_auxiliary_output_are_returned() -> None:
    def loss(model: Any, x: Any, *, scale: float) -> Any:
        return scale * jnp.sum(model["w"] * x), {"x": x, "label": "aux"}

    value, aux, gradient = 2.0 * jnp.sum(X * X), {"x": X, "label": "aux"}, {"w": 2.0 * X}
    assert same(filter_value_and_grad(loss, has_aux=True)({"w": X}, X, scale=2.0), ((value, aux), gradient))
    assert same(filter_grad(has_aux=True)(loss)({"w": X}, X, scale=2.0), (gradient, aux))
    assert same(filter_jit(filter_grad(loss, has_aux=True))({"w": X}, X, scale=2.0), (gradient, aux))


def test_gradients_nest() -> None:
    assert same(filter_grad(filter_grad(lambda x: x**3))(jnp.asarray(2.0)), jnp.asarray(12.0))
    assert same(jax.vmap(filter_grad(lambda x: x**3))(X), 3 * X**2)
    assert same(filter_grad(filter_jit(lambda x: jnp.sum(x**3)))(X), 3 * X**2)


def test_the_wrapper_has_the_name_and_the_docstring_of_the_function() -> None:
    def loss(x: Any) -> Any:
        """Words."""
        return x

    for wrapped in (filter_grad(loss), filter_value_and_grad(has_aux=False)(loss)):
        assert (wrapped.__name__, wrapped.__doc__, wrapped.__wrapped__) == ("loss", "Words.", loss)  # type: ignore[attr-defined]
    assert repr(filter_grad(loss)) == "<jitviz.filter_grad of loss>"


def test_the_arrays_of_a_callable_tree_are_leaves_of_its_gradient_function() -> None:
    gradient = filter_grad(Linear(jnp.asarray(3.0)))
    assert same(filter_jit(gradient)(jnp.asarray(2.0)), jnp.asarray(3.0))
    assert same(jax.tree.map(lambda leaf: leaf, gradient)(jnp.asarray(2.0)), jnp.asarray(3.0))


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            lambda x: x,
            "returned an array of shape (3,) and dtype float32. Reduce it to one number, "
            "for example with jax.numpy.mean.",
        ),
        (
            lambda x: (x[0], x),
            "returned a tuple. To return more than the loss, return (loss, more) with has_aux=True.",
        ),
        (lambda x: None, "returned None. To return more than the loss, return (loss, more) with has_aux=True."),
    ],
)
def test_the_error_of_a_loss_that_is_not_a_scalar_says_what_it_returned(result: Any, words: str) -> None:
    def loss(x: Any) -> Any:
        return result(x)

    with pytest.raises(TypeError) as error:
        filter_grad(loss)(X)
    assert str(error.value) == f"filter_grad(loss): the function must return a scalar, but {words}"


def test_the_error_of_a_loss_without_an_auxiliary_output_says_so() -> None:
    def loss(x: Any) -> Any:
        return jnp.sum(x)

    with pytest.raises(TypeError) as error:
        filter_value_and_grad(loss, has_aux=True)(X)
    assert str(error.value) == (
        "filter_value_and_grad(loss) with has_aux=True: the function must return a pair, "
        "not an array of shape () and dtype float32."
    )


def test_the_first_argument_must_be_passed_by_position() -> None:
    def loss(x: Any) -> Any:
        return jnp.sum(x)

    with pytest.raises(TypeError) as error:
        filter_grad(loss)(x=X)
    assert str(error.value) == (
        "filter_grad(loss) differentiates with respect to the first argument. Pass it by position, not by keyword."
    )


def test_argnums_and_objects_that_are_not_callable_are_refused() -> None:
    with pytest.raises(ValueError) as error:
        filter_grad(total, argnums=1)
    assert str(error.value) == (
        "filter_grad does not take 'argnums': it differentiates with respect to the first argument. "
        "For several arguments, pass a tuple of them as the first argument."
    )
    with pytest.raises(TypeError, match=r"^filter_value_and_grad needs a function, but got an object of type int\.$"):
        filter_value_and_grad(3)  # type: ignore[arg-type]
