from __future__ import annotations

import warnings
import zlib
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.display.text import render
from jitviz.model import UNKNOWN, Compile, Signature
from jitviz.recording import Recording
from jitviz.recording import events as ev
from jitviz.views.program import texts
from tests.views.program import programs
from tests.views.program.programs import LABEL, line_of


def told(recording: jitviz.Recording, start: str) -> list[str]:
    """The lines of the text from the one that starts with `start` to the end of its version."""
    lines = [line.strip() for line in render(recording, 400).split("\n")]
    first = next(number for number, line in enumerate(lines) if line.startswith(start))
    return lines[first : lines.index("", first)]


def test_the_text_tells_what_lowering_did_to_inputs() -> None:
    table = jnp.ones((600, 600))

    @jitviz.filter_jit(donate="all")
    def step(a: Any, b: Any, c: Any, d: Any) -> Any:
        return a + 1, b, (c @ table).sum()

    with jitviz.record() as recording, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step(jnp.ones(4), jnp.ones(5), jnp.ones((3, 600)), jnp.ones(2))
    assert told(recording, "dropped") == [
        "dropped: d f32[2] (no output depends on its value)",
        "donated but not reused: c f32[3,600] (no output has its shape and dtype); d f32[2] (the program does"
        " not use it, so JAX did not pass it)",
        "returned unchanged: out[1] is b",
        "constants: 1.4 MB in 1 array: table f32[600,600], 1.4 MB",
        "kept alive: 1 version, 1.4 MB of constants",
        "→ Closed-over arrays of 1.4 MB are part of the program: `table` (f32[600,600], 1.4 MB). Every version holds "
        "a copy, and compiling takes longer; pass it as an argument instead.",
    ]


def test_work_tells_where_that_of_a_long_program_comes_from() -> None:
    recording, _ = programs.transformer()
    lines = [line.strip() for line in jitviz.work(recording.compiles[-1], width=200).split("\n")]
    assert lines[0].endswith("HLO ops, by line of the source:")
    assert lines[1].startswith(f"{LABEL}:{line_of('value_and_grad')} ")
    body = next(line for line in lines if line.startswith(f"{LABEL}:{line_of('body')} "))
    assert body.endswith(f"ran {programs.BLOCKS} times")
    summary, advice = lines[-2:]
    assert summary.startswith(f"{LABEL}, line {line_of('body') - 1}: ")
    assert summary.endswith(f"equations, unrolled into {programs.BLOCKS} iterations")
    assert advice == (
        "→ Keep the loop if the program runs often: `jax.lax.scan` with `x` as the carry compiles less, but runs the "
        "few iterations one after the other."
    )


def test_an_unreadable_text_does_not_hide_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise KeyError("never seen")

    monkeypatch.setattr(texts, "compile_of", fail)
    monkeypatch.setattr("jitviz.views.program.cost.compile_of", fail)
    text = render(programs.nested()[0])
    assert "    program: it could not be read (KeyError)\n" in text
    assert "inputs: " in text


def test_work_takes_one_compile() -> None:
    recording, _ = programs.nested()
    lines = jitviz.work(recording.compiles[-1]).split("\n")
    assert lines[0].startswith("work: ")
    assert all(line.startswith("  ") for line in lines[1:])


def test_work_refuses_a_version_from_before_the_recording() -> None:
    before = Compile(function_info=UNKNOWN, signature=Signature(), function="f", index=0, version=1, start_s=-1.0)
    with pytest.raises(LookupError, match="compiled before the recording"):
        jitviz.work(before)


def test_a_single_operation_is_singular() -> None:
    with jitviz.record() as recording:
        jax.jit(lambda x: jnp.sin(x))(jnp.ones(3))
    head, row = jitviz.work(recording.compiles[0]).splitlines()
    assert head == "work: 1 equation, 1 StableHLO op, 1 HLO op, by line of the source:"
    assert row.endswith("  1 equation")


def test_an_argument_that_is_not_a_compile_is_refused_with_an_example() -> None:
    recording: Any = Recording([])
    wanted = "takes a compile, such as `rec.compiles[0]`, not Recording"
    for name, ask in {
        "work": lambda: jitviz.work(recording),
        "diff": lambda: jitviz.diff(recording, recording),
        "graph": lambda: jitviz.graph(recording),
    }.items():
        with pytest.raises(TypeError) as error:
            ask()
        assert error.value.args == (f"{name} {wanted}",)


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
