"""Open recordings, closed recordings and the history keep no array, module or closure of the user's alive."""

import gc
import time
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

import jitviz
from jitviz import capture
from jitviz.jaxcompat.flax_internals import nnx_raw_value
from jitviz.jaxcompat.frame_locals import traced_jaxpr
from jitviz.jaxcompat.jaxprs import equation_facts, opened

from ..jaxcompat.watching import at_end
from .samples import JITS, affine

pytestmark = pytest.mark.usefixtures("little_to_collect")


class Setting:
    """A static argument, compared by identity."""


def same_as_unwatched(api: str, references: list[weakref.ref[Any]]) -> bool:
    """Whether as much is freed as without jitviz: with some versions of JAX, Equinox itself keeps static values."""
    left = [type(found) for found in alive(references)]
    capture.unwatch()
    alone = use(api)
    jax.clear_caches()
    return left == [type(found) for found in alive(alone)]


def alive(references: list[weakref.ref[Any]]) -> list[Any]:
    for _ in range(10):
        gc.collect()
        left = [found for reference in references if (found := reference()) is not None]
        if not left:
            break
        time.sleep(0)  # the sampler may hold a frame while it waits for the interpreter
    return left


def use(api: str) -> list[weakref.ref[Any]]:
    """Call a jitted closure with a module, arrays and static values, and drop all of them."""
    table, model, x, setting = jnp.ones(1000), affine(), jnp.ones(3), Setting()

    def step(weight: Any, bias: Any, x: Any, setting: Any) -> Any:
        return weight * x + bias + table.sum()

    options = {"static_argnums": 3} if api == "jax.jit" else {}
    jitted = JITS[api](step, **options)
    for _ in range(2):
        jitted(model.weight, model.bias, x, setting)
    return [weakref.ref(part) for part in (table, model, model.weight, x, setting, step, jitted)]


@pytest.mark.parametrize("api", list(JITS))
def test_objects_that_the_user_drops_are_freed(api: str) -> None:
    with jitviz.record() as rec:
        references = use(api)
        jax.clear_caches()  # JAX itself holds static arguments
        left = [type(found) for found in alive(references)]
        assert len(rec.compiles) == 1
    assert left == [type(found) for found in alive(references)]
    assert same_as_unwatched(api, references)
    assert rec.compiles[0].hlo is not None


@pytest.mark.parametrize("api", list(JITS))
def test_the_history_keeps_nothing_alive(api: str) -> None:
    capture.watch()
    references = use(api)
    jax.clear_caches()
    assert same_as_unwatched(api, references)


@pytest.mark.parametrize("api", list(JITS))
def test_the_arguments_of_a_failed_call_are_freed(api: str) -> None:
    def fail() -> list[weakref.ref[Any]]:
        x, held = jnp.ones(3), jnp.ones(5)  # Equinox may keep what a function holds

        def step(x: Any) -> Any:
            raise ValueError(held.shape)

        with pytest.raises(ValueError, match="5"):
            JITS[api](step)(x)
        return [weakref.ref(part) for part in ((x,) if api == "equinox.filter_jit" else (x, held, step))]

    with jitviz.record() as rec:
        references = fail()
        jax.clear_caches()
        assert alive(references) == []
    assert [call.outcome for call in rec.calls] == ["error"]


def donated_input_and_output() -> list[Any]:
    x = jnp.ones(3)
    return [x, jax.jit(lambda x: x + 1, donate_argnums=0)(x)]


def live_object_of_nnx() -> list[Any]:
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    nnx.jit(lambda model, x: model(x))(model, jnp.ones((1, 2)))
    return [model, nnx_raw_value(model.kernel)]


def module_under_filter_jit() -> list[Any]:
    model = affine()
    eqx.filter_jit(model)(jnp.ones(3))
    jitviz.filter_jit(model)(jnp.ones(3))
    return [model, model.weight]


def body_of_an_eager_loop() -> list[Any]:
    scale = jnp.ones(())

    def body(carry: Any, x: Any) -> Any:
        return carry * scale, x

    jax.lax.scan(body, 0.0, jnp.ones(3))
    return [body, scale]


def classes_of_static_values() -> list[Any]:
    """The instances of neither class support weak references."""

    class Bare:
        __slots__ = ("a",)

    class Own(NamedTuple):
        a: int

    bare = Bare()
    bare.a = 1
    jax.jit(lambda x, *settings: x, static_argnums=(1, 2))(1.0, bare, Own(1))
    return [Bare, Own]


@pytest.mark.parametrize(
    "run",
    [
        donated_input_and_output,
        live_object_of_nnx,
        module_under_filter_jit,
        body_of_an_eager_loop,
        classes_of_static_values,
    ],
)
def test_objects_that_a_call_used_are_freed(run: Callable[[], list[Any]]) -> None:
    with jitviz.record():
        references = [weakref.ref(part) for part in run()]
        jax.clear_caches()
        assert alive(references) == []


def test_jaxprs_and_their_functions_are_freed() -> None:
    def run() -> list[weakref.ref[Any]]:
        def body(carry: Any, x: Any) -> Any:
            return carry + jnp.sin(x), None

        def step(x: Any) -> Any:
            return jax.lax.scan(body, 0.0, x)[0]

        jaxprs: list[Any] = []
        at_end("trace", lambda: jax.jit(step)(jnp.ones(3)), lambda frame: jaxprs.append(traced_jaxpr(frame)))
        parts = opened(jaxprs[-1]).eqns
        inner = [program for equation in parts for _, program in equation_facts(equation).programs]
        return [weakref.ref(part) for part in (*jaxprs, *inner, body, step)]

    with jitviz.record() as rec:
        references = run()
        jax.clear_caches()
        assert alive(references) == []
    assert rec.compiles[0].equations is not None
    assert len(references) >= 4


def test_a_recording_that_the_user_drops_is_freed() -> None:
    with jitviz.record() as rec:
        jax.jit(lambda x: x)(1.0)
    str(rec)
    reference = weakref.ref(rec)
    del rec
    assert alive([reference]) == []
