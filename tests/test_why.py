"""`jitviz.explain` takes whatever a person has at hand."""

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz import capture
from tests.display import samples


def test_a_recording_is_explained_with_its_totals() -> None:
    text = jitviz.explain(samples.recompile_by_treedef())
    assert "Seconds by cause:" in text
    assert "Seconds by call site:" in text


def test_a_compile_is_explained_by_itself() -> None:
    compile = samples.error_in_trace().compiles[1]
    assert jitviz.explain(compile) == "\n".join(
        [
            "version 2: 6 ms (trace 6 ms), at In [9]:3, failed: TypeError: dot_general requires contracting dimensions "
            "to have the same shape, got (4,) and (5,).",
            "  [shape] `x` has another shape.",
            "    -> Pad the batch, or drop the last one.",
        ]
    )


def test_a_function_is_explained_from_all_that_was_compiled_since_jitviz_watched() -> None:
    @jax.jit
    def grow(x: jax.Array) -> jax.Array:
        return x + 1

    capture.watch()
    grow(jnp.ones(2))
    grow(jnp.ones(3))
    text = jitviz.explain(grow)
    assert "`x` changed its shape from `f32[2]` to `f32[3]`." in text
    assert text.startswith("grow: 2 compiles")


def test_what_cannot_be_explained_is_said() -> None:
    with pytest.raises(TypeError, match=r"^explain takes a recording, a compile or compiles, not int$"):
        jitviz.explain(3)  # type: ignore[arg-type]
