"""The cost of links and differences, in function calls and not in time."""

from __future__ import annotations

from functools import partial

import pytest

from jitviz.model import ListingName
from jitviz.recording import Recording
from jitviz.views.program import links, shape_listing
from jitviz.views.program.difference import compare
from tests.counted import calls_of

from . import programs


def edited(kind: ListingName, times: int) -> tuple[str, str]:
    """A text of many lines, and the same with a changed operation near its start, middle and end."""
    lines = shape_listing(*programs.transformer(), kind).split("\n") * times
    changed = list(lines)
    for share in (0.01, 0.5, 0.99):
        place = int(share * len(lines))
        changed[place] = "    nn:f32[] = another"
    return "\n".join(lines), "\n".join(changed)


@pytest.mark.parametrize("kind", ["jaxpr", "stablehlo", "hlo"])
def test_the_cost_of_a_difference_is_linear_in_the_lines(kind: ListingName) -> None:
    once, thrice = (calls_of(partial(compare, *edited(kind, times), kind)) for times in (1, 3))
    assert thrice < 3.5 * once


def test_the_cost_of_links_is_bounded_per_line_however_deep_the_stack_is() -> None:
    def from_deep(frames: int) -> tuple[Recording, int]:
        return from_deep(frames - 1) if frames else programs.transformer(programs.BLOCKS - 1)

    recording, compile = from_deep(60)
    lines = sum(shape_listing(recording, compile, kind).count("\n") for kind in ("jaxpr", "stablehlo", "hlo"))
    links._kept.clear()
    assert calls_of(lambda: links.shape_links(recording, compile)) < 60 * lines  # is 40, and 37 from a short stack
