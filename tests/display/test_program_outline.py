from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.display.text import render
from jitviz.model import UNKNOWN, Compile, Signature
from jitviz.recording import Recording
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
