"""How two other programs differ, in a few words."""

import jax
import jax.numpy as jnp
import pytest

from jitviz.jaxcompat.texts.flat_program import flatten
from jitviz.jaxcompat.texts.module_lines import Line, read_program
from jitviz.jaxcompat.texts.program_comparison import tell_other


def lines_of(f: object) -> list[Line]:
    return flatten(read_program(jax.jit(f).lower(jnp.ones(3)).as_text()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (jnp.sin, jnp.cos, "cosine in place of sine"),
        (jnp.sin, lambda x: jnp.sin(x) * x, "2 operations instead of 1"),
    ],
    ids=["another operation", "more operations"],
)
def test_programs_differ_by(before: object, after: object, expected: str) -> None:
    assert tell_other(lines_of(before), lines_of(after)) == expected
