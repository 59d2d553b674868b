"""Programs that differ in the form of their inputs."""

from typing import Any

import jax
import jax.numpy as jnp

from jitviz.jaxcompat.texts.flat_program import flatten
from jitviz.jaxcompat.texts.module_lines import Line, read_program
from jitviz.jaxcompat.texts.program_forms import tell_form


def lines_of(x: Any, *, is_swapped: bool = False) -> list[Line]:
    return flatten(
        read_program(jax.jit(lambda x, y: y - x if is_swapped else x - y).lower(x, jnp.ones_like(x)).as_text())
    )


def test_another_dtype_is_another_form() -> None:
    told = tell_form(lines_of(jnp.ones(3)), lines_of(jnp.ones(3, jnp.int32)))
    assert told == "an input is tensor<3xi32> instead of tensor<3xf32>"


def test_operands_that_are_swapped_are_no_form() -> None:
    assert tell_form(lines_of(jnp.ones(3)), lines_of(jnp.ones(3), is_swapped=True)) == ""
