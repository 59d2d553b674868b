from typing import Any

import jax
import numpy as np
import pytest
from jax._src.config import enable_x64  # public from jax 0.8 on

from jitviz.jaxcompat import contexts
from jitviz.model.cachekey import CONCRETE_MESH


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("jax_enable_x64", lambda: enable_x64(True)),
        ("jax_default_matmul_precision", lambda: jax.default_matmul_precision("float32")),
        ("jax_numpy_rank_promotion", lambda: jax.numpy_rank_promotion("raise")),
        ("jax_numpy_dtype_promotion", lambda: jax.numpy_dtype_promotion("strict")),
        ("jax_default_device", lambda: jax.default_device(jax.devices()[0])),
        ("jax_disable_jit", lambda: jax.disable_jit()),
        ("jax_threefry_partitionable", lambda: jax.threefry_partitionable(False)),
        ("mesh_context_manager", lambda: jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))),
    ],
)
@pytest.mark.filterwarnings("ignore:.with mesh:DeprecationWarning")
def test_a_setting_is_found_under_its_name(name: str, setting: Any) -> None:
    before = dict(contexts.trace_context())
    with setting():
        during = dict(contexts.trace_context())
    changed = [key for key in before if before[key] != during[key]]
    assert name in changed
    assert len(changed) <= 2  # a mesh has an abstract one beside it
    assert not any(key.startswith("trace_context[") for key in before)


def test_the_mesh_of_the_context_has_its_devices() -> None:
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    assert contexts.mesh_text(contexts.trace_context()[-1][1]) == "empty"
    with jax.set_mesh(mesh):
        assert contexts.trace_context()[-1] == (CONCRETE_MESH, mesh)


def test_the_text_of_a_mesh_has_its_axes_and_devices() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
    assert contexts.mesh_text(mesh) == "Mesh(data=1 auto) of cpu:0"
    assert contexts.mesh_text(mesh.abstract_mesh) == "AbstractMesh(data=1 auto) of cpu"
    assert contexts.mesh_text((mesh,)) == "Mesh(data=1 auto) of cpu:0"
    assert contexts.mesh_text(()) == contexts.mesh_text(None) == "none"
    assert contexts.mesh_text(jax.sharding.AbstractMesh((), ())) == "empty"
    bare = jax.sharding.AbstractMesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    assert contexts.mesh_text(bare) == "AbstractMesh(data=1 auto)"


def test_the_text_of_named_axes_has_their_sizes() -> None:
    seen: list[str | None] = []

    def look(x: Any) -> Any:
        seen.extend(filter(None, (contexts.axis_env_text(*setting) for setting in contexts.trace_context())))
        return x

    look(1.0)
    jax.vmap(look, axis_name="batch")(np.ones(4))
    assert seen == ["none", "batch=4"]
    assert contexts.axis_env_text("jax_enable_x64", True) is None


def test_a_thread_knows_whether_jax_checks_its_traces_for_leaks() -> None:
    assert not contexts.checks_leaks()
    with jax.checking_leaks():
        assert contexts.checks_leaks()
