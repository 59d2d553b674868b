"""The program of a compile: phases, texts, outputs, cost, memory, and the inputs that are dropped or reused."""

import gc
import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.compilation_cache import compilation_cache

import jitviz
from jitviz.capture.programs import reading as programs
from jitviz.model import Compile, Cost

from .samples import JITS, affine

X = np.ones(3, np.float32)


def compiled(run: Any) -> Compile:
    """The only compile that `run` causes."""
    with jitviz.record() as rec:
        run()
    assert rec.facts.failures == []
    (compile_,) = rec.compiles
    return compile_


@pytest.mark.parametrize("api", list(JITS))
def test_a_compile_has_its_three_texts(api: str) -> None:
    def double(x: Any) -> Any:
        return x * 2.0

    compile_ = compiled(lambda: JITS[api](double)(X))
    assert "mul" in (compile_.jaxpr or "")
    assert "stablehlo.multiply" in (compile_.stablehlo or "")
    assert (compile_.hlo or "").startswith("HloModule jit_double")


def test_the_jaxpr_shows_unused_inputs_and_the_hlo_does_not() -> None:
    compile_ = compiled(lambda: jax.jit(lambda used, unused: used + 1)(X, np.ones(7, np.float32)))
    assert "f32[7]" in (compile_.jaxpr or "")
    assert "f32[7]" not in (compile_.hlo or "f32[7]")
    assert compile_.dropped == ("unused",)


def test_a_compile_without_a_trace_has_its_jaxpr_from_lowering() -> None:
    step = jax.jit(lambda x: x * 5.0)
    step(X)
    compile_ = compiled(lambda: step(jax.device_put(X, jax.devices()[0])))
    assert [phase.name for phase in compile_.phases] == ["lower", "compile"]
    assert "mul" in (compile_.jaxpr or "")


def test_texts_outlive_the_function_and_the_caches() -> None:
    def run() -> None:
        def gone(x: Any) -> Any:
            return x - 1.0

        jax.jit(gone)(X)

    compile_ = compiled(run)
    gc.collect()
    jax.clear_caches()
    assert (compile_.hlo or "").startswith("HloModule jit_gone")
    assert compile_.stablehlo is not None
    assert compile_.jaxpr is not None


def test_texts_do_not_contain_the_values_of_large_constants() -> None:
    table = np.arange(10_000, dtype=np.float32) + 0.5
    compile_ = compiled(lambda: jax.jit(lambda x: x + jnp.asarray(table).sum())(X))
    assert 0 < len(compile_.jaxpr or "") < 1000


def test_cost_and_memory_are_those_of_xla() -> None:
    compile_ = compiled(lambda: jax.jit(lambda x: x * 2.0)(X))
    assert compile_.cost is not None
    assert (compile_.cost.flops, compile_.cost.bytes_accessed) == (3.0, 24.0)
    assert compile_.memory is not None
    assert (compile_.memory.argument, compile_.memory.output) == (12, 12)


@pytest.mark.parametrize("unknown", [None, -1.0, math.nan, math.inf])
def test_an_unknown_cost_is_none(unknown: float | None) -> None:
    assert programs._cost({"flops": unknown, "bytes accessed": 24}) == Cost(flops=None, bytes_accessed=24.0)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x, ["out"]),
        (lambda x: (x, [x, x]), ["out[0]", "out[1][0]", "out[1][1]"]),
        (lambda x: {"loss": x, "aux": {"n": x}}, ["out['aux']['n']", "out['loss']"]),
        (lambda x: None, []),
    ],
)
@pytest.mark.parametrize("api", list(JITS))
def test_outputs_have_the_paths_of_the_return_value(api: str, function: Any, expected: list[str]) -> None:
    def own(x: Any) -> Any:
        return function(x)

    compile_ = compiled(lambda: JITS[api](own)(X))
    assert [leaf.path for leaf in compile_.outputs if leaf.role == "traced"] == expected
    assert all(leaf.dtype == "float32" and leaf.shape == (3,) for leaf in compile_.outputs if leaf.role == "traced")


@pytest.mark.parametrize("api", ["equinox.filter_jit", "jitviz.filter_jit"])
def test_static_outputs_are_shown_as_they_are_returned(api: str) -> None:
    compile_ = compiled(lambda: JITS[api](lambda x: {"n": 3, "x": x})(X))
    assert [(leaf.path, leaf.role, leaf.repr) for leaf in compile_.outputs] == [
        ("out['x']", "traced", "f32[3]"),
        ("out['n']", "static", "3"),
    ]


