"""Arrays: their facts, read once per kind of array, and the text of their devices."""

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.layout import Format, Layout

from jitviz.capture.arguments import array_facts
from jitviz.capture.arguments.flattened import Flat, below
from jitviz.capture.arguments.walk import Rows, walk
from jitviz.jaxcompat import shardings
from jitviz.model.quantities import array_type


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ([0, 1, 2, 3], "cpu:0…cpu:3 (4)"),
        ([0, 2, 1, 3], "cpu:0, cpu:2, cpu:1, cpu:3"),
        ([*range(16), 17], "cpu:0…cpu:17 (17) in the order dbf463"),
    ],
)
def test_devices_out_of_order_show_their_order(ids: list[int], text: str) -> None:
    sharding: Any = SimpleNamespace(_device_assignment=[SimpleNamespace(platform="cpu", id=number) for number in ids])
    assert shardings._devices_text(sharding) == text


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float32", "uint8", "int4", "bool"])
def test_a_dtype_is_shortened_as_jax_shortens_it(dtype: str) -> None:
    aval = jax.typeof(jnp.zeros(2, dtype))
    assert array_type(dtype, (2,)) == aval.str_short(short_dtypes=True)


def test_the_facts_of_many_arrays_are_read_once_for_each_key(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.ones((2, 3), np.float32)
    columns = Format(Layout(major_to_minor=(1, 0)), jax.device_put(rows).sharding)
    classes = [
        *(rows, rows[0], rows.astype(np.int32), jnp.ones((2, 3)), jnp.ones(3), jnp.asarray(1.0), jnp.asarray(rows[0])),
        *(jax.device_put(rows, jax.devices()[0]), jax.device_put(rows, columns)),
    ]
    tree = {"many": [array.copy() if isinstance(array, np.ndarray) else array for array in classes for _ in range(9)]}
    alone = Rows()
    for place, array in enumerate(tree["many"]):
        walk(array, f"tree['many'][{place}]", "traced", alone)
        alone.facts.clear()
    keys, looks = list[Any](), list[Any]()
    facts_key, facts_of = array_facts.facts_key, array_facts.facts_of
    monkeypatch.setattr(array_facts, "facts_key", lambda array: (keys.append(array), facts_key(array))[1])
    monkeypatch.setattr(array_facts, "facts_of", lambda array: (looks.append(array), facts_of(array))[1])
    together = Rows()
    walk(tree, "tree", "traced", together)
    assert together.leaves == alone.leaves
    assert len(looks) == len({facts_key(array) for array in classes}) == len(classes) - 1
    assert len(keys) == len([tree, tree["many"], *tree["many"]])


def test_only_a_node_whose_children_are_all_leaves_needs_no_flat_children() -> None:
    leaves, treedef = jax.tree.flatten({"a": 1.0, "b": (), "c": 2.0})
    assert [type(inside) for inside in below(Flat.of(treedef, leaves), {}, 3)] == [Flat, Flat, Flat]
    leaves, treedef = jax.tree.flatten({"a": 1.0, "b": 2.0})
    assert below(Flat.of(treedef, leaves), {}, 2) == [None, None]
