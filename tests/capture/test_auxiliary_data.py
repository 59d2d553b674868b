"""Auxiliary data in treedefs, and values that NNX always traces."""

import collections
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

import jitviz
from jitviz.model import Compile

JITS: dict[str, Callable[..., Any]] = {"jax.jit": jax.jit, "nnx.jit": nnx.jit}


def compiles(jit: Callable[..., Any], *calls: Any) -> list[Compile]:
    """What a new function compiles for these arguments, one call each."""

    def step(tree: Any, *others: Any) -> int:
        return 0

    jitted = jit(step)
    with jitviz.record() as rec:
        for call in calls:
            jitted(*call) if type(call) is tuple else jitted(call)
    assert rec.facts.failures == []
    return list(rec.compiles)


def causes(jit: Callable[..., Any], *calls: Any) -> list[tuple[str, str]]:
    """(kind, path) of the first reason of each but the first."""
    return [(made.reasons[0].kind, made.reasons[0].path) for made in compiles(jit, *calls)[1:]]


class Holder(nnx.Module):
    def __init__(self, **held: Any) -> None:
        for name, part in held.items():
            setattr(self, name, part)


@pytest.mark.parametrize("jit", list(JITS))
def test_the_value_of_a_variable_is_traced_whatever_it_is(jit: str) -> None:
    values = (2.0, 3.0, jnp.ones(()), True)
    alone = [nnx.Variable(value) for value in values]
    held = [Holder(v=nnx.Param(value)) for value in values]
    assert causes(JITS[jit], *alone) == [("weak_type", "tree"), ("dtype", "tree")]
    assert causes(JITS[jit], *held) == [("weak_type", "tree.v"), ("dtype", "tree.v")]


@pytest.mark.parametrize("jit", list(JITS))
def test_the_metadata_of_a_variable_is_part_of_the_treedef(jit: str) -> None:
    models = [Holder(v=nnx.Param(jnp.ones(3), **noted)) for noted in ({}, {"tag": "a"}, {"tag": "b"})]
    assert causes(JITS[jit], *models) == [("treedef", "tree.v.tag"), ("static_value", "tree.v.tag")]


@pytest.mark.skipif(not hasattr(nnx, "List"), reason="flax 0.11 has no lists")
def test_static_values_of_a_graphdef_have_their_names_in_the_model() -> None:
    """The graphs of NNX are two flat lists; their places would tell nobody anything."""

    def model(act: Any = jax.nn.relu, rate: float = 0.5, noted: str = "a") -> Holder:
        parts = nnx.List([nnx.Dropout(0.1), Holder(rate=rate)])
        return Holder(act=act, parts=parts, w=nnx.Param(jnp.ones(3), tag=noted), shared=parts[0])

    models = model(), model(jax.nn.gelu), model(rate=0.2), model(noted="b"), Tied()
    found = compiles(jax.jit, *map(nnx.graphdef, models))[1:]
    assert [(one.reasons[0].path, one.reasons[0].before, one.reasons[0].after) for one in found[:3]] == [
        ("tree.act", "jax.nn.relu", "jax.nn.gelu"),
        ("tree.parts[1].rate", "0.5", "0.2"),
        ("tree.w.tag", "'a'", "'b'"),
    ]
    (whole,) = found[3].reasons
    assert (whole.path, whole.after) == ("tree", "Tied(b=Param(), rate=Variable(), w=Param())")


@pytest.mark.skipif(not hasattr(nnx, "List"), reason="flax 0.11 has no lists")
@pytest.mark.parametrize("jit", list(JITS))
def test_a_shared_object_has_its_shortest_path(jit: str) -> None:
    def shared(size: int) -> Any:
        weight = nnx.Param(jnp.ones(size))
        return Holder(w=weight, a=nnx.List([weight]), b=weight)

    first, second = compiles(JITS[jit], shared(3), shared(4))
    assert [(reason.kind, reason.path) for reason in second.reasons] == [("shape", "tree.w")]
    kinds = {node.path: node.type for node in first.signature.nodes if node.path != "tree"}
    assert (kinds["tree.a[0]"], kinds["tree.b"]) == ("shared with tree.w", "shared with tree.w")