@pytest.mark.parametrize(
    ("transform", "wrap", "expected"),
    [
        ("grad", lambda loss: jax.jit(jax.grad(loss)), ["out.weight", "out.bias"]),
        ("value_and_grad", lambda loss: jax.jit(jax.value_and_grad(loss)), ["out[0]", "out[1].weight", "out[1].bias"]),
        ("grad", lambda loss: eqx.filter_jit(eqx.filter_grad(loss)), ["out.weight", "out.bias"]),
        ("grad", lambda loss: jitviz.filter_jit(jitviz.filter_grad(loss)), ["out.weight", "out.bias"]),
        (
            "value_and_grad",
            lambda loss: jitviz.filter_jit(jitviz.filter_value_and_grad(loss)),
            ["out[0]", "out[1].weight", "out[1].bias"],
        ),
    ],
)
def test_gradients_are_shown_as_a_tree_like_the_first_argument(transform: str, wrap: Any, expected: list[str]) -> None:
    def loss(model: Any) -> Any:
        return jnp.sum(model.weight * model.bias)

    model = eqx.tree_at(lambda model: model.activation, affine(), None)
    compile_ = compiled(lambda: wrap(loss)(model))
    assert compile_.output_transform == transform
    assert [leaf.path for leaf in compile_.outputs if leaf.role == "traced"] == expected


def test_the_outputs_of_vmap_name_their_transform() -> None:
    compile_ = compiled(lambda: jax.jit(jax.vmap(lambda x: x * 2))(X))
    assert (compile_.output_transform, compile_.outputs[0].repr) == ("vmap", "f32[3]")


def test_inputs_are_dropped_and_reused_under_the_users_names() -> None:
    step = jax.jit(
        lambda state, *rest, flag, extra: (state["w"] * rest[1], extra + 1.0), donate_argnames=("extra", "flag")
    )
    state = {"w": jnp.ones(3), "unused": jnp.ones(4)}
    compile_ = compiled(lambda: step(state, jnp.ones(3), jnp.ones(3), flag=jnp.ones(6), extra=jnp.ones(5)))
    assert compile_.dropped == ("state['unused']", "rest[0]", "flag")
    assert compile_.reused == ("extra",)


@pytest.mark.parametrize("donate", ["none", "all", "all-except-first"])
@pytest.mark.parametrize("api", ["equinox.filter_jit", "jitviz.filter_jit"])
@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_inputs_of_a_filter_jit_are_dropped_and_reused_under_the_users_names(api: str, donate: str) -> None:
    step = JITS[api](lambda a, b, c: (b + 1, a * 2), donate=donate)
    compile_ = compiled(lambda: step(jnp.ones(3), jnp.ones(4), c=jnp.ones(5)))
    assert compile_.dropped == ("c",)
    assert compile_.reused == {"none": (), "all": ("a", "b"), "all-except-first": ("b",)}[donate]


def test_a_module_that_is_called_has_its_inputs_dropped_under_self() -> None:
    class Half(eqx.Module):
        used: jax.Array
        unused: jax.Array

        def __call__(self, x: Any) -> Any:
            return self.used * x

    for jit in (eqx.filter_jit, jitviz.filter_jit):
        half = jit(Half(jnp.ones(3), jnp.ones(4)))
        assert compiled(lambda half=half: half(X)).dropped == ("self.unused",)  # type: ignore[misc]


def test_constants_that_jax_takes_as_inputs_are_not_mistaken_for_arguments() -> None:
    table = jnp.arange(3.0)
    compile_ = compiled(lambda: jax.jit(lambda unused, x: x * table)(1.0, X))
    assert compile_.dropped == ("unused",)


def test_phases_follow_each_other() -> None:
    compile_ = compiled(lambda: jax.jit(lambda x: x / 3)(X))
    starts = [phase.start_s for phase in compile_.phases]
    assert None not in starts
    assert starts == sorted(starts)  # type: ignore[type-var]
    assert compile_.duration_s == sum(phase.duration_s or 0.0 for phase in compile_.phases)
    assert all(phase.duration_s is not None and phase.duration_s > 0 for phase in compile_.phases)
    assert compile_.status == "done"


def test_a_compile_is_seen_while_it_is_under_way() -> None:
    seen: list[tuple[str, str, list[str]]] = []

    @jax.jit
    def step(x: Any) -> Any:
        (compile_,) = rec.compiles
        seen.append((compile_.function, compile_.status, [phase.name for phase in compile_.phases]))
        return x

    with jitviz.record() as rec:
        step(X)
    assert seen == [("step", "running", ["trace"])]
    assert rec.compiles[0].status == "done"


def test_the_persistent_cache_hides_nothing(tmp_path: Any) -> None:
    def step(x: Any) -> Any:
        return x * 11.0

    settings = {
        "jax_compilation_cache_dir": str(tmp_path),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in settings}
    for name, value in settings.items():
        jax.config.update(name, value)
    try:
        compiled(lambda: jax.jit(step)(X))
        assert list(tmp_path.iterdir()) != []
        jax.clear_caches()
        compile_ = compiled(lambda: jax.jit(step)(X))
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()  # JAX goes on using what it has opened
    assert [phase.name for phase in compile_.phases] == ["trace", "lower", "compile"]
    assert compile_.hlo is not None
    assert compile_.memory is not None
