from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import distributed
from jax.experimental.layout import Format, Layout

from jitviz.jaxcompat import devices


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
