"""The rules by operation; whole programs are in test_program_padding.py."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitviz.jaxcompat.texts.flat_program import flatten
from jitviz.jaxcompat.texts.module_lines import read_program
from jitviz.jaxcompat.texts.padding_rules import Rules, padded, steps_of


def allowed(f: Any, n_axis: int = 0) -> dict[str, bool]:
    """By operation, whether its padding can be masked where one axis of the input has 48 or 56 elements."""
    shapes = [tuple(size if axis == n_axis else 5 for axis in range(2)) for size in (48, 56)]
    lines = [flatten(read_program(jax.jit(f).lower(np.ones(shape, np.float32)).as_text())) for shape in shapes]
    rules = Rules()
    return {step.name: rules.allow(step) for step in steps_of(*lines) if step.is_padded}


@pytest.mark.parametrize(
    ("f", "name", "is_allowed"),
    [
        (jnp.tanh, "tanh", True),
        (lambda x: x.sum(0), "reduce", True),
        (lambda x: jnp.sort(x, 0), "sort", False),
        (lambda x: jnp.sort(x, 1), "sort", True),
        (lambda x: x[::-1], "reverse", False),
        (lambda x: jnp.fft.fft(x, axis=0), "fft", False),
    ],
)
def test_an_operation_leaves_the_padding_where_it_is_or_does_not(f: Any, name: str, is_allowed: bool) -> None:
    assert allowed(f)[name] is is_allowed


def test_the_padded_axes_are_those_of_another_size() -> None:
    assert padded(((48, 56), (5, 5), (1, 2))) == {0, 2}
