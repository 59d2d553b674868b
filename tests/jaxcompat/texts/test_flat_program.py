"""A program as one list of lines, with the functions that it calls in place of their calls."""

import jax
import jax.numpy as jnp

from jitviz.jaxcompat.texts.flat_program import decide_more_than_numbers, flatten
from jitviz.jaxcompat.texts.module_lines import Line, read_program

inner = jax.jit(lambda x: jnp.sin(x) * 2)


def lines_of(f: object) -> list[Line]:
    return flatten(read_program(jax.jit(f).lower(jnp.ones(3)).as_text()))  # type: ignore[arg-type]


def test_a_function_is_in_the_place_of_each_of_its_calls() -> None:
    operations = [line.operation for line in lines_of(lambda x: inner(inner(x)))]
    assert operations.count("stablehlo.sine") == 2
    assert not [name for name in operations if name.endswith("call")]


def test_a_number_of_iterations_decides_more_than_a_number() -> None:
    turns = lines_of(lambda x: jax.lax.fori_loop(0, 20, lambda i, y: y * 2.5, x))
    bounds = [line.sets[0] for line in turns if line.operation == "stablehlo.constant"]
    assert decide_more_than_numbers(turns, bounds)
    factor = lines_of(lambda x: x * 2.5)
    assert not decide_more_than_numbers(factor, [line.sets[0] for line in factor if "constant" in line.operation])
