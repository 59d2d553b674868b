from __future__ import annotations

import warnings
import zlib
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz import events as ev
from jitviz.display.text import render
from jitviz.display.text_program import render_difference
from jitviz.views.program import texts
from tests.views.program import programs
from tests.views.program.programs import LABEL, line_of


def told(recording: jitviz.Recording, start: str) -> list[str]:
    """The lines of the text from the one that begins with `start` to the end of its version."""
    lines = [line.strip() for line in render(recording, 400).split("\n")]
    first = next(number for number, line in enumerate(lines) if line.startswith(start))
    return lines[first : lines.index("", first)]


def test_what_lowering_did_to_inputs_is_told() -> None:
    table = jnp.ones((600, 600))

    @jitviz.filter_jit(donate="all")
    def step(a: Any, b: Any, c: Any, d: Any) -> Any:
        return a + 1, b, (c @ table).sum()

    with jitviz.record() as recording, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step(jnp.ones(4), jnp.ones(5), jnp.ones((3, 600)), jnp.ones(2))
    assert told(recording, "dropped") == [
        "dropped: d f32[2] (no output depends on its value)",
        "donated in vain: c f32[3,600] (no output has its shape and dtype); d f32[2] (the program does not use it, so "
        "it was never handed over)",
        "handed on as it came: out[1] is b",
        "constants: 1.4 MB in 1 array: table f32[600,600], 1.4 MB",
        "→ Closed-over arrays of 1.4 MB are part of the program: `table` (f32[600,600], 1.4 MB). Every version holds "
        "a copy, and compiling takes longer; pass it as an argument instead.",
    ]


def test_where_the_work_of_a_long_program_comes_from_is_told() -> None:
    recording, _ = programs.transformer()
    lines = told(recording, "work: ")
    assert lines[0].endswith("HLO ops, by line of the source:")
    assert lines[1].startswith(f"{LABEL}:{line_of('value_and_grad')} ")
    body = next(line for line in lines if line.startswith(f"{LABEL}:{line_of('body')} "))
    assert body.endswith(f"ran {programs.BLOCKS} times")
    summary, advice = lines[-2:]
    assert summary.startswith(f"{LABEL}, line {line_of('body')}: ")
    assert summary.endswith(f"equations, unrolled {programs.BLOCKS} times")
    assert advice == (
        '→ Stack `params["blocks"]` along a new first axis and go through it with `jax.lax.scan`, `x` as the carry, so '
        f"that the body is traced once and not {programs.BLOCKS} times."
    )


def test_a_short_program_is_not_taken_apart() -> None:
    assert "work: " not in render(programs.nested()[0])


def test_a_long_program_is_taken_apart_once_for_all_versions_of_its_function() -> None:
    step = jax.jit(jax.value_and_grad(programs.transformer_loss))
    params = programs.transformer_params(3)
    with jitviz.record() as recording:
        for size in (2, 3):
            step(params, jnp.zeros((size, 5), jnp.int32))
    text = render(recording)
    assert text.count("\n  version 2, ") == 1
    assert text.count("    work: ") == 1


def test_a_text_that_cannot_be_read_does_not_keep_the_rest_from_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise KeyError("never seen")

    monkeypatch.setattr(texts, "compile_of", fail)
    monkeypatch.setattr("jitviz.views.program.facts.compile_of", fail)
    text = render(programs.nested()[0])
    assert "    program: it could not be read (KeyError)\n" in text
    assert "inputs: " in text


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
    # The same compile once more, changed at both ends as an edit would change it.
    other = text.replace("= sin", "= tan").replace("= cos", "= exp")
    for event in list(recording.events):
        if isinstance(event, ev.FunctionSeen) and event.info.name.endswith("function"):
            number = event.function
    recording.append(ev.CompileStarted(recording.events[-1].at_s, 999, None, number, recording.compiles[-1].signature))
    recording.append(ev.TextSeen(recording.events[-1].at_s, 999, "jaxpr", zlib.compress(other.encode())))
    return recording


def test_two_programs_are_compared_as_a_unified_diff(versions: jitviz.Recording) -> None:
    last = len(versions.compiles) - 1
    name = versions.compiles[last].function
    assert render_difference(versions, last - 1, last, context=1).split("\n") == [
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


def test_changes_whose_contexts_meet_are_drawn_as_one(versions: jitviz.Recording) -> None:
    last = len(versions.compiles) - 1
    lines = render_difference(versions, last - 1, last, context=4).split("\n")
    assert [line for line in lines if line.startswith("@@")] == ["@@ -1,12 +1,12 @@"]
    assert len(lines) == 3 + 1 + 12 + 2


def test_a_program_is_the_same_as_itself(versions: jitviz.Recording) -> None:
    assert render_difference(versions, 0, 0).endswith("\nthe same program")
