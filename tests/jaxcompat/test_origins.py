"""What JAX's tracers and arrays say of where they come from."""

import jax
import jax.numpy as jnp
import numpy as np

from jitviz.jaxcompat import jits, origins


def test_a_tracer_says_which_inputs_it_was_computed_from() -> None:
    found: list[origins.TracedFrom | None] = []

    @jax.jit
    def step(state, rate):  # type: ignore[no-untyped-def]
        found.append(origins.traced_from(state["w"].sum() * 2))
        return rate

    step({"w": jnp.ones(3), "b": jnp.ones(2)}, 0.1)
    (origin,) = found
    assert origin is not None
    assert (origin.function, origin.names) == ("step", ("state['w']",))
    assert origin.all_names == ("state['b']", "state['w']", "rate")


def test_an_argument_of_a_jitted_function_is_known_from_what_was_computed_of_it() -> None:
    found: list[bool] = []

    def note(x):  # type: ignore[no-untyped-def]
        found.extend(origin.is_argument for each in (x, x + 1) if (origin := origins.traced_from(each)) is not None)
        return x

    jax.jit(note)(1)
    jax.jit(jax.grad(note))(1.0)
    assert found == [True, False, False, False]


def test_a_tracer_inside_a_gradient_is_followed_to_the_function_that_is_traced() -> None:
    found: list[origins.TracedFrom | None] = []

    def loss(x, y):  # type: ignore[no-untyped-def]
        found.append(origins.traced_from(x * y))
        return (x * y).sum()

    jax.jit(jax.grad(loss))(jnp.ones(3), jnp.ones(3))
    assert found[0] is not None
    assert set(found[0].names) <= {"x", "y"}
    assert "x" in found[0].names


def test_what_was_made_inside_says_at_which_line() -> None:
    found: list[origins.TracedFrom | None] = []

    @jax.jit
    def step(x):  # type: ignore[no-untyped-def]
        made = jnp.arange(3)
        found.append(origins.traced_from(made + 1))
        return x

    step(1.0)
    (origin,) = found
    if origin is not None and origin.lines:  # newer versions compute what depends on no input at once
        assert {line.file for line in origin.lines} == {__file__}


def test_no_other_value_comes_from_a_trace() -> None:
    assert [origins.traced_from(value) for value in (1.0, np.ones(2), jnp.ones(2), "x")] == [None] * 4


def test_types_are_in_the_short_form_of_jax_and_of_weak_ones_only_a_tracer_is() -> None:
    told: list[tuple[str, bool]] = []

    @jax.jit
    def step(x, rate):  # type: ignore[no-untyped-def]
        told.extend((origins.aval_of(value), origins.is_weak(value)) for value in (x, rate))
        return x

    step(jnp.ones((2, 3)), 0.1)
    assert told == [("f32[2,3]", False), ("f32[]", True)]
    values = jnp.ones(3), np.ones(3), 1.0, jax.random.split(jax.random.key(0), 3)
    assert [origins.aval_of(value) for value in values] == ["f32[3]", "", "", "key<fry>[3]"]
    assert not origins.is_weak(1.0)


def test_a_deleted_array_is_one_whose_buffer_is_gone() -> None:
    kept, deleted = jnp.ones(3), jnp.ones(3)
    deleted.delete()
    assert [origins.is_deleted(value) for value in (kept, deleted, np.ones(3))] == [False, True, False]


class ShoutingError(ValueError):
    def __str__(self) -> str:
        raise AssertionError


def test_the_text_of_an_exception_is_read_without_its_own_str() -> None:
    assert [origins.message_of(error) for error in (ShoutingError(" low "), ValueError(3), KeyError())] == [
        "low",
        "",
        "",
    ]


def test_the_function_inside_jits_partials_and_gradients_is_the_users() -> None:
    def step(x: jax.Array) -> jax.Array:
        return x.sum()

    inside = jits.inner_function
    assert [inside(one) for one in (step, jax.jit(step), jax.jit(jax.grad(step)))] == [step] * 3
