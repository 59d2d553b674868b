"""Calls that stand out, pauses before calls, and waits: which calls, how long, and what was seen meanwhile."""

from __future__ import annotations

from array import array as array_of_numbers

import pytest

from jitviz.findings.slow_calls import tell_running
from jitviz.model import AHEAD, GARBAGE, Glance, Sample, Signature
from jitviz.recording import Recording
from jitviz.recording import events as ev
from tests.display.samples import EPOCH_S, Story, array


def told(hits: list[tuple[float, float]], *seen: tuple[float, float, Glance]) -> tuple[str, ...]:
    """What is said of a recording of 10 s with hits of `step`, each from and until a time, and with these samples."""
    story = Story("train.py")
    step = story.function("step")
    for start_s, end_s in hits:
        story.hit(step, start_s, end_s - start_s, source="train.py:9")
    samples = tuple(Sample(EPOCH_S + start_s, EPOCH_S + end_s, glance) for start_s, end_s, glance in seen)
    return tell_running(Recording([*story.end(10.0).events, ev.LinesSampled(EPOCH_S, samples)]))


def steps(n: int, of_s: float = 0.01, every_s: float = 0.02) -> list[tuple[float, float]]:
    return [(place * every_s, place * every_s + of_s) for place in range(n)]


def test_a_call_that_took_long_is_told_by_its_number() -> None:
    hits = steps(99)
    assert told([*hits, (2.0, 4.1)]) == (
        "`step` at train.py:9: call 100 took 2.1 s, each of the other 99 took 10 ms (median).",
    )


def test_hits_of_a_block_are_numbered_after_those_that_are_sums() -> None:
    story = Story("train.py")
    site = ev.SiteSeen(EPOCH_S, 5, story.function("step"), "train.py:9")
    summed = array_of_numbers("q", (5, int(EPOCH_S * 1e9), 10**6, 400))
    numbers = [(5, int((EPOCH_S + place) * 1e9), 10**9 if place == 6 else 10**6) for place in range(9)]
    noted = array_of_numbers("q", (number for hit in numbers for number in hit))
    story.events += [site, ev.HitsSummed(EPOCH_S, summed.tobytes()), ev.HitsNoted(EPOCH_S, noted.tobytes())]
    assert tell_running(story.end(10.0))[0] == (
        "`step` at train.py:9: call 407 took 1.0 s, each of the other 8 took 1.0 ms (median)."
    )


def test_a_pause_is_told_with_the_call_after_it_and_what_was_seen_in_it() -> None:
    hits = [*steps(99), (4.0, 4.01)]
    collected = (2.0, 3.0, Glance("train.py:8", (), GARBAGE))
    slept = (3.0, 4.0, Glance("train.py:7"))
    assert told(hits, collected, slept) == (
        "`step` at train.py:9: before call 100, 2.0 s passed, before each of the other 98 it was 10 ms (median): "
        "1.0 s Python at train.py:7 and 1.0 s collecting garbage at train.py:8 (sampled).",
    )


def test_what_is_as_long_as_the_others_or_too_short_to_matter_is_not_told() -> None:
    assert told(steps(100)) == ()
    assert told([*steps(99), (2.0, 2.15)]) == ()
    assert told([(0.0, 0.01), (1.0, 4.0)]) == ()  # two calls have no median


def test_calls_of_which_a_tenth_are_long_do_not_stand_out() -> None:
    long = [(0.1 * place, 0.1 * place + (0.8 if place % 5 == 0 else 0.01)) for place in range(0, 90, 9)]
    assert told(long) == ()


def test_a_wait_is_told_with_the_call_before_it() -> None:
    hits, wait = steps(100, 0.001, 0.002), Glance("train.py:12", is_waiting=True)
    assert told(hits, (0.2, 8.2, wait)) == (
        "train.py:12 waited 8.0 s for results (sampled) after call 100 of `step`, which had returned before its "
        "result, in 1.0 ms.",
    )


def test_what_was_compiled_ahead_of_time_runs_and_is_no_wait_for_the_call_before_it() -> None:
    assert told(steps(100, 0.001, 0.002), (0.2, 8.2, Glance("train.py:12", (), AHEAD, is_waiting=True))) == ()


def test_waits_after_many_calls_are_added_up() -> None:
    hits = [(1.0 * place, 1.0 * place + 0.001) for place in range(8)]
    waits = [(start_s + 0.01, start_s + 0.9, Glance("train.py:12", is_waiting=True)) for start_s, _ in hits]
    assert told(hits, *waits) == (
        "train.py:12 waited 7.1 s for results (sampled) after 8 calls of `step`, which had returned before their "
        "results, in 1.0 ms each (median).",
    )


def test_time_inside_a_call_and_short_waits_are_no_waits() -> None:
    wait = Glance("train.py:9", is_waiting=True)
    assert told([(0.0, 5.0)], (0.0, 5.0, wait)) == ()
    assert told([(0.0, 0.001)], (0.1, 0.9, wait)) == ()


@pytest.mark.parametrize("version", [0, 1])
def test_hits_that_wait_for_the_compile_of_another_thread_are_told(version: int) -> None:
    story = Story("train.py")
    step = story.function("step")
    for thread, size in (("Thread-1", 3), ("Thread-2", 4)):
        given = Signature((array("x", (size,)),))
        story.miss(step, 1.0, (1.0, 1.0, 2.0), 0.0, given, (), source="train.py:9", thread=thread)
    story.hit(step, 2.0, 3.1, version=version, source="train.py:9")
    thread = f"Thread-{version + 1}"
    assert tell_running(story.end(10.0)) == (
        f"1 call of `step` in other threads waited for its compile in {thread}, 3.0 s in all.",
    )


def test_the_time_between_two_cells_is_no_pause() -> None:
    story = Story("train.py")
    story.events.append(ev.CellStarted(EPOCH_S, "In [4]"))
    step = story.function("step")
    for start_s, end_s in [*steps(99), (4.0, 4.01)]:
        story.hit(step, start_s, end_s - start_s)
    assert tell_running(story.end(10.0)) == ()


@pytest.mark.parametrize(("n_leaves", "is_told"), [(3000, True), (499, False)])
def test_hits_that_flatten_many_leaves_are_told_with_their_number(n_leaves: int, is_told: bool) -> None:
    story = Story("train.py")
    step = story.function("step")
    given = Signature(tuple(array(f"x[{place}]", ()) for place in range(n_leaves)))
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, given, (), source="train.py:9")
    for place in range(200):
        story.hit(step, 1.0 + 0.02 * place, 0.01, version=0, source="train.py:9")
    text = "`step` at train.py:9: 200 hits took 2.0 s, 10 ms each (median), and each flattens and passes 3,000 leaves. "
    text += "Pass fewer: stack them in one array, or pass only what changes."
    assert (text in tell_running(story.end(10.0))) == is_told


def test_what_another_thread_compiled_meanwhile_is_told_with_the_calls_thread() -> None:
    story = Story("train.py")
    predict, refit = story.function("predict"), story.function("refit")
    story.miss(refit, 2.0, (1.0, 0.5, 0.5), 0.0, Signature(), (), source="train.py:20", thread="admin")
    for start_s, end_s in [*steps(99), (2.0, 4.0)]:
        story.hit(predict, start_s, end_s - start_s, source="train.py:9", thread="worker-1")
    assert tell_running(story.end(10.0)) == (
        "`predict` at train.py:9 in worker-1: call 100 took 2.0 s, each of the other 99 took 10 ms (median), while "
        "`refit` compiled in admin, called at train.py:20.",
    )
