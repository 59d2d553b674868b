"""Where an array is, in one text that tells all that the cache key holds of it."""

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.layout import Format, Layout

from jitviz.capture.arguments import arrays
from jitviz.capture.arguments.flattened import Flat, below
from jitviz.capture.arguments.walk import Rows, walk


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ([0, 1, 2, 3], "cpu:0…cpu:3 (4)"),
        ([0, 2, 1, 3], "cpu:0, cpu:2, cpu:1, cpu:3"),
        ([*range(16), 17], "cpu:0…cpu:17 (17) in the order dbf463"),
    ],
)
def test_the_order_of_devices_is_told(ids: list[int], text: str) -> None:
    sharding: Any = SimpleNamespace(_device_assignment=[SimpleNamespace(platform="cpu", id=number) for number in ids])
    assert arrays._devices_text(sharding) == text


def test_of_many_arrays_one_of_each_class_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
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
        alone.alike.clear()
    looks: list[Any] = []
    facts_of = arrays.facts_of
    monkeypatch.setattr(arrays, "facts_of", lambda array: (looks.append(array), facts_of(array))[1])
    together = Rows()
    walk(tree, "tree", "traced", together)
    assert together.leaves == alone.leaves
    assert len(looks) == len({arrays.alike(array) for array in classes}) == len(classes) - 1


def test_a_node_without_leaves_is_known_as_the_call_flattened_it() -> None:
    leaves, treedef = jax.tree.flatten({"a": 1.0, "b": (), "c": 2.0})
    assert [type(inside) for inside in below(Flat.of(treedef, leaves), {}, 3)] == [Flat, Flat, Flat]
    leaves, treedef = jax.tree.flatten({"a": 1.0, "b": 2.0})
    assert below(Flat.of(treedef, leaves), {}, 2) == [None, None]
