from __future__ import annotations

from collections.abc import Callable

import pytest

from jitviz.display.text import render
from jitviz.display.wrapped_lines import width_of
from jitviz.model import Signature
from tests.display import samples
from tests.display.golden import matches
from tests.display.samples import Sample, Story, array


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
