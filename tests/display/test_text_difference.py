from __future__ import annotations

import zlib

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.recording import events as ev
from tests.views.program import programs


@pytest.fixture
def versions() -> jitviz.Recording:
    def function(x: jax.Array) -> jax.Array:
        y = jnp.sin(x)
        for _ in range(8):
            y = y * x
        return jnp.cos(y)

    with jitviz.record() as recording:
        jax.jit(function)(jnp.ones(3))
    text = recording.compiles[-1].jaxpr or ""
    # The same compile again, changed at both ends as by an edit.
    other = text.replace("= sin", "= tan").replace("= cos", "= exp")
    for event in list(recording.events):
        if isinstance(event, ev.FunctionSeen) and event.info.name.endswith("function"):
            number = event.function
    recording.append(ev.CompileStarted(recording.events[-1].at_s, 999, None, number, recording.compiles[-1].signature))
    recording.append(ev.TextSeen(recording.events[-1].at_s, 999, "jaxpr", zlib.compress(other.encode())))
    return recording


def test_two_programs_are_compared_as_a_unified_diff(versions: jitviz.Recording) -> None:
    name = versions.compiles[-1].function
    assert jitviz.diff(*versions.compiles[-2:], context=1).split("\n") == [
        f"--- {name}, version 1, jaxpr",
        f"+++ {name}, version 2, jaxpr",
        "+ 1 exp, + 1 tan, - 1 cos, - 1 sin",
        "@@ -1,3 +1,3 @@",
        " { lambda ; a:f32[3]. let",
        "-    b:f32[3] = sin a",
        "+    b:f32[3] = tan a",
        "     c:f32[3] = mul b a",
        "@@ -10,3 +10,3 @@",
        "     j:f32[3] = mul i a",
        "-    k:f32[3] = cos j",
        "+    k:f32[3] = exp j",
        "   in (k,) }",
    ]


def test_short_programs_are_compared_by_equation() -> None:
    with jitviz.record() as recording:
        jax.jit(lambda x: x + 1)(jnp.ones(3))
        jax.jit(lambda x: x * 2 + 1)(jnp.ones(3))
    assert jitviz.diff(*recording.compiles[-2:]).split("\n")[2:] == [
        "+ 1 mul, other operands in 1 line",
        "@@ -1,3 +1,4 @@",
        " { lambda ; a:f32[3]. let",
        "-    b:f32[3] = add a 1.0:f32[]",
        "+    b:f32[3] = mul a 2.0:f32[]",
        "+    c:f32[3] = add b 1.0:f32[]",
        "   in (b,) }",
    ]


def test_changes_whose_contexts_touch_are_merged(versions: jitviz.Recording) -> None:
    lines = jitviz.diff(*versions.compiles[-2:], context=4).split("\n")
    assert [line for line in lines if line.startswith("@@")] == ["@@ -1,12 +1,12 @@"]
    assert len(lines) == 3 + 1 + 12 + 2


def test_a_program_is_the_same_as_itself(versions: jitviz.Recording) -> None:
    assert jitviz.diff(versions.compiles[0], versions.compiles[0]).endswith("\nthe same program")


def test_programs_of_two_recordings_are_compared(versions: jitviz.Recording) -> None:
    other = programs.nested()[0]
    assert jitviz.diff(versions.compiles[0], other.compiles[0]).startswith("--- ")
