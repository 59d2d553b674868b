import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from jitviz.filters import combine, is_array, is_inexact_array, partition

from .samples import same, trees

ARRAYS = [jnp.ones(2), np.ones(2), np.float32(1), jnp.arange(3), np.arange(3), np.bool_(True), jax.random.key(0)]
OTHERS = [1, 1.0, 1j, True, None, "x", jnp.sin, object(), jax.ShapeDtypeStruct((2,), jnp.float32)]


def test_jax_and_numpy_arrays_and_numpy_scalars_are_arrays() -> None:
    assert list(map(is_array, ARRAYS + OTHERS)) == [True] * len(ARRAYS) + [False] * len(OTHERS)


def test_a_tracer_is_an_array() -> None:
    assert jax.jit(lambda x: jnp.asarray(is_array(x) and is_inexact_array(x)))(1.0)


@pytest.mark.parametrize("element", ARRAYS + OTHERS, ids=lambda element: type(element).__name__)
def test_inexact_arrays_are_those_of_equinox(element: object) -> None:
    assert is_inexact_array(element) == eqx.is_inexact_array(element)


def test_a_numpy_array_of_bfloat16_is_inexact() -> None:
    assert is_inexact_array(np.ones(2, jnp.bfloat16))


@given(trees())
def test_partition_and_combine_return_what_equinox_returns(tree: object) -> None:
    for spec in (is_array, is_inexact_array, True, False):
        ours, theirs = partition(tree, spec), eqx.partition(tree, spec)
        assert same(ours, theirs)
        assert same(combine(*ours), eqx.combine(*theirs))


def test_a_spec_of_another_type_is_refused() -> None:
    expected = "partition: filter_spec must consist of bools and functions, but one leaf is of type str."
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        partition([1], "all")
