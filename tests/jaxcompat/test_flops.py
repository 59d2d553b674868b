"""Floating-point operations of an equation, by its shapes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from jitviz.jaxcompat import jaxprs
from jitviz.jaxcompat.flops import flops_of

M = np.ones((4, 5), np.float32)
IMAGE, KERNEL = np.ones((2, 3, 8, 8), np.float32), np.ones((7, 3, 2, 2), np.float32)


def counted(function: Any, *args: Any) -> list[tuple[str, int]]:
    """(primitive, operations) of the equations of a function that do some."""
    found = []
    for equation in jaxprs.opened(jax.make_jaxpr(function)(*args)).eqns:
        facts = jaxprs.equation_facts(equation)
        flops = flops_of(facts.primitive, list(facts.inputs), list(facts.outputs), equation.params)
        found.append((facts.primitive, flops))
    return [row for row in found if row[1]]


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (lambda x: jnp.sin(x) * 2.0, [M], [("sin", 20), ("mul", 20)]),
        (lambda x: jnp.sum(x, axis=0), [M], [("reduce_sum", 20)]),
        (lambda x: x @ x.T, [M], [("dot_general", 2 * 4 * 4 * 5)]),
        (lambda x: jnp.einsum("bij,bjk->bik", x, x), [np.ones((3, 6, 6), np.float32)], [("dot_general", 3 * 6**3 * 2)]),
        (
            lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 1), "SAME"),
            [IMAGE, KERNEL],
            [("conv_general_dilated", 2 * (2 * 7 * 8 * 8) * (3 * 2 * 2))],
        ),
        (
            lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 1), "SAME", feature_group_count=3),
            [IMAGE, np.ones((6, 1, 2, 2), np.float32)],
            [("conv_general_dilated", 2 * (2 * 6 * 8 * 8) * (1 * 2 * 2))],
        ),
        (lambda x: jax.lax.scatter_add(x, jnp.zeros((1, 1), int), x[:1], DIMENSIONS), [M], [("scatter-add", 5)]),
        (lambda x: jnp.reshape(x, (5, 4)).T, [M], []),
        (lambda n: n + n, [np.ones(3, np.int32)], []),
        (lambda x: x > 1.0, [M], []),
    ],
)
def test_operations_are_counted_by_shape(function: Any, args: list[Any], expected: list[Any]) -> None:
    assert counted(function, *args) == expected


DIMENSIONS = jax.lax.ScatterDimensionNumbers((1,), (0,), (0,))


def test_the_count_of_a_product_agrees_with_xla() -> None:
    (row,) = counted(lambda x: x @ x.T, M)
    cost = jax.jit(lambda x: x @ x.T).lower(M).compile().cost_analysis()
    assert row[1] == (cost[0] if isinstance(cost, list) else cost)["flops"]  # type: ignore[index]


def test_symbolic_sizes_count_as_nothing() -> None:
    (size,) = export.symbolic_shape("n")
    assert counted(jnp.sin, jax.ShapeDtypeStruct((size,), np.float32)) == []
