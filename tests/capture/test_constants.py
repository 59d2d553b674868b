"""The names of constants: closed-over arrays are named as in the user's function."""

import functools
import gc
import json
import types
import weakref
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz

from .samples import JITS

X = np.ones(3, np.float32)
GLOBAL = jnp.arange(3.0)
module = types.ModuleType("settings")
module.scale = jnp.arange(3.0) + 1.0  # type: ignore[attr-defined]


def names(function: Any, jit: Any = jax.jit) -> list[str]:
    """The names of the constants of a function."""
    with jitviz.record() as rec:
        jit(function)(X)
    assert rec.facts.failures == []
    (compile_,) = rec.compiles
    return [constant[2] for constant in json.loads(compile_.equations or "")["constants"]]


@pytest.mark.parametrize("api", list(JITS))
def test_a_closed_over_array_has_the_name_of_its_variable(api: str) -> None:
    weights, table = jnp.arange(3.0), np.arange(3.0, dtype=np.float32)

    def step(x: Any) -> Any:
        return x * weights + table

    assert names(step, JITS[api]) == ["weights", "table"]


def test_a_view_and_its_array_have_different_names() -> None:
    whole = np.arange(6.0, dtype=np.float32)
    half, head = whole[3:], whole[:3]
    assert names(lambda x: x * half) == ["half"]
    assert names(lambda x: (whole.shape, x * head)[1]) == ["head"]
    assert names(lambda x: (head.shape, x.sum() * whole)[1]) == ["whole"]


def test_a_global_has_its_name_and_that_of_a_module_both() -> None:
    assert names(lambda x: x * GLOBAL) == ["GLOBAL"]
    assert names(lambda x: x * module.scale) == ["module.scale"]


def test_an_array_inside_an_object_is_named_by_its_path() -> None:
    class Settings:
        def __init__(self) -> None:
            self.mask = jnp.arange(3.0)
            self.deep = {"bias": [jnp.arange(3.0) + 1.0]}

    settings, model = Settings(), eqx.nn.Linear(3, 3, key=jax.random.key(0))
    assert names(lambda x: x * settings.mask) == ["settings.mask"]
    deep = settings.deep
    assert names(lambda x: x * deep["bias"][0]) == ["deep['bias'][0]"]
    assert names(lambda x: model(x)) == ["model.weight", "model.bias"]


def test_called_functions_are_searched_as_well() -> None:
    def make() -> Any:
        hidden = jnp.arange(3.0)
        return lambda x: x * hidden

    scale = make()
    assert names(lambda x: scale(x)) == ["hidden"]
    assert names(jax.grad(lambda x: scale(x).sum())) == ["hidden"]
    assert names(functools.partial(lambda bias, x: x + bias, GLOBAL)) == ["args[0]"]
    assert names(lambda x, *, bias=GLOBAL: x + bias) in (["bias"], [])


def test_the_object_of_a_method_is_self() -> None:
    class Model:
        def __init__(self) -> None:
            self.weight = jnp.arange(3.0)

        def step(self, x: Any) -> Any:
            return x * self.weight

    assert names(Model().step) == ["self.weight"]


def test_an_array_that_the_function_made_has_no_name() -> None:
    assert names(lambda x: x * np.arange(3.0, dtype=np.float32)) == [""]


def test_no_user_code_is_run() -> None:
    class Odd:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

        def __eq__(self, other: object) -> bool:
            raise AssertionError("==")

        def __hash__(self) -> int:
            raise AssertionError("hash")

    class Bound(functools.partial[Any]):
        @property
        def func(self) -> Any:  # type: ignore[override]
            raise AssertionError("func")

    odd, weights = Odd(), jnp.arange(3.0)
    assert names(lambda x: (odd is None, x * weights)[1]) == ["weights"]
    bound = Bound(lambda y, x: x * weights + y, 1.0)
    assert names(lambda x: bound(x)) == ["weights"]


def test_nothing_is_kept_alive() -> None:
    def run() -> weakref.ref[Any]:
        weights = jnp.arange(1000.0)

        def step(x: Any) -> Any:
            return x * weights.sum() + weights[:3]

        jax.jit(step)(X)
        return weakref.ref(weights)

    with jitviz.record() as rec:
        kept = run()
        jax.clear_caches()
        gc.collect()
        assert kept() is None
    assert "weights" in (rec.compiles[0].equations or "")
