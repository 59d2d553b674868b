import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.config import enable_x64  # public from jax 0.8 on

from jitviz.jaxcompat import caches, jits

from .watching import fresh


def test_a_function_is_found_by_the_name_that_jax_notes() -> None:
    step = fresh()
    step(np.ones(3))
    info = jits.source_info_in(jits.jit_info(step))
    assert caches.functions_with_traces(info)[-1] is jits.jitted_function(step)
    assert caches.functions_with_traces("nothing at nowhere.py:1") == []


def test_functions_with_traces_are_known() -> None:
    step, other = fresh(), eqx.filter_jit(lambda x: x + 2)
    step(1.0)
    other(jnp.ones(1))
    filled = caches.functions_with_traces()
    assert any(found is step.__wrapped__ for found in filled)
    assert any(found is other.__wrapped__ for found in filled)
    assert not any(found is fresh().__wrapped__ for found in filled)


def test_traces_are_counted() -> None:
    step = fresh()
    before = caches.traces_made()
    assert (before is None) == (jax.__version_info__ < (0, 9))
    step(np.ones(2))
    step(np.ones(3))
    assert caches.trace_count(step) == 2
    made = caches.traces_made()
    step(np.ones(3))
    assert before is None or (made is not None and made - before >= 2)
    assert caches.traces_made() == made


def test_clearing_a_cache_is_seen_once() -> None:
    probe = caches.ClearedProbe()
    step = fresh()
    step(1.0)
    assert probe.look() == ""
    jax.clear_caches()
    assert [probe.look(), probe.look()] == ["all", ""]
    step(1.0)
    step.clear_cache()
    assert [probe.look(), probe.look()] == ["function", ""]


CONTEXTS = {
    "enable_x64": lambda: enable_x64(True),
    "debug_nans": lambda: jax.debug_nans(True),
    "checking_leaks": jax.checking_leaks,
    "default_matmul_precision": lambda: jax.default_matmul_precision("float32"),
    "mesh": lambda: jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((1,), ("data",))),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_looking_inside_a_context_is_not_clearing(name: str) -> None:
    probe = caches.ClearedProbe()
    with CONTEXTS[name]():
        inside = [probe.look(), probe.look()]
    assert [*inside, probe.look()] == ["", "", ""]


@pytest.mark.parametrize("name", CONTEXTS)
def test_clearing_is_seen_under_any_context(name: str) -> None:
    probe = caches.ClearedProbe()
    with CONTEXTS[name]():
        jax.clear_caches()
        inside = probe.look()
        fresh().clear_cache()
    assert (inside, probe.look()) == ("all", "function")
