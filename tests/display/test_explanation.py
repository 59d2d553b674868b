"""`jitviz.explain` takes any kind of subject, and says the same as the panel."""

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz import capture
from tests.display import samples
from tests.findings.test_find import forty_sizes

FAILED = [
    "version 2, at In [9]:3, failed",
    "  6.0 ms: trace 6.0 ms",
    "  failed: TypeError: dot_general requires contracting dimensions to have the same shape, got (4,)",
    "    and (5,).",
    "  shape: `x` has another shape.",
    "    → Pad the batch, or drop the last one.",
]


def test_a_recording_is_explained_in_the_words_of_its_panel() -> None:
    recording = samples.recompile_by_treedef()
    explanation = jitviz.explain(recording).split("\n")
    panel = str(recording).split("\n")
    assert explanation[0] in panel
    assert [line for line in explanation if line not in panel] == []
    summaries = [reason.summary for row in recording.compiles for reason in row.reasons]
    assert [line.partition(": ")[2] for line in explanation if "→" in line or "version" in line] != []
    assert all(summary.partition(" ")[0] in "\n".join(explanation) for summary in summaries)


def test_findings_come_first_with_the_result_of_each_plan() -> None:
    assert jitviz.explain(forty_sizes()).split("\n")[:9] == [
        "1. `x` came in 40 sizes: f32[40,8] … f32[79,8]",
        "   39 s, 39 recompiles of `step`, called at train.py:7",
        "   → Pad `x` to 79 on the host, with `np.pad`, and mask out the padding: 1 compile instead of 40.",
        "   fixing this alone saves 39 compiles, 39 s",
        "   one size (79): 1 compile, 33% more elements, 39 s saved",
        "   powers of two (64 and 128): 2 compiles, 48% more elements, 38 s saved",
        "   best 2 sizes (59 and 79): 2 compiles, 16% more elements, 38 s saved",
        "   code to paste: `.findings[0].code` of the recording",
        "",
    ]


def test_a_compile_is_explained_by_itself() -> None:
    assert jitviz.explain(samples.error_in_trace().compiles[1]).split("\n") == FAILED


def test_several_compiles_are_explained_under_their_names() -> None:
    failed = samples.error_in_trace().compiles[1]
    mine = [failed.function, *(f"  {line}" for line in FAILED[:2])]
    assert jitviz.explain([failed, failed]).split("\n\n")[1].split("\n")[:3] == mine


def test_a_function_is_explained_from_everything_that_jitviz_saw_compile() -> None:
    @jax.jit
    def grow(x: jax.Array) -> jax.Array:
        return x + 1

    capture.watch()
    grow(jnp.ones(2))
    grow(jnp.ones(3))
    found, _, explanation = jitviz.explain(grow).partition("\n\n")
    assert found.startswith("1. `x` changed its shape from f32[2] to f32[3]\n")
    name, told, *rest = explanation.split("\n")
    assert name.startswith("grow · jax.jit · defined at ")
    assert told.startswith("  2 compiles, 1 maybe avoidable recompile")
    assert "    shape: `x` changed its shape from f32[2] to f32[3]." in rest


def test_an_empty_recording_is_explained() -> None:
    assert jitviz.explain(jitviz.Recording()) == "Nothing was compiled."


def test_an_argument_that_cannot_be_explained_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^explain takes a recording, .*, not int$"):
        jitviz.explain(3)  # type: ignore[arg-type]
