"""Literal numbers of constants, in one spelling."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.jaxcompat.texts.flat_program import flatten
from jitviz.jaxcompat.texts.literals import read_literals
from jitviz.jaxcompat.texts.module_lines import read_program


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.1), ["0.1"]),
        (np.int32(7), ["7"]),
        (np.float32(np.inf), ["inf"]),
        (np.bool_(True), ["true"]),
        (np.arange(3, dtype=np.float32), ["0.0", "1.0", "2.0"]),
        (np.linspace(0, 1, 40, dtype=np.float32)[[0, 39]].repeat(20), ["0.0"] * 20 + ["1.0"] * 20),
    ],
    ids=["float", "int", "infinite", "bool", "array", "long array"],
)
def test_the_numbers_of_a_constant_are(value: np.ndarray, expected: list[str]) -> None:
    text = jax.jit(lambda x: (x, jnp.asarray(value))).lower(1.0).as_text()
    [constant] = [line for line in flatten(read_program(text)) if line.operation == "stablehlo.constant"]
    assert list(read_literals(constant)) == expected
