from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.model import Function, ListingName, Signature
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.views.program import shape_links, shape_listing

from . import programs


def untold() -> Recording:
    """A compile without any text."""
    recording = Recording([ev.RecordingStarted(0.0)])
    recording.append(ev.FunctionSeen(0.0, 1, Function("f", "f", "m", "jax.jit", "f", 1)))
    recording.append(ev.CompileStarted(0.0, 1, None, 1, Signature()))
    return recording


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("jaxpr", "There is no jaxpr: the trace failed, or happened before the recording."),
        ("stablehlo", "There is no StableHLO: this version was not lowered while jitviz watched."),
        ("hlo", "There is no HLO: this version was not compiled while jitviz watched, or JAX does not show it."),
    ],
)
def test_a_missing_text_is_explained(name: ListingName, sentence: str) -> None:
    with pytest.raises(LookupError) as error:
        shape_listing(untold(), 0, name)
    assert error.value.args == (sentence,)


def test_links_need_some_text() -> None:
    with pytest.raises(
        LookupError, match=r"^There is no program text: the trace failed, or happened before the recording\.$"
    ):
        shape_links(untold(), 0)


@pytest.mark.parametrize("compile", [-1, 1])
def test_a_missing_compile_is_explained(compile: int) -> None:
    for shape in (lambda: shape_links(untold(), compile), lambda: shape_listing(untold(), compile, "hlo")):
        with pytest.raises(LookupError, match=rf"^The recording has no compile {compile}; it has 1\.$"):
            shape()


def test_a_program_that_was_only_lowered_has_links() -> None:
    @jax.jit
    def function(x: jax.Array) -> jax.Array:
        return jnp.sin(x)

    with jitviz.record() as recording:
        function.lower(jnp.ones(3))
    (compile,) = [row.index for row in recording.compiles if row.function.endswith("function")]
    links = shape_links(recording, compile)
    assert links.equations == 1
    assert links.stablehlo_ops == 1
    assert (links.hlo.line, links.hlo_ops) == ((), 0)


def test_links_are_computed_once() -> None:
    recording, compile = programs.nested()
    assert shape_links(recording, compile) is shape_links(recording, compile)


def test_links_of_a_saved_recording_are_the_same(tmp_path) -> None:
    recording, compile = programs.rnn()
    assert shape_links(jitviz.load(recording.save(tmp_path / "run.jitviz")), compile) == shape_links(recording, compile)