class Tied(nnx.Module):
    def __init__(self) -> None:
        self.rate = nnx.Variable(2.0)
        self.w = nnx.Param(jnp.ones(2))
        self.b = self.w


def test_a_shared_object_keeps_its_path_when_nnx_updates_its_owner() -> None:
    model = Tied()
    step = nnx.jit(lambda model: model.w[...] * model.rate[...])
    with jitviz.record(sample=False) as rec:
        step(model)
        model.rate = nnx.Variable(jnp.asarray(2, jnp.int32))
        step(model)
    assert [[leaf.path for leaf in made.signature.traced] for made in rec.compiles] == [["model.w", "model.rate"]] * 2
    assert rec.compiles[1].reasons[0].path == "model.rate"


def test_an_object_that_is_an_argument_has_the_name_of_the_argument() -> None:
    models = [Holder(w=nnx.Param(jnp.ones(size))) for size in (3, 4)]
    calls = [(Holder(inner=model), model) for model in models]
    assert causes(nnx.jit, *calls) == [("shape", "others[0].w")]


@pytest.mark.skipif(not hasattr(nnx, "List"), reason="flax 0.11 has no lists")
def test_lists_of_more_than_ten_keep_their_order() -> None:
    first, second = compiles(
        nnx.jit, *(nnx.List([nnx.Param(jnp.ones(1 + (at == place))) for at in range(12)]) for place in (12, 10))
    )
    assert [leaf.path for leaf in first.signature.traced] == [f"tree[{place}]" for place in range(12)]
    assert second.reasons[0].path == "tree[10]"


def test_a_default_factory_is_part_of_the_treedef() -> None:
    dicts = [collections.defaultdict(factory, a=1.0) for factory in (list, int)]
    assert causes(jax.jit, *dicts) == [("static_value", "tree.default_factory")]


@jax.tree_util.register_pytree_node_class
class Worked:
    """Its auxiliary data is worked out of an attribute, and is no attribute itself."""

    def __init__(self, x: Any, mode: int) -> None:
        self.x, self.mode = x, mode

    def tree_flatten(self) -> tuple[tuple[Any], tuple[str]]:
        return (self.x,), (f"mode {self.mode}",)

    @classmethod
    def tree_unflatten(cls, aux: tuple[str], children: tuple[Any]) -> "Worked":
        return cls(children[0], int(aux[0].split()[1]))


def test_auxiliary_data_that_is_not_an_attribute_is_below_its_node() -> None:
    (_, second) = compiles(jax.jit, [{"k": Worked(1.0, 2)}], [{"k": Worked(1.0, 3)}])
    (reason,) = second.reasons
    assert (reason.kind, reason.path) == ("static_value", "tree[0]['k']")
    assert (reason.before, reason.after) == ("'mode 2'", "'mode 3'")


@jax.tree_util.register_pytree_node_class
class Noted:
    """Its notes go into the treedef in another form than it holds them in."""

    def __init__(self, data: Any, notes: dict[str, Any]) -> None:
        self.data, self.notes = data, notes

    def tree_flatten(self) -> tuple[Any, Any]:
        return (self.data,), tuple(sorted(self.notes.items()))

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> "Noted":
        return cls(children[0], dict(aux))


def test_parts_of_an_attribute_are_shown_if_the_attribute_is_not() -> None:
    noted = [Noted(jnp.ones(2), {"epoch": epoch, "name": "a"}) for epoch in (4, 5)]
    assert causes(jax.jit, *noted) == [("static_value", "tree")]


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Fields:
    step: Any
    size: int = dataclasses.field(metadata={"static": True})


def test_metadata_equal_to_a_child_is_still_metadata() -> None:
    """Python has one `True` and one `1`: identity does not tell the attribute that holds a child."""
    assert causes(jax.jit, Fields(1, 1), Fields(1.0, 1)) == [("dtype", "tree.step")]


@jax.tree_util.register_pytree_node_class
class Moments:
    def __init__(self, mu: Any, nu: Any) -> None:
        self.mu, self.nu = mu, nu

    def tree_flatten(self) -> tuple[Any, None]:
        return (self.mu, self.nu), None

    @classmethod
    def tree_unflatten(cls, aux: None, children: Any) -> "Moments":
        return cls(*children)


