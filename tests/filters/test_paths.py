import enum
from collections import namedtuple
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.tree_util import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey, tree_flatten_with_path

from jitviz.filters import filter_grad, filter_jit
from jitviz.filters.key_paths import function_path, user_path
from jitviz.filters.methods import Bound
from jitviz.filters.refusals import named_leaves

from .samples import Linear

Pair = namedtuple("Pair", ["left", "right"])


class Colour(enum.Enum):
    RED = 1


class Loud(str):
    def __repr__(self) -> str:
        raise AssertionError("a user's repr is never called")


class LoudKey:
    def __str__(self) -> str:
        raise AssertionError("a user's str is never called")


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ((), "model"),
        ((GetAttrKey("layers"), SequenceKey(0), GetAttrKey("weight")), "model.layers[0].weight"),
        ((DictKey("k"),), "model['k']"),
        ((DictKey(3), DictKey(True), DictKey((None,))), "model[3][True][(None,)]"),
        ((DictKey(("a", 1)), DictKey((2,))), "model[('a', 1)][(2,)]"),
        ((DictKey(Colour.RED),), "model[Colour.RED]"),
        ((DictKey(Loud("x")),), "model[<Loud>]"),
        ((FlattenedIndexKey(2),), "model[<flat index 2>]"),
        ((LoudKey(),), "model[<LoudKey>]"),
    ],
)
def test_a_path_has_the_spelling_of_python(keys: Any, path: str) -> None:
    assert user_path("model", keys) == path


def test_a_path_without_a_root_starts_at_its_first_key() -> None:
    assert user_path("", (GetAttrKey("weight"),)) == "weight"
    assert user_path("", (SequenceKey(0),)) == "[0]"


def test_paths_are_in_the_order_of_the_leaves() -> None:
    arguments = {"model": Linear(jnp.ones(1)), "args": (1, [2]), "state": Pair(1, None), "d": {"b": 1, "a": 2}}
    assert [path for path, _ in named_leaves(arguments)] == [
        "model.weight",
        "model.activation",
        "args[0]",
        "args[1][0]",
        "state.left",
        "d['a']",
        "d['b']",
    ]


@pytest.mark.parametrize(
    ("fun", "paths"),
    [
        (filter_jit(Linear(1)), ["f.weight", "f.activation"]),  # type: ignore[arg-type]
        (filter_jit(filter_grad(Linear(1))), ["f.weight", "f.activation"]),  # type: ignore[arg-type]
        (Bound(jax.nn.relu, Linear(1)), ["f", "self.weight", "self.activation"]),  # type: ignore[arg-type]
    ],
)
def test_paths_in_a_function_omit_the_steps_through_wrappers(fun: Any, paths: list[str]) -> None:
    assert [function_path("f", keys) for keys, _ in tree_flatten_with_path(fun)[0]] == paths
