"""Eager transformations of jitted functions: each program is listed as a transform of its own."""

import gc
import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from flax import nnx
from jax.experimental import checkify

import jitviz
from jitviz.jaxcompat import private
from jitviz.recording import Recording

from .samples import JITS

X, SQUARE = jnp.arange(3.0), jnp.ones((3, 3))
LINEARIZED = private.since(((0, 9, 1), "jax.linearize"), ((0, 7), "linearize"))  # once the same as for a gradient
NUMBERS = itertools.count()
ALL_JITS = JITS | {"nnx.jit": nnx.jit}


def loss(x: Any, y: Any) -> Any:
    return (x**3).sum() * jnp.sin(y).sum()


def named(jit: Callable[..., Any], arguments: str = "x", call: str = "x, x") -> Any:
    """A jitted function with a name that no other test uses."""
    name = f"loss_{next(NUMBERS)}"
    scope: dict[str, Any] = {"loss": loss}
    exec(f"def {name}({arguments}): return loss({call})", scope)
    return jit(scope[name])


def programs(rec: Recording) -> list[tuple[str, str, str]]:
    """(transform, kind and path of the cause) of each program that was compiled."""
    assert rec.facts.failures == []
    made = [one for one in rec.compiles if any(phase.name == "compile" for phase in one.phases)]
    return [(one.transform, one.reasons[0].kind, one.reasons[0].path) for one in made]


TWICE_TRANSFORMED: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "hessian": (lambda f: jax.hessian(f)(X), ["vmap of jvp of linearize", "vmap of jvp of vmap of transpose"]),
    "vmap of grad": (lambda f: jax.vmap(jax.grad(f))(SQUARE), ["vmap of linearize", "vmap of transpose"]),
    "linearize": (lambda f: jax.linearize(f, X)[1](X), [LINEARIZED, "linearized"]),
    "linearize after grad": (
        lambda f: (jax.grad(f)(X), jax.linearize(f, X)),
        ["linearize", "transpose", *([LINEARIZED] if LINEARIZED != "linearize" else [])],
    ),
    "checkpoint": (
        lambda f: jax.grad(jax.checkpoint(f))(X),
        ["checkpoint", "transpose of jvp of checkpoint", "transpose of jvp"],
    ),
    "checkify": (
        lambda f: [checkify.checkify(f, errors=errors)(X) for errors in (checkify.nan_checks, checkify.div_checks)],
        ["checkify for NaNError", "checkify for DivisionByZeroError"],
    ),
    "jvp after grad": (lambda f: (jax.grad(f)(X), jax.jvp(f, (X,), (X,))), ["linearize", "transpose", "jvp"]),
    "grad of grad": (
        lambda f: jax.grad(lambda x: jax.grad(f)(x).sum())(X),
        ["linearize of linearize", "linearize of transpose", "transpose of transpose", "transpose of jvp"],
    ),
}


@pytest.mark.parametrize("jit", list(ALL_JITS))
@pytest.mark.parametrize("name", list(TWICE_TRANSFORMED))
def test_each_program_of_an_eager_transformation_has_its_own_transform(name: str, jit: str) -> None:
    run, expected = TWICE_TRANSFORMED[name]
    step = named(ALL_JITS[jit])
    with jitviz.record() as rec:
        step(X)
        run(step)
        run(step)
    assert programs(rec)[1:] == [(transform, "transform", "") for transform in expected]


@pytest.mark.parametrize("jit", list(JITS))
def test_a_transform_names_the_differentiated_and_batched_arguments(jit: str) -> None:
    step = named(JITS[jit], "x, y", "x, y")
    with jitviz.record() as rec:
        jax.grad(step, argnums=0)(X, X)
        jax.grad(step, argnums=1)(X, X)
        jax.vmap(step)(SQUARE, SQUARE)
        jax.vmap(step, in_axes=(1, 0))(SQUARE, SQUARE)
    assert programs(rec)[1:] == [
        ("transpose", "transform", ""),
        ("linearize, by y", "transform", ""),
        ("transpose", "transform", ""),
        ("vmap", "transform", ""),
        ("vmap, over axis 1 of x", "transform", ""),
    ]


@pytest.mark.parametrize("jit", list(JITS))
def test_a_transformed_program_is_compared_by_its_arguments(jit: str) -> None:
    step = named(JITS[jit])
    with jitviz.record() as rec:
        jax.vmap(step)(jnp.ones((4, 3)))
        jax.vmap(step)(jnp.ones((5, 3)))
    assert programs(rec)[1] == ("vmap", "shape", "x")


def test_the_backward_program_has_the_reason_of_its_forward_program() -> None:
    step = named(jax.jit)
    with jitviz.record() as rec:
        jax.hessian(step)(X)
        jax.hessian(step)(jnp.ones(4))
    assert [path for _, _, path in programs(rec)[2:]] == ["x", "x"]


def test_a_function_that_a_backward_pass_calls_recompiles_at_most_for_the_mesh() -> None:
    step = named(jax.jit)

    @jax.custom_vjp
    def scaled(x: Any) -> Any:
        return step(x)

    scaled.defvjp(lambda x: (step(x), x), lambda x, g: (step(x) * g * x,))
    with jitviz.record() as rec:
        jax.grad(scaled)(X)
    first, *again = programs(rec)
    assert first == ("", "first", "")
    assert again in ([], [("", "config_context", "mesh")])  # up to jax 0.10, which sets a mesh there


def test_each_call_inside_one_checkpoint_has_programs_of_its_own() -> None:
    product = jax.jit(lambda a, b: a * b)
    with jitviz.record() as rec:
        jax.grad(jax.checkpoint(lambda a, b: product(product(a, b), a)))(1.0, 1.0)
    first, *again = programs(rec)
    assert first == ("checkpoint", "first", "")
    assert len(again) > len(set(again))
    assert {kind for _, kind, _ in again} == {"transform"}


def test_a_new_function_that_only_runs_inside_a_checkpoint_is_a_new_function() -> None:
    def make(factor: float) -> Any:
        return jax.checkpoint(jax.jit(lambda made: jnp.sin(made).sum() * factor))

    with jitviz.record() as rec:
        for _ in range(2):
            jax.grad(make(2.0))(X)
    kinds = [kind for _, kind, _ in programs(rec)]
    assert kinds[len(kinds) // 2 :] == ["new_function"] * (len(kinds) // 2)


def test_a_function_that_died_before_its_backward_pass_is_not_confused_with_a_namesake() -> None:
    def pulled_back(factor: float) -> Any:
        def gone(x: Any) -> Any:
            return jnp.sin(x).sum() * factor

        return jax.vjp(jax.jit(gone), X)[1]

    def other() -> None:
        def gone(x: Any) -> Any:
            return x

        jax.jit(gone)(X)

    with jitviz.record() as rec:
        pull = pulled_back(2.0)
        other()
        gc.collect()
        pull(jnp.ones(()))
    first, _, backward = rec.compiles
    assert backward.function_info.defined_at == first.function_info.defined_at
    assert backward.reasons[0].kind == "transform"
