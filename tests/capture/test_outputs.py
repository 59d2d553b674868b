"""The containers of outputs. Their leaves are tested in test_programs.py."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox
import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.model import Compile


class Point(NamedTuple):
    x: jax.Array
    rest: Any


def compiled(function: Any, *args: Any) -> Compile:
    with jitviz.record() as rec:
        function(*args)
    assert rec.facts.failures == []
    return rec.compiles[-1]


def nodes(row: Compile) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(node.path, node.type.rpartition(".")[2], node.keys) for node in row.output_nodes]


def model() -> equinox.nn.MLP:
    return equinox.nn.MLP(2, 3, 4, 1, key=jax.random.key(0))


MLP = [
    ("out", "MLP", (".layers", ".activation", ".final_activation")),
    ("out.layers", "tuple", ("[0]", "[1]")),
    ("out.layers[0]", "Linear", (".weight", ".bias")),
    ("out.layers[1]", "Linear", (".weight", ".bias")),
]
NONES = [("out.activation", "NoneType", ()), ("out.final_activation", "NoneType", ())]


@pytest.mark.parametrize(
    "grad",
    [
        lambda loss: jitviz.filter_jit(jitviz.filter_grad(loss)),
        lambda loss: equinox.filter_jit(equinox.filter_grad(loss)),
    ],
    ids=["jitviz", "equinox"],
)
def test_a_gradient_has_the_class_of_its_argument_and_none_for_missing_derivatives(grad: Any) -> None:
    row = compiled(grad(lambda model, x: model(x).sum()), model(), jnp.ones(2))
    assert row.output_transform == "grad"
    assert nodes(row) == [*MLP, *NONES]


@pytest.mark.parametrize("jit", [jitviz.filter_jit, equinox.filter_jit])
def test_static_leaves_of_an_output_are_not_nones(jit: Any) -> None:
    row = compiled(jit(lambda model: model), model())
    assert nodes(row) == MLP
    assert [leaf.path for leaf in row.outputs if leaf.role == "static"] == ["out.activation", "out.final_activation"]


def test_built_in_containers_have_their_own_names() -> None:
    row = compiled(jax.jit(lambda x: Point(x, [None, {"k": x, "n": None}])), jnp.ones(3))
    assert nodes(row) == [
        ("out", "Point", (".x", ".rest")),
        ("out.rest", "list", ("[0]", "[1]")),
        ("out.rest[0]", "NoneType", ()),
        ("out.rest[1]", "dict", ("['k']", "['n']")),
        ("out.rest[1]['n']", "NoneType", ()),
    ]


def test_a_registered_dataclass_has_the_names_of_its_fields() -> None:
    @dataclass
    class State:
        step: Any
        params: Any
        mode: str

    jax.tree_util.register_dataclass(State, ["params", "step"], ["mode"])
    row = compiled(jax.jit(lambda x: {"state": State(x, [x], "fit")}), jnp.ones(3))
    assert nodes(row) == [
        ("out", "dict", ("['state']",)),
        ("out['state']", "State", (".params", ".step")),
        ("out['state'].params", "list", ("[0]",)),
    ]


def test_a_single_array_has_no_nodes() -> None:
    assert nodes(compiled(jax.jit(lambda x: x + 1), jnp.ones(3))) == []


class Counted:
    """Counts how often user code builds it."""

    built = 0

    def __init__(self, x: Any) -> None:
        Counted.built += 1
        self.x = x


def test_no_tree_is_built() -> None:
    jax.tree_util.register_pytree_node(Counted, lambda made: ((made.x,), None), lambda _, parts: Counted(*parts))
    jax.jit(lambda x: {"a": Counted(x)})(jnp.ones(3))
    plain, Counted.built = Counted.built, 0
    row = compiled(jax.jit(lambda x: {"a": Counted(x)}), jnp.ones(3))
    assert Counted.built == plain
    assert nodes(row) == []  # since the names of its parts are unknown
    assert [leaf.shape for leaf in row.outputs] == [(3,)]


def test_mappings_are_named_by_their_keys() -> None:
    row = compiled(jax.jit(lambda x: (defaultdict(list, a=x, b=None), OrderedDict(z=x, y=None))), jnp.ones(3))
    assert nodes(row) == [
        ("out", "tuple", ("[0]", "[1]")),
        ("out[0]", "defaultdict", ("['a']", "['b']")),
        ("out[0]['b']", "NoneType", ()),
        ("out[1]", "OrderedDict", ("['z']", "['y']")),
        ("out[1]['y']", "NoneType", ()),
    ]


class Hidden:
    """Does not tell JAX the names of its parts, so that JAX's path of its leaf differs from the attribute."""

    def __init__(self, x: Any) -> None:
        self.x = x


def test_only_the_leaves_are_shown_if_paths_do_not_agree() -> None:
    jax.tree_util.register_pytree_node(Hidden, lambda hidden: ((hidden.x,), None), lambda _, parts: Hidden(*parts))
    row = compiled(jax.jit(Hidden), jnp.ones(3))
    assert nodes(row) == []
    assert [leaf.shape for leaf in row.outputs] == [(3,)]


class Table(dict[str, Any]):
    """A mapping registered without its keys as auxiliary data."""


def test_a_mapping_registered_without_keys_hides_nothing_else() -> None:
    jax.tree_util.register_pytree_node(
        Table, lambda table: (tuple(table.values()), None), lambda _, parts: Table(zip("ab", parts, strict=True))
    )
    row = compiled(jax.jit(lambda x, unused: Table(a=x, b=-x)), jnp.ones(3), jnp.ones(2))
    assert nodes(row) == []
    assert row.dropped == ("unused",)


@jax.jit
def scores(x: Any, w: Any) -> Any:
    return {"score": jnp.sum(jnp.tanh(w @ x)), "size": w.sum()}


TRANSFORMED = {
    "batched": (lambda x, w: jax.vmap(scores, (None, 0))(x, w), ["out['score']: f32[7]", "out['size']: f32[7]"]),
    "with tangents": (
        lambda x, w: jax.jvp(lambda x: scores(x, w[0]), (x,), (x,)),
        ["out['score']: f32[]", "out['size']: f32[]", "more[0]: f32[]"],
    ),
}


@pytest.mark.parametrize(("call", "outputs"), TRANSFORMED.values(), ids=TRANSFORMED)
def test_the_outputs_of_a_transformed_program_are_those_that_it_has(call: Any, outputs: list[str]) -> None:
    row = compiled(call, jnp.ones(3), jnp.ones((7, 5, 3)))
    assert [f"{leaf.path}: {leaf.repr}" for leaf in row.outputs] == outputs
    assert sum(leaf.nbytes for leaf in row.outputs) <= row.memory.output  # type: ignore[union-attr]


def test_the_outputs_of_a_forward_program_are_followed_by_what_the_backward_pass_needs() -> None:
    with jitviz.record() as rec:
        jax.grad(lambda x: scores(x, jnp.ones((5, 3)))["score"])(jnp.ones(3))
    (row,) = (row for row in rec.compiles if row.function == "scores" and row.transform.startswith("linearize"))
    paths = [leaf.path for leaf in row.outputs]
    assert paths == ["out['score']", "out['size']", *(f"more[{place}]" for place in range(len(paths) - 2))]
    assert len(paths) == len(json.loads(row.equations or "")["outputs"])
