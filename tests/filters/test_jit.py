"""The results of filter_jit, and which calls share a version."""

import functools
import logging
import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from jitviz.filters import filter_grad, filter_jit, filter_value_and_grad

from .samples import Counted, Linear, same, trees

X = jnp.arange(3.0)


@settings(max_examples=25, deadline=None)
@given(trees(), trees())
def test_it_returns_what_equinox_returns(left: object, right: object) -> None:
    def swap(first: Any, second: Any, *, third: Any = "static") -> Any:
        return {"second": second, "first": [first, third]}

    assert same(filter_jit(swap)(left, second=right), eqx.filter_jit(swap)(left, second=right))


def test_arrays_are_traced_and_everything_else_is_static() -> None:
    seen = []

    @filter_jit
    def look(*leaves: Any) -> None:
        seen.extend(isinstance(leaf, jax.core.Tracer) for leaf in leaves)

    look(jnp.ones(1), np.ones(1), np.float32(1), jax.random.key(0), 1, 1.0, True, "x", None, jnp.sin)
    assert seen == [True] * 4 + [False] * 6


def test_a_partial_has_the_name_of_its_function() -> None:
    assert repr(filter_jit(functools.partial(same, X))) == "<jitviz.filter_jit of same>"
    assert repr(filter_jit(Linear(X, "a"))) == "<jitviz.filter_jit of Linear>"


def test_an_omitted_argument_is_not_passed_on() -> None:
    @functools.wraps(lambda x, by=2.0, *, plus=0: None)
    def positions_only(*args: Any) -> Any:
        return args

    assert same(filter_jit(positions_only)(x=X), (X,))


def test_extra_arguments_and_keywords_arrive_in_any_order() -> None:
    counted = Counted()

    @filter_jit
    @counted
    def gather(x: Any, /, *args: Any, scale: Any = 1, **options: Any) -> Any:
        return x, args, scale, options

    expected = (X, (1, X), 1, {"a": X, "b": "static"})
    assert same(gather(X, 1, X, scale=1, a=X, b="static"), expected)
    assert same(gather(X, 1, X, b="static", a=X, scale=1), expected)
    assert counted.traces == 1
    assert same(gather(X, x=X), (X, (), 1, {"x": X}))


def test_calls_that_differ_in_structure_or_in_keywords_alone_are_different_calls() -> None:
    gather = filter_jit(lambda *args, **options: (args, options))
    for _ in range(2):
        for args, options in [((X, X), {}), ((X,), {"a": X}), ((X,), {"b": X}), (([X, X],), {}), (([X], X), {})]:
            assert same(gather(*args, **options), (args, options))


def test_a_wrong_call_raises_the_error_of_a_function() -> None:
    @filter_jit
    def step(model: Any, x: Any) -> Any:
        return x

    with pytest.raises(TypeError, match=r"^step\(\) missing a required argument: 'x'$"):
        step(X)
    with pytest.raises(TypeError, match=r"^step\(\) got an unexpected keyword argument 'y'$"):
        step(X, X, y=1)


def test_jax_numpy_and_traced_inputs_share_one_version() -> None:
    counted = Counted()
    scale = filter_jit(counted(lambda x: 2 * x))
    scale(jnp.ones(3))
    scale(np.ones(3, np.float32))
    assert (counted.traces, len(scale.set_up().programs)) == (1, 1)
    jax.jit(scale)(X)
    assert len(scale.set_up().programs) == 1


def test_equal_static_leaves_of_different_types_are_different_versions() -> None:
    echo = filter_jit(lambda x, value: (x, value))
    values = [1, True, 1.0, 1 + 0j]
    assert [type(echo(X, value)[1]) for value in values] == [int, bool, float, complex]


def test_a_nan_compiles_again_unless_it_is_the_same_object() -> None:
    counted = Counted()
    step = filter_jit(counted(lambda x, lr: x * 2))
    for _ in range(3):
        step(X, math.nan)
    assert counted.traces == 1
    for _ in range(3):
        step(X, float("nan"))
    assert counted.traces == 4


