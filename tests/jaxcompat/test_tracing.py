from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.jaxcompat import tracing

from .watching import at_start, fresh


def test_what_is_evaluated_is_known_by_the_names_that_jax_gives_it() -> None:
    step = fresh()

    def run() -> None:
        jax.grad(jax.checkpoint(lambda x: step(x).sum()))(np.ones(3, np.float32))

    found = at_start("compile", run, lambda frame: tracing.transforms_by_name())
    assert ["transpose", "jvp", "jvp", "checkpoint"] in found


def test_a_tracer_tells_what_it_stands_round() -> None:
    found = []

    def look(x: Any) -> Any:
        found.append(tracing.inside_tracer(x))
        return x.sum()

    x = jnp.ones((2, 3))
    jax.jvp(look, (x,), (x,))
    jax.vmap(look, in_axes=1)(x)
    jax.vmap(jax.grad(look))(x)
    shown = [(inside.value.shape, inside.is_differentiated, inside.axes) for inside in found]
    assert shown == [((2, 3), True, ()), ((2, 3), False, (1,)), ((2, 3), True, (0,))]
    assert tracing.inside_tracer(x).value is x


def test_the_rules_that_a_call_goes_through_are_known_before_it() -> None:
    found: list[str | None] = []

    def look(x: Any) -> Any:
        found.append(tracing.transforms_of([1.0, x]))
        return x.sum()

    x = jnp.ones((2, 3))
    look(x)
    jax.vmap(look)(x)
    jax.grad(look)(x)
    jax.jvp(look, (x,), (x,))
    jax.linearize(look, x)
    jax.vmap(jax.grad(look))(x)
    jax.vmap(lambda _: look(x))(x)
    jax.jit(look)(x)
    assert found == ["", "vmap", "linearize", "jvp", "jax.linearize", "vmap of linearize", None, None]


def test_staging_is_told_from_eager_transformations() -> None:
    seen: list[tuple[bool, bool]] = []

    def look(x: Any) -> Any:
        seen.append((tracing.is_staging(), tracing.is_tracer(x)))
        return x * 1.0

    look(1.0)
    jax.vmap(look)(np.ones(2))
    jax.grad(look)(1.0)
    jax.jit(look)(1.0)
    jax.jit(jax.vmap(jax.grad(look)))(np.ones(2))
    assert seen == [(False, False), (False, True), (False, True), (True, True), (True, True)]


@pytest.mark.parametrize(
    ("kind", "is_input"),
    [
        (float, True),
        (bool, True),
        (np.ndarray, True),
        (np.float32, True),
        (dict, False),
        (object, False),
        (list, False),
    ],
)
def test_what_jax_takes_for_an_array_is_known_by_type(kind: type, is_input: bool) -> None:
    assert tracing.is_input_type(kind) is is_input


def test_arrays_are_inputs() -> None:
    assert tracing.is_input_type(type(jnp.ones(1)))


def test_disabled_jit_is_known() -> None:
    assert not tracing.is_jit_disabled()
    with jax.disable_jit():
        assert tracing.is_jit_disabled()


def test_what_is_neither_transformed_nor_disabled_is_plain() -> None:
    seen = [tracing.is_plain()]
    jax.jit(lambda x: seen.append(tracing.is_plain()))(1.0)
    jax.vmap(lambda x: seen.append(tracing.is_plain()) or x)(jnp.ones(2))
    with jax.disable_jit():
        seen.append(tracing.is_plain())
    assert seen == [True, False, False, False]


def test_what_is_differentiated_batched_or_traced_is_transformed() -> None:
    seen = [tracing.is_transformed()]
    jax.jit(lambda x: seen.append(tracing.is_transformed()))(1.0)
    jax.vmap(lambda x: seen.append(tracing.is_transformed()) or x)(jnp.ones(2))
    jax.grad(lambda x: seen.append(tracing.is_transformed()) or x)(1.0)
    assert seen == [False, True, True, True]
