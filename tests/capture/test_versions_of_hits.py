"""Which version a hit of a `filter_jit` ran."""

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jitviz


def total(*trees: Any) -> Any:
    return sum(leaf.sum() for leaf in jax.tree.leaves(trees) if jitviz.is_array(leaf))


def ran(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[int | None]:
    """The version that each call ran, hits and compiles, counted from that of the first call."""
    with jitviz.record(sample=False) as rec:
        for given in calls:
            function(*given)
    assert rec.facts.failures == []
    first = rec.calls[0].version or 1  # functions of a name in a line share their numbers
    return [call.version and call.version - first + 1 for call in rec.calls]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((np.ones(2),), (np.ones(3),)),
        ((jnp.ones(2, "float32"),), (jnp.ones(2, "int32"),)),
        ((jnp.ones(2), {"a": jnp.ones(3), "b": jnp.ones(1)}), (jnp.ones(2), {"a": jnp.ones(3), "b": jnp.ones(2)})),
        ((jnp.ones(2), "mean"), (jnp.ones(2), "sum")),
        ((jnp.asarray(1.0) * 1, 2), (jnp.ones((), "int32"), 2)),
        (([jnp.ones(1)],), ([jnp.ones(1), jnp.ones(1)],)),
    ],
)
def test_a_hit_says_which_version_it_ran(first: tuple[Any, ...], second: tuple[Any, ...]) -> None:
    step = jitviz.filter_jit(lambda *given: total(*given))
    calls = [first, first, second, first, second, second, first]
    assert ran(step, calls) == [1, 1, 2, 1, 2, 2, 1]


def test_it_is_known_of_a_module_and_a_method_whose_arrays_come_first() -> None:
    class Layer(eqx.Module):
        w: Any

        @jitviz.filter_jit
        def apply(self, x: Any) -> Any:
            return self.w * x.sum()

    layer = Layer(jnp.ones(3))
    calls = [(jnp.ones(size),) for size in (2, 4, 2, 2, 4)]
    assert ran(layer.apply, calls) == [1, 2, 1, 1, 2]
    module = jitviz.filter_jit(jax.tree_util.Partial(lambda w, x: w * x.sum(), jnp.ones(3)))
    assert ran(module, calls) == [1, 2, 1, 1, 2]


def test_it_is_known_of_equinox_where_a_positional_array_decides() -> None:
    class Model(eqx.Module):
        w: Any

        def __call__(self, x: Any) -> Any:
            return self.w * x.sum()

    model = Model(jnp.ones(3))
    step = eqx.filter_jit(lambda model, x, flag=True: model(x))
    calls = [(model, jnp.ones(size)) for size in (2, 4, 2, 2, 4)]
    assert ran(step, calls) == [1, 2, 1, 1, 2]
    other = eqx.filter_jit(lambda model, x, flag=True: model(x) + 1)
    assert ran(other, [(model, jnp.ones(2), flag) for flag in (True, False, True, False)]) == [1, 2, None, None]
    assert ran(eqx.filter_jit(model), [call[1:] for call in calls]) == [1, 2, 1, 1, 2]


def test_where_no_leaf_decides_it_is_not_said() -> None:
    x, device = jnp.ones(2), jax.devices()[0]
    step = jitviz.filter_jit(lambda x: x * 3)
    assert ran(step, [(x,), (jax.device_put(x, device),), (x,)])[2] in (None, 1)


@pytest.mark.parametrize("jit", [jitviz.filter_jit, eqx.filter_jit])
def test_whatever_is_passed_no_version_is_wrong(jit: Any) -> None:
    random = Random(7)
    described = list(product((1, 2, 3), ("float32", "int32"), (1, 2, 3), ("a", "b")))
    choices = [(jnp.ones(n, kind), np.ones(m, "float32"), word) for n, kind, m, word in described]
    chosen = [random.randrange(12 if number < 40 else len(choices)) for number in range(160)]
    step = jit(lambda *given: total(*given))
    versions = ran(step, [choices[number] for number in chosen])
    of: dict[int, int | None] = {}
    for number, version in zip(chosen, versions, strict=True):
        assert version in (None, of.setdefault(number, version))
    assert sum(version is not None for version in versions) >= len(of)