def test_children_that_are_one_object_are_two_attributes() -> None:
    zeros = jnp.zeros(3)
    first, second = compiles(jax.jit, Moments(zeros, zeros), Moments(jnp.ones(4), jnp.zeros(4)))
    assert [leaf.path for leaf in first.signature.traced] == ["tree.mu", "tree.nu"]
    assert [(reason.kind, reason.path) for reason in second.reasons] == [("shape", "tree.mu"), ("shape", "tree.nu")]


@jax.tree_util.register_pytree_node_class
class Layer:
    """Several attributes may hold one object; which of them it flattens, its code says."""

    def __init__(self, verbose: Any, name: Any, x: Any, cache: Any, train: Any) -> None:
        self.verbose, self.name, self.x, self.cache, self.train = verbose, name, x, cache, train

    def tree_flatten(self) -> tuple[Any, Any]:
        return (self.x, self.cache), (self.train, self.name)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> "Layer":
        return cls(True, aux[1], *children, aux[0])


@pytest.mark.parametrize(
    ("other", "cause"),
    [
        (Layer(False, None, 1.0, None, True), None),
        (Layer(True, None, 1.0, None, False), ("static_value", "tree.train")),
        (Layer(True, "a", 1.0, None, True), ("static_value", "tree.name")),
        (Layer(True, None, 1.0, 2.0, True), ("treedef", "tree.cache")),
    ],
)
def test_of_attributes_that_hold_one_object_those_count_that_are_flattened(other: Layer, cause: Any) -> None:
    assert causes(jax.jit, Layer(True, None, 1.0, None, True), other) == ([] if cause is None else [cause])


@jax.tree_util.register_pytree_node_class
class Twice:
    """An attribute that is flattened twice."""

    flattened = 0

    def __init__(self, x: Any, _: Any = None) -> None:
        self.x = x

    def tree_flatten(self) -> tuple[Any, None]:
        Twice.flattened += 1
        return (self.x, self.x), None

    @classmethod
    def tree_unflatten(cls, aux: None, children: Any) -> "Twice":
        return cls(*children)


def test_an_attribute_that_is_flattened_twice_is_found_twice() -> None:
    step, twice = jax.jit(lambda tree: 0), Twice({"a": jnp.ones(3)})
    before = Twice.flattened
    step(twice)
    plain = Twice.flattened - before
    jax.clear_caches()
    with jitviz.record() as rec:
        step(twice)
    assert Twice.flattened - before == 2 * plain
    assert [leaf.path for leaf in rec.compiles[0].signature.traced] == ["tree.x['a']", "tree.x['a']"]


class Scaled(eqx.Module):
    weight: jax.Array
    power: int = eqx.field(static=True, default=2)

    @functools.cached_property
    def norm(self) -> float:
        return 3.0

    @functools.cached_property
    def rank(self) -> int:
        return 1


@pytest.mark.parametrize("jit", [jax.jit, eqx.filter_jit])
def test_a_cached_property_that_was_read_changes_the_structure_of_an_equinox_module(jit: Callable[..., Any]) -> None:
    step = jit(lambda tree, x: tree)
    model, x = Scaled(jnp.ones(3)), jnp.ones(3)
    with jitviz.record() as rec:
        step(model, x)
        assert model.norm
        made = step(model, x)
        assert model.rank
        step(model, x)  # one more such attribute is no change to JAX
        step(made, jnp.ones(4))
        step(Scaled(jnp.ones(3)), jnp.ones(4))
    assert rec.facts.failures == []
    assert [[(reason.kind, reason.path) for reason in one.reasons] for one in rec.compiles] == [
        [("first", "")],
        [("treedef", "tree")],
        [("shape", "x")],
        [("treedef", "tree")],
    ]
    second, last = rec.compiles[1].reasons[0], rec.compiles[3].reasons[0]
    assert (second.summary, second.advice) == (
        "`tree` gained the attribute `norm`, which is not a field.",
        "If it is a `cached_property`, make it a plain `property`, or read it before every call.",
    )
    assert last.summary == "`tree` lost an attribute that is not a field."
    assert [one.saves for one in rec.findings if one.reason == "treedef"] == [2]
