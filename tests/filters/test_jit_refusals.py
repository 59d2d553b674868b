"""Calls and options that filter_jit refuses, and its error messages."""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.filters import filter_jit

from .samples import Linear

X = jnp.ones(2)


@dataclasses.dataclass
class Config:
    rate: float

    def __repr__(self) -> str:
        raise AssertionError("a user's repr is never called")


@filter_jit
def train(model: Any, *rest: Any, options: Any = None) -> None:
    return None


def message(error: pytest.ExceptionInfo[TypeError]) -> str:
    return str(error.value)


def test_the_error_of_an_unhashable_leaf_has_its_path_its_type_and_the_next_step() -> None:
    with pytest.raises(TypeError) as error:
        train({"layers": [Linear(X), Linear(X, Config(0.1))]})
    assert message(error) == (
        "filter_jit(train): the static leaf `model['layers'][1].activation` of type Config cannot be hashed "
        "(unhashable type: 'Config'). Leaves that are not arrays are static: they are part of the cache key, so they "
        "need a hash and ==. Declare the class with @dataclass(frozen=True). If it holds arrays, register it as a "
        "pytree instead (jax.tree_util.register_dataclass), so that they are traced."
    )


@pytest.mark.parametrize(
    ("call", "path", "advice"),
    [
        (lambda bad: train(1, 2, [bad]), "rest[1][0]", "Pass a frozenset instead of the set."),
        (lambda bad: train(1, options={"k": (bad,)}), "options['k'][0]", "Pass a frozenset instead of the set."),
    ],
)
def test_the_path_starts_at_the_parameter_however_it_was_passed(call: Any, path: str, advice: str) -> None:
    with pytest.raises(TypeError) as error:
        call({1})
    assert f"the static leaf `{path}` of type set" in message(error)
    assert message(error).endswith(advice)


def test_the_advice_depends_on_the_type() -> None:
    class Odd:
        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(TypeError, match=r"Pass bytes instead of the bytearray\.$"):
        train(bytearray(b"x"))
    with pytest.raises(TypeError, match=r"Define __hash__ and __eq__ by value on its class, .*register its class"):
        train(Odd())


def test_a_leaf_inside_the_function_is_named_as_well() -> None:
    with pytest.raises(TypeError, match=r"^filter_jit\(Linear\): the static leaf `Linear\.activation` of type set"):
        filter_jit(Linear(X, {1}))

    class Model(Linear):
        def step(self, x: Any) -> Any:
            return x

    with pytest.raises(TypeError, match=r"^filter_jit\(step\): the static leaf `self\.activation` of type set"):
        filter_jit(Model(X, {1}).step)


def test_an_error_of_the_users_hash_is_reported_for_its_own_leaf() -> None:
    class Broken:
        def __hash__(self) -> int:
            raise TypeError("hash of mine")

    with pytest.raises(TypeError, match=r"`model` of type Broken cannot be hashed \(hash of mine\)"):
        train(Broken())


def test_a_function_whose_class_has_no_hash_is_named_as_well() -> None:
    class Scale:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, x: Any) -> Any:
            return x

    with pytest.raises(TypeError) as error:
        filter_jit(Scale())
    assert message(error) == (
        "filter_jit(Scale): the static leaf `Scale` of type Scale cannot be hashed (unhashable type: 'Scale'). Leaves "
        "that are not arrays are static: they are part of the cache key, so they need a hash and ==. Define __hash__ "
        "and __eq__ by value on its class, pass its numbers as arrays (jax.numpy.asarray) so that they are traced, or "
        "register its class as a pytree."
    )


@pytest.mark.parametrize(
    ("array", "dtype", "instead"),
    [
        (np.array(["a"]), "<U1", "a tuple of its values (tuple(x.tolist())), which is static"),
        (np.zeros(3, [("a", "f4")]), "[('a', '<f4')]", "its fields (x['name']), which are arrays"),
    ],
)
def test_the_error_of_an_array_of_strings_or_records_has_its_path(array: Any, dtype: str, instead: str) -> None:
    with pytest.raises(TypeError) as error:
        train({"text": array}, X)
    assert message(error) == (
        f"filter_jit(train): `model['text']` is a NumPy array of dtype {dtype}. Arrays are traced, and JAX does not "
        f"support this dtype. Leave it out of the arguments, or pass {instead}."
    )


def test_a_type_error_of_the_function_itself_is_raised_unchanged() -> None:
    @filter_jit
    def fail(x: Any) -> Any:
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine"):
        fail(X)


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("static_argnums", "pass a Python value to make it static, an array to have it traced"),
        ("static_argnames", "pass a Python value to make it static, an array to have it traced"),
        ("donate_argnums", "write donate='all' or donate='all-except-first' instead"),
        ("donate_argnames", "write donate='all' or donate='all-except-first' instead"),
        ("in_shardings", "place arguments with jax.device_put"),
        ("out_shardings", "use jax.lax.with_sharding_constraint inside the function"),
    ],
)
def test_jit_options_that_filter_jit_decides_are_refused_with_the_alternative(option: str, reason: str) -> None:
    with pytest.raises(ValueError) as error:
        filter_jit(**{option: None})
    assert str(error.value).startswith(f"filter_jit does not take '{option}': ")
    assert reason in str(error.value)


def test_unknown_options_unknown_words_and_objects_that_are_not_callable_are_refused() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'inlined'; jax\.jit has no such option\.$"):
        filter_jit(inlined=True)
    with pytest.raises(ValueError, match=r"^filter_jit: donate must be one of 'all', .*, 'none', not 'first'\.$"):
        filter_jit(donate="first")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"^filter_jit needs a function, but got an object of type int\.$"):
        filter_jit(3)  # type: ignore[call-overload]
