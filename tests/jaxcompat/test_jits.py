from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jitviz.jaxcompat import jits

from .watching import fresh


def test_a_jit_object_holds_its_function_and_its_options() -> None:
    step = fresh()
    assert type(step) is jits.PjitFunction
    assert jits.jitted_function(step) is step.__wrapped__
    assert jits.jit_info(step) is not jits.jit_info(fresh())
    assert list(jits.signature_in(jits.jit_info(step)).parameters) == ["x", "rest", "named"]  # type: ignore[union-attr]


def test_static_and_donated_parameters_are_completed_by_name_and_position() -> None:
    def step(a: Any, b: Any, c: Any) -> None: ...

    info = jits.jit_info(jax.jit(step, static_argnums=1, donate_argnames="c"))
    assert jits.marked(info) == jits.Marked((1,), ("b",), (2,), ("c",))
    assert jits.marked(jits.jit_info(jax.jit(step))) == jits.Marked()


def test_the_options_of_a_jit_that_enter_a_cache_key_are_known() -> None:
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    step = fresh(
        inline=True, keep_unused=True, out_shardings=sharding, compiler_options={"xla_cpu_enable_fast_math": True}
    )
    assert jits.jit_options(jits.jit_info(step)) == (
        ("inline", "True"),
        ("keep_unused", "True"),
        ("out_shardings", "cpu:0"),
        ("compiler_options", "{'xla_cpu_enable_fast_math': True}"),
    )
    on_mesh = jax.sharding.NamedSharding(jax.sharding.Mesh(jax.devices()[:1], ("x",)), jax.sharding.PartitionSpec("x"))
    options = dict(jits.jit_options(jits.jit_info(fresh(in_shardings=on_mesh))))
    assert options["in_shardings"] == "P() on mesh(x=1 auto) of cpu:0"  # an axis of size 1 splits nothing
    spec = jax.sharding.PartitionSpec("x", None)
    assert jits.jit_options(jits.jit_info(fresh(in_shardings=spec))) == (("in_shardings", "P('x')"),)
    assert jits.jit_options(jits.jit_info(fresh())) == ()
    assert jits.jit_options(jits.jit_info(fresh(keep_unused=1))) == (("keep_unused", "True"),)  # equal in JAX's key
    assert jits.jit_options(jits.jit_info(fresh(static_argnums=0)))[0] == ("static_argnums", "(0,)")


@pytest.mark.parametrize("function", [jnp.linalg.norm, jnp.argsort, jnp.sin, jnp.negative._func])
def test_a_jit_that_jax_exports_is_known_as_its_own(function: Any) -> None:
    assert jits.is_own_jit(jits.jitted_function(function))
    assert not jits.is_own_jit(fresh().__wrapped__)


@pytest.mark.parametrize(
    ("transform", "wrap"),
    [
        ("grad", jax.grad),
        ("grad", partial(jax.grad, has_aux=True)),
        ("value_and_grad", jax.value_and_grad),
        ("vmap", jax.vmap),
        ("", lambda fun: fun),
    ],
)
def test_the_transformation_of_a_function_is_known(transform: str, wrap: Any) -> None:
    assert jits.transform_of(wrap(lambda x: x)) == transform
