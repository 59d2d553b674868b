from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import compilation_cache, distributed
from jax.experimental.layout import Format, Layout

from jitviz.jaxcompat import devices


def test_devices_of_a_sharding_are_in_its_order() -> None:
    assert devices.devices_of(jnp.ones(1).sharding) == [jax.devices()[0]]
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
    abstract = jax.sharding.NamedSharding(mesh.abstract_mesh, jax.sharding.PartitionSpec())
    assert devices.devices_of(abstract) == []


def test_the_text_of_a_partition_has_its_reduced_and_unreduced_axes() -> None:
    spec = jax.sharding.PartitionSpec
    assert devices.partition_text(spec("x", None, ("y", "z"))) == "('x', None, ('y', 'z'))"
    assert devices.partition_text(spec(None, reduced={"x"})) == "(reduced={'x'})"
    assert devices.partition_text(spec(None, unreduced={"y", "x"})).startswith("(unreduced={'x', 'y'}")


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
        text: [one for one in specs if devices.partition_text(one, mesh) == text] for text, specs in texts.items()
    }


def test_a_partition_has_the_axes_of_each_dimension() -> None:
    spec = jax.sharding.PartitionSpec
    assert devices.partition_of(spec("x", None, ("y", "z"))) == (("x",), (), ("y", "z"))
    assert devices.partition_of(spec(None, reduced={"x"})) is None
    assert devices.partition_of("x") is None


def test_the_tiles_and_the_memory_of_a_sharding_are_known() -> None:
    place = jnp.ones(1).sharding
    assert devices.tiles_text(place, 1) == "{replicated}"
    assert devices.tiles_text(object(), 1) == ""
    assert devices.is_default_memory(place)
    assert not devices.is_default_memory(place.with_memory_kind("pinned_host"))


def test_a_layout_that_is_not_row_major_has_a_text() -> None:
    array = jnp.ones((2, 3))
    assert devices.layout_of(array) == ""
    layout = Format(Layout(major_to_minor=(1, 0)), array.sharding)
    assert devices.layout_of(jax.device_put(array, layout)) == "major_to_minor=(1, 0)"


def test_arrays_that_differ_only_in_their_values_have_one_key() -> None:
    array, gone = jnp.ones((2, 3)), jnp.ones((2, 3))
    gone.delete()
    turned = jax.device_put(array, Format(Layout(major_to_minor=(1, 0)), array.sharding))
    others = [turned, jax.device_put(array, jax.devices()[0]), jnp.ones((3, 2)), np.ones((2, 3)), gone, 1.0]
    assert devices.facts_key(array) == devices.facts_key(jnp.zeros((2, 3))) is not None
    assert devices.facts_key(array) not in map(devices.facts_key, others)


def test_a_process_knows_its_index(monkeypatch: pytest.MonkeyPatch) -> None:
    assert devices.process_index() is None
    monkeypatch.setattr(distributed, "global_state", SimpleNamespace(client=object(), process_id=1))
    assert devices.process_index() == 1


def test_the_backend_in_use_is_named() -> None:
    jnp.ones(1)
    assert devices.backend_name() == "cpu"


def test_arrays_of_jax_have_one_class() -> None:
    assert type(jnp.ones(1)) is type(jax.device_put(np.ones(1))) is devices.ArrayImpl


def test_a_process_without_a_disk_cache_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation_cache, "_cache", None)
    assert devices.kept_on_disk_from_s() is None
    monkeypatch.setattr(compilation_cache, "_cache", object())
    assert devices.kept_on_disk_from_s() == 1.0


def test_flags_are_a_digest_that_does_not_depend_on_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for flags in ("", "--a=/home/me --b", "--b --a=/home/me"):
        monkeypatch.setenv("XLA_FLAGS", flags)
        seen.append(dict(devices.disk_key_of_process())["XLA_FLAGS"])
    assert seen[0] == "none"
    assert seen[1] == seen[2] != "none"
    assert "home" not in seen[1]


def test_the_key_has_the_version_of_jaxlib() -> None:
    assert dict(devices.disk_key_of_process())["jaxlib"][0].isdigit()
