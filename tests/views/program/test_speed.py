"""How long links and differences take, as ratios within one run; never seconds.

`pytest --benchmark-enable tests/views/program/test_speed.py` prints the times of this machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from jitviz.model import ListingName
from jitviz.views.program import links, shape_listing
from jitviz.views.program.difference import compare

from . import programs

# Guards, far from what is measured: four times the lines take four times as long, links a tenth of the compile.
SLOWER = 10
SHARE = 0.5


def best(call: Callable[[], Any]) -> float:
    """Seconds of processor time, the least of a few rounds."""
    times = []
    for _ in range(5):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times)


def look(recording: Any, compile: int) -> None:
    links._kept.clear()
    links.shape_links(recording, compile)


def edited(kind: ListingName, times: int) -> tuple[str, str]:
    """A text of many lines, and the same with an operation at its start, its middle and its end changed."""
    lines = shape_listing(*programs.transformer(), kind).split("\n") * times
    changed = list(lines)
    for share in (0.01, 0.5, 0.99):
        place = int(share * len(lines))
        changed[place] = "    nn:f32[] = another"
    return "\n".join(lines), "\n".join(changed)


@pytest.mark.parametrize("kind", ["jaxpr", "stablehlo", "hlo"])
def test_the_time_of_a_difference_grows_with_the_lines_and_not_with_their_square(kind: ListingName) -> None:
    short, long = edited(kind, 2), edited(kind, 8)
    assert best(lambda: compare(*long, kind)) < SLOWER * best(lambda: compare(*short, kind))


def test_links_take_a_part_of_what_compiling_took() -> None:
    recording, compile = programs.transformer()
    assert best(lambda: look(recording, compile)) < SHARE * recording.compiles[compile].duration_s


def test_links_of_a_model(benchmark: Any) -> None:
    benchmark(look, *programs.transformer())


@pytest.mark.parametrize("kind", ["jaxpr", "stablehlo", "hlo"])
def test_a_difference_of_many_lines(benchmark: Any, kind: ListingName) -> None:
    benchmark(compare, *edited(kind, 8), kind)
