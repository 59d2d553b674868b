"""`nnx.jit_partial`: the arguments that it binds have the names of their parameters."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

import jitviz

from .samples import SEES_HITS

pytestmark = pytest.mark.skipif(not hasattr(nnx, "jit_partial"), reason="this Flax has no nnx.jit_partial")


class Scale(nnx.Module):
    def __init__(self) -> None:
        self.count = nnx.Variable(jnp.zeros((), jnp.int32))
        self.factor = nnx.Param(jnp.ones(3))


def step(model: Any, x: Any, power: int = 1) -> Any:
    model.count[...] += 1
    return (model.factor * x) ** power


def test_a_call_has_the_bound_arguments_and_its_own() -> None:
    bound = nnx.jit_partial(step, Scale(), graph=False, static_argnums=2)
    with jitviz.record() as rec:
        for x, power in ((np.ones(3), 1), (np.ones((2, 3)), 1), (np.ones((2, 3)), 2), (np.ones((2, 3)), 2)):
            bound(x, power)
    first, *others = rec.compiles
    assert (first.function, first.function_info.api) == ("step", "nnx.jit_partial")
    assert [(leaf.path, leaf.role) for leaf in first.signature.leaves] == [
        ("model.count", "traced"),
        ("model.factor", "traced"),
        ("x", "traced"),
        ("power", "static"),
    ]
    assert [leaf.path for leaf in first.outputs] == ["out", "model.count"]
    assert [(reason.kind, reason.path) for compile_ in others for reason in compile_.reasons] == [
        ("shape", "x"),
        ("static_value", "power"),
    ]
    assert [call.outcome for call in rec.calls] == ["compile"] * 3 + ["hit"] * SEES_HITS
    assert {call.function for call in rec.calls} == {"step"}


def test_what_a_call_would_do_and_how_often_it_was_traced_is_known() -> None:
    bound = nnx.jit_partial(step, Scale(), graph=False)
    assert jitviz.num_traces(bound) == 0
    bound(np.ones(3))
    assert jitviz.num_traces(bound) == 1
    assert jitviz.predict(bound, np.ones(3)).outcome == "hit"
    predicted = jitviz.predict(bound, np.ones(4))
    assert [(reason.kind, reason.path) for reason in predicted.reasons] == [("shape", "x")]


def test_an_argument_with_a_class_that_is_not_nnxs_is_a_list_of_its_leaves() -> None:
    class Pair:
        built = 0

        def __init__(self, first: Any, second: Any) -> None:
            Pair.built += 1
            self.first, self.second = first, second

    jax.tree_util.register_pytree_node(
        Pair, lambda pair: ((pair.first, pair.second), None), lambda _, children: Pair(*children)
    )
    bound = nnx.jit_partial(lambda pair, x: pair.first * x + pair.second, Pair(jnp.ones(3), jnp.zeros(3)), graph=False)
    bound(np.ones(3))
    built = Pair.built
    with jitviz.record() as rec:
        bound(np.ones((2, 3)))
    assert [leaf.path for leaf in rec.compiles[0].signature.leaves] == ["pair[0]", "pair[1]", "x"]
    assert Pair.built == built + 1  # by NNX, in the trace
