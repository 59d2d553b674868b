from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz import capture
from jitviz.display.text import render
from jitviz.display.wrapped_lines import width_of
from jitviz.model import Signature
from tests.display import samples
from tests.display.golden import matches
from tests.display.samples import Sample, Story, array
from tests.findings.test_find import forty_sizes

FAILED = [
    "version 2, at In [9]:3, failed",
    "  6.0 ms: trace 6.0 ms",
    "  failed: TypeError: dot_general requires contracting dimensions to have the same shape, got (4,)",
    "    and (5,).",
    "  shape: `x` has another shape.",
    "    → Pad the batch, or drop the last one.",
]


@pytest.mark.parametrize("width", [100, 60, 40])
@pytest.mark.parametrize(
    "make", [samples.recompile_by_treedef, samples.only_hits, samples.error_in_trace, samples.nasty, samples.nothing]
)
def test_a_recording_reads_as_expected_at_any_width(make: Callable[[], Sample], width: int) -> None:
    assert matches(f"{make.__name__}.{width}.txt", render(make(), width))


@pytest.mark.parametrize("width", [24, 40, 60, 100, 160])
@pytest.mark.parametrize("make", samples.ALL)
def test_no_line_is_too_wide(make: Callable[[], Sample], width: int) -> None:
    lines = render(make(), width).split("\n")
    assert [line for line in lines if width_of(line) > width] == []
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize("make", samples.ALL)
def test_text_has_only_printable_characters(make: Callable[[], Sample]) -> None:
    assert render(make()).replace("\n", "").isprintable()


def test_a_long_list_of_leaves_ends_with_the_number_of_the_rest() -> None:
    story = Story()
    leaves = tuple(array(f"x{number}", ()) for number in range(1_000))
    story.hit(story.function("step"), 0.0, 0.1, signature=Signature(leaves))
    assert "600 more: 600 traced, 2.4 kB" in render(story.end(1.0))


def test_a_call_that_raised_has_no_number_where_hits_are_not_seen() -> None:
    story = Story(hits_seen="none")
    step = story.function("step", "jax.jit")
    signature = Signature((array("x", (4,)),))
    story.miss(step, 0.1, (0.006, 0.0, 0.0), 0.0, signature, (samples.FIRST,), error="TypeError: no", source="In [3]:2")
    lines = [line.strip() for line in render(story.end(0.2)).splitlines()]
    assert [line for line in lines if "TypeError: no" in line] == ["1 call: TypeError: no", "failed: TypeError: no"]
    assert "called from In [3]:2: 6.0 ms compiling" in lines


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
        "   → Pad `x` to 79 with `np.pad`, and mask out the padding: 1 compile instead of 40.",
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
