from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jitviz.jaxcompat import shardings
from jitviz.model import Placement


def test_devices_of_a_sharding_are_in_its_order() -> None:
    assert shardings.devices_of(jnp.ones(1).sharding) == [jax.devices()[0]]
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
    abstract = jax.sharding.NamedSharding(mesh.abstract_mesh, jax.sharding.PartitionSpec())
    assert shardings.devices_of(abstract) == []


def test_the_text_of_a_partition_has_its_reduced_and_unreduced_axes() -> None:
    spec = jax.sharding.PartitionSpec
    assert shardings.partition_text(spec("x", None, ("y", "z"))) == "('x', None, ('y', 'z'))"
    assert shardings.partition_text(spec(None, reduced={"x"})) == "(reduced={'x'})"
    assert shardings.partition_text(spec(None, unreduced={"y", "x"})).startswith("(unreduced={'x', 'y'}")


def test_the_text_of_a_partition_leaves_out_what_splits_nothing() -> None:
    spec, kinds = jax.sharding.PartitionSpec, jax.sharding.AxisType
    mesh = jax.sharding.AbstractMesh((4, 1, 1), ("d", "e", "f"), axis_types=(kinds.Auto, kinds.Auto, kinds.Explicit))
    texts = {
        "()": [spec(), spec(None, None), spec("e"), spec((), None), spec(("e",))],
        "('d')": [spec("d"), spec("d", None), spec(("d",)), spec("d", "e"), spec(("e", "d"), ())],
        "(None, 'd')": [spec(None, "d"), spec("e", "d", None)],
        "('d', 'f')": [spec("d", "f"), spec(("d", "e"), "f", "e")],
    }
    assert texts == {
        text: [one for one in specs if shardings.partition_text(one, mesh) == text] for text, specs in texts.items()
    }


def test_the_place_of_an_array_has_its_devices_and_the_axes_of_each_dimension() -> None:
    spec, kinds = jax.sharding.PartitionSpec, jax.sharding.AxisType
    mesh = jax.sharding.AbstractMesh((4, 2), ("x", "y"), axis_types=(kinds.Auto, kinds.Explicit))
    assert shardings.axes_text(mesh) == "x=4 auto, y=2 explicit"

    def placed(*parts: Any, **axes: Any) -> Placement | None:
        return shardings.placement_of(jax.sharding.NamedSharding(mesh, spec(*parts, **axes)))

    assert placed(None, ("x", "y")) == Placement((), (("x", 4, "Auto"), ("y", 2, "Explicit")), ((), ("x", "y")))
    assert placed(None, reduced={"y"}) is None
    here = jnp.ones(1).sharding
    assert shardings.placement_of(here) == Placement(("cpu:0",))
    assert shardings.placement_of(here.with_memory_kind("pinned_host")) is None


def test_the_text_of_a_sharding_has_its_devices_its_memory_and_its_layout() -> None:
    here = jnp.ones(1).sharding
    assert shardings.sharding_text(here) == "cpu:0"
    assert shardings.sharding_text(here.with_memory_kind("pinned_host")) == "cpu:0 in pinned_host"
    assert shardings.sharding_text(here, "major_to_minor=(1, 0)") == "cpu:0, layout major_to_minor=(1, 0)"