def test_versions_that_are_never_found_again_do_not_accumulate(monkeypatch: pytest.MonkeyPatch) -> None:
    step = filter_jit(lambda x, lr: x * 2)
    monkeypatch.setattr(step.set_up().programs, "_limit", 4)
    for _ in range(10):
        step(X, float("nan"))
    assert len(step.set_up().programs) == 4


def test_wrappers_of_the_same_function_share_its_programs() -> None:
    counted = Counted()

    @counted
    def loss(w: Any) -> Any:
        return jnp.sum(w**2)

    for _ in range(3):
        assert same(filter_jit(loss)(X), jnp.sum(X**2))
    assert counted.traces == 1
    for _ in range(3):
        assert same(filter_jit(filter_grad(loss))(X), 2 * X)
    assert counted.traces == 2
    for _ in range(3):
        assert same(filter_jit(filter_value_and_grad(filter_jit(loss)))(X)[1], 2 * X)
    assert counted.traces == 2  # the inner one was traced before


def test_different_options_have_different_versions() -> None:
    counted = Counted()
    double = counted(lambda x: 2 * x)
    filter_jit(double)(X)
    filter_jit(double, donate="warn")(X + 1)
    filter_jit(double, keep_unused=True)(X)
    filter_jit(double, keep_unused=True)(X)
    assert counted.traces == 3
    assert len({id(filter_jit(double, keep_unused=keep).set_up()) for keep in (False, True, True)}) == 2


def test_a_callable_tree_has_its_arrays_traced_and_the_rest_static() -> None:
    counted = Counted()

    @counted
    def activation(x: Any) -> Any:
        return x + 1

    for scale in (1.0, 2.0, 3.0):
        model = Linear(scale * X, activation)
        assert same(filter_jit(model)(X), scale * X * X + 1)
    assert counted.traces == 1


def test_a_built_in_function_without_a_signature_can_be_called() -> None:
    assert filter_jit(max)(2, 3) == 3
    assert filter_jit(dict)(a=1) == {"a": 1}


def test_the_program_has_the_name_of_the_function(caplog: pytest.LogCaptureFixture) -> None:
    def train_step(x: Any) -> Any:
        return x * 3

    with jax.log_compiles(), caplog.at_level(logging.WARNING, "jax"):
        filter_jit(train_step)(X)
    assert any("jit(train_step)" in record.getMessage() for record in caplog.records)
    assert filter_jit(train_step).lower(X).as_text().startswith("module @jit_train_step")


def test_a_wrapper_can_be_rebuilt_from_its_leaves() -> None:
    double = filter_jit(lambda x: 2 * x)
    assert same(jax.tree.map(lambda leaf: leaf, double)(X), 2 * X)
    assert jax.tree.map(lambda leaf: None, filter_jit(Linear(X))).__wrapped__.weight is None


def test_attributes_of_the_function_are_not_copied() -> None:
    def double(x: Any) -> Any:
        return 2 * x

    double.donate = double._kernel = double.held = "mine"  # type: ignore[attr-defined]
    assert same(filter_jit(double)(X), 2 * X)
    assert not hasattr(filter_jit(Linear(X)), "weight")


def test_a_wrapper_is_an_argument_whose_arrays_are_traced() -> None:
    counted = Counted()
    apply = filter_jit(counted(lambda fun, x: fun(x)))
    for scale in (1.0, 2.0):
        assert same(apply(filter_jit(Linear(scale * X)), X), scale * X * X)
    assert counted.traces == 1


def test_a_mutable_reference_is_traced() -> None:
    @filter_jit
    def add_one(ref: Any) -> None:
        ref[...] += 1

    for _ in range(2):
        ref = jax.new_ref(jnp.zeros(2))
        add_one(ref)
        assert same(ref[...], jnp.ones(2))
    assert len(add_one.set_up().programs) == 1
