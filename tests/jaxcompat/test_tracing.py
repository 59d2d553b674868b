from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.jaxcompat import jaxprs, private, tracing

from .watching import at_start, fresh


def test_the_current_transformations_are_known_by_jaxs_names() -> None:
    step = fresh()

    def run() -> None:
        jax.grad(jax.checkpoint(lambda x: step(x).sum()))(np.ones(3, np.float32))

    found = at_start("compile", run, lambda frame: tracing.transforms_by_name())
    assert ["transpose", "jvp", "jvp", "checkpoint"] in found


def test_the_array_inside_a_tracer_is_found() -> None:
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


def test_the_transformations_of_a_call_are_known_before_it() -> None:
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
    linearized = private.since(((0, 9, 1), "jax.linearize"), ((0, 7), "linearize"))  # once the same as for a gradient
    assert found == ["", "vmap", "linearize", "jvp", linearized, "vmap of linearize", None, None]


def test_the_state_of_a_thread_is_known_under_each_transformation() -> None:
    found: dict[str, list[str]] = {}
    asked = {
        "plain": tracing.is_plain,
        "transformed": tracing.is_transformed,
        "staging": tracing.is_staging,
        "jit disabled": tracing.is_jit_disabled,
    }

    def look(name: str) -> Any:
        def seen(x: Any) -> Any:
            found[name] = [word for word, is_so in asked.items() if is_so()] + ["tracer"] * tracing.is_tracer(x)
            return x * 1.0

        return seen

    look("none")(1.0)
    jax.vmap(look("vmap"))(np.ones(2))
    jax.grad(look("grad"))(1.0)
    jax.jit(look("jit"))(1.0)
    jax.jit(jax.vmap(jax.grad(look("jit of vmap of grad"))))(np.ones(2))
    with jax.disable_jit():
        look("no jit")(1.0)
    assert found == {
        "none": ["plain"],
        "vmap": ["transformed", "tracer"],
        "grad": ["transformed", "tracer"],
        "jit": ["transformed", "staging", "tracer"],
        "jit of vmap of grad": ["transformed", "staging", "tracer"],
        "no jit": ["jit disabled"],
    }


@pytest.mark.parametrize(
    ("kind", "is_input"),
    [
        (float, True),
        (bool, True),
        (np.ndarray, True),
        (np.float32, True),
        (type(jnp.ones(1)), True),
        (dict, False),
        (object, False),
        (list, False),
    ],
)
def test_the_types_that_jax_accepts_as_arrays_are_known(kind: type, is_input: bool) -> None:
    assert tracing.is_input_type(kind) is is_input


def test_the_newest_call_of_a_trace_has_the_arguments_that_it_was_made_with() -> None:
    found: list[Any] = []
    inner = jax.jit(lambda x, *rest, n: x * 2, static_argnames="n")

    def look(x: Any) -> Any:
        found.append((tracing.equation_count(), tracing.newest_call()))
        y = x * 2
        found.append((tracing.equation_count(), tracing.newest_call()))
        around = jax.jit(lambda z: z + y)(x[:1])
        found.append((tracing.equation_count() > 1, jaxprs.named_inputs(tracing.newest_call())))
        out = inner({"a": x}["a"], 1.0, n=2)
        found.append((tracing.equation_count() > 2, jaxprs.named_inputs(tracing.newest_call())))
        return out, around

    jax.jit(look)(np.ones(3, np.float32))
    assert found[:2] == [(0, None), (1, None)]
    assert [(is_more, [(path, aval.shape) for path, aval in named]) for is_more, named in found[2:]] == [
        (True, [("z", (1,))]),
        (True, [("x", (3,)), ("rest[0]", ())]),
    ]
    assert (tracing.equation_count(), tracing.newest_call(), jaxprs.named_inputs(None)) == (0, None, [])
