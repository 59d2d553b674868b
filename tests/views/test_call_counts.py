"""Calls and hits in words, if not all of them were seen."""

from __future__ import annotations

from collections import Counter

import pytest

from jitviz.display.function_outline import tell_site
from jitviz.model import HitsSeen, Reason, Signature
from jitviz.views import PANEL, TERMINAL, groups, shape_panel
from jitviz.views.groups import at_least, count_outcomes, tell_calls
from jitviz.views.schema import FunctionView, Panel
from jitviz.views.words import as_text
from tests.display.samples import BOUND, FIRST, UNSEEN, Sample, Story, array

X = Signature((array("x", (4,)),))
SHAPE = Reason("shape", "x", "f32[3]", "f32[4]", "`x` changed its shape.", "Pad it.")
LIMITS: dict[HitsSeen, str] = {"some": BOUND, "none": UNSEEN}


def recording(seen: HitsSeen, *, api: str = "jax.jit", n_hits: int = 0, n_compiles: int = 2) -> Sample:
    story = Story(limits=(LIMITS[seen],), hits_seen=seen)
    step = story.function("step", api)
    for number in range(n_compiles):
        story.miss(step, number, (0.1, 0.1, 0.2), 0.0, X, (SHAPE if number else FIRST,), source="In [3]:2")
    for number in range(n_hits):
        story.hit(step, 5.0 + number, 0.1, source="In [3]:5")
    return story.end(10.0)


def only(panel: Panel) -> FunctionView:
    (function,) = panel.functions
    return function


def scores(panel: Panel) -> list[str]:
    return [score.told for score in panel.scores]


def test_if_no_hits_are_seen_the_second_line_says_so_and_calls_and_hits_are_not_counted() -> None:
    panel = shape_panel(recording("none"), PANEL)
    assert as_text(panel.verdict.subline) == "`step` compiled 2 times (hits not seen)."
    assert panel.verdict.notes == ()
    assert panel.limits == (UNSEEN,)
    assert scores(panel) == ["2 compiles, 800 ms"]
    assert only(panel).told == "2 compiles, 1 avoidable recompile; hits not seen"


def test_if_no_hits_are_seen_calls_have_no_numbers() -> None:
    function = only(shape_panel(recording("none"), TERMINAL))
    assert [version.call for version in function.versions] == [None, None]
    (score,) = shape_panel(recording("none"), TERMINAL).scores
    assert [column.label for column in score.columns] == [
        "compile, version 1, 400 ms",
        "compile, version 2, 400 ms, avoidable",
    ]
    assert [tell_site(site) for site in function.call_sites] == ["In [3]:2: 2 compiles, 800 ms compiling"]


def test_if_no_hits_are_seen_a_cell_without_compiles_may_still_have_made_calls() -> None:
    verdict = shape_panel(Story(limits=(UNSEEN,), hits_seen="none").end(0.1)).verdict
    assert as_text(verdict.title) == "Nothing compiled in this cell"
    assert verdict.advice.startswith(
        "If nothing jitted was called yet, call a function that is decorated with @jax.jit"
    )
    assert verdict.notes == (UNSEEN,)


def test_calls_of_a_filter_jit_are_counted_even_if_hits_of_jax_jit_are_not_seen() -> None:
    panel = shape_panel(recording("none", api="equinox.filter_jit", n_hits=3), PANEL)
    assert panel.verdict.notes == ()
    assert panel.limits == (UNSEEN,)
    assert only(panel).told == "5 calls: 3 hits, 2 compiles, 1 avoidable recompile"
    assert scores(panel) == ["5 calls, 2 compiles, 800 ms"]


def test_at_least_is_not_explained_where_nothing_says_it() -> None:
    story = recording("some", api="equinox.filter_jit", n_hits=3)
    assert "at least" not in only(shape_panel(story, PANEL)).told
    assert shape_panel(story, PANEL).limits == ()
    assert shape_panel(Story(limits=(BOUND,), hits_seen="some").end(0.1), PANEL).limits == (
        BOUND,
    )  # some may be unseen


def test_partial_counts_are_lower_bounds_and_zero_hits_are_not_shown() -> None:
    panel = shape_panel(recording("some"), PANEL)
    assert (panel.verdict.notes, panel.limits) == ((), (BOUND,))
    assert scores(panel) == ["at least 2 calls, 2 compiles, 800 ms"]
    assert only(panel).told == "at least 2 calls: 2 compiles, 1 avoidable recompile"


@pytest.mark.parametrize(
    ("seen", "said"), [("all", ["0", "3,000"]), ("some", ["none seen", "≥ 3,000"]), ("none", ["not seen"] * 2)]
)
def test_a_number_of_calls_says_how_certain_it_is(seen: HitsSeen, said: list[str]) -> None:
    assert [at_least(number, seen) for number in (0, 3000)] == said


def test_a_function_without_calls_has_no_number_of_calls() -> None:
    uncalled = count_outcomes([], recording("some").compiles)
    assert tell_calls(uncalled, "some") == "2 compiles, 1 avoidable recompile"


def test_a_line_that_only_lowered_made_no_call() -> None:
    assert groups.tell_site(Counter({}), "some") == "ahead of time only"
    assert groups.tell_site(Counter({"compile": 1}), "all") == "1 compile"
    assert groups.tell_site(Counter({"call": 2, "hit": 1, "compile": 1}), "all") == "2 calls, 1 hit, 1 compile"


def test_a_line_whose_calls_were_all_inlined_could_not_compile() -> None:
    assert groups.tell_site(Counter({"call": 1, "inlined call": 1}), "all") == "1 inlined call"
    assert groups.tell_site(Counter({"call": 2, "compile": 1, "inlined call": 1}), "all") == "2 calls, 1 compile"
