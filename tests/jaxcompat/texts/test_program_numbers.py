"""Programs that differ in numbers or sizes alone."""

import jax
import jax.numpy as jnp

from jitviz.jaxcompat.texts.flat_program import flatten
from jitviz.jaxcompat.texts.module_lines import Line, read_program
from jitviz.jaxcompat.texts.program_numbers import compare_numbers, compare_sizes


def lines_of(rate: float, size: int = 3) -> list[Line]:
    return flatten(read_program(jax.jit(lambda x: x * rate).lower(jnp.ones(size)).as_text()))


def test_numbers_that_differ_are_paired() -> None:
    found = compare_numbers(lines_of(0.1), lines_of(0.2))
    assert found is not None
    assert (list(found.pairs), found.could_be_inputs) == ([("0.1", "0.2")], True)


def test_another_size_is_no_other_number() -> None:
    assert compare_numbers(lines_of(0.1), lines_of(0.1, 5)) is None
    assert compare_sizes(lines_of(0.1), lines_of(0.1, 5)) == ((3, 5),)
