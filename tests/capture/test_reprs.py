"""User objects are named in a jaxpr and never printed by user code."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz
from jitviz.capture.programs.parameters import Reprs

X = np.ones(3, np.float32)


class Loud:
    """A callback, or a static part of a pytree, that must not be printed."""

    calls: ClassVar[list[str]] = []

    def __call__(self, x: Any) -> Any:
        return np.sin(x)

    def __repr__(self) -> str:
        self.calls.append("__repr__")
        raise RuntimeError

    def __str__(self) -> str:
        self.calls.append("__str__")
        raise RuntimeError

    def __format__(self, spec: str) -> str:
        self.calls.append("__format__")
        raise RuntimeError


class Formatted:
    """It would be formatted in an f-string."""

    def __format__(self, spec: str) -> str:
        raise RuntimeError


NAME = f"<{__name__}.Loud object>"


@dataclass
class Held:
    """Its `__repr__` is Python's and prints its parts."""

    part: Any


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    Loud.calls.clear()
    yield
    assert Loud.calls == []


@pytest.mark.parametrize(
    "value",
    [
        Loud(),
        (1, [Loud()]),
        {"a": Loud()},
        functools.partial(print, Loud()),
        functools.partial(Loud(), 1),
        Held(Loud()),
        jax.tree_util.tree_structure(jax.tree_util.Partial(Loud(), 1.0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_users_class_is_named_instead_of_the_value_that_contains_it(value: Any) -> None:
    reprs = Reprs()
    assert reprs.in_place_of(value) == NAME
    assert reprs.in_place_of(value) == NAME  # classes that were inspected before hide nothing


@pytest.mark.parametrize(
    "value",
    [None, 1, "a", (1, "b"), jnp.float32, np.dtype("f4"), Held(1), len, lambda: 0, functools.partial(print, 1), Loud],
    ids=lambda value: type(value).__name__,
)
def test_what_python_prints_is_printed(value: Any) -> None:
    assert Reprs().in_place_of(value) is None


def test_a_class_with_a_format_method_alone_is_not_printed() -> None:
    assert Reprs().in_place_of(Formatted()) == f"<{__name__}.Formatted object>"


def test_a_value_that_contains_itself_is_searched_to_a_limited_depth() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert Reprs().in_place_of(loop) is None


def test_a_callback_is_named_in_the_jaxpr() -> None:
    with jitviz.record() as rec:
        shape = jax.ShapeDtypeStruct(X.shape, X.dtype)
        jax.jit(lambda x: jax.pure_callback(Loud(), shape, x, vmap_method="sequential") * 2.0)(X)
    assert rec.facts.failures == []
    assert f"callback={NAME}" in (rec.compiles[0].jaxpr or "")
