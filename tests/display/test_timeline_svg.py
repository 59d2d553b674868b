from __future__ import annotations

from xml.etree import ElementTree

from jitviz.display.timeline_svg import draw_timeline, height_of
from jitviz.model import Signature
from jitviz.recording import events as ev
from jitviz.views import SAVED
from jitviz.views.schema import Timeline
from jitviz.views.timeline import shape_timeline
from tests.display import samples
from tests.display.samples import EPOCH_S, FIRST, Sample, Story, array

SVG = "{http://www.w3.org/2000/svg}"
X = Signature((array("x", (4,)),))


def timeline_of(recording: Sample) -> Timeline:
    return shape_timeline(recording, SAVED, {})


def bars(picture: str) -> list[tuple[str, str, str]]:
    """Kind, start and width of each bar, in the order they are painted."""
    rects = ElementTree.fromstring(picture).iter(f"{SVG}rect")
    return [
        (rect.attrib["class"], rect.attrib["x"], rect.attrib["width"]) for rect in rects if rect.attrib["class"] != "g"
    ]


def test_phases_and_the_run_after_them_are_painted_at_their_share_of_the_width() -> None:
    story = Story()
    story.miss(story.function("step"), 1.0, (1.0, 2.0, 4.0), 1.0, X, (FIRST,))
    assert bars(draw_timeline(timeline_of(story.end(10.0)))) == [
        ("run", "80%", "10%"),
        ("trace", "10%", "10%"),
        ("lower", "20%", "20%"),
        ("compile", "40%", "40%"),
    ]


def test_hits_are_ticks_and_neighbours_grow_together() -> None:
    story = Story()
    step = story.function("step")
    for at_s in (0.0, 1.0, 1.0025, 1.005, 1.0075):
        story.hit(step, at_s, 0.0001)
    picture = draw_timeline(timeline_of(story.end(4.0)))
    (path,) = [
        path.attrib["d"] for path in ElementTree.fromstring(picture).iter(f"{SVG}path") if "v1" in path.attrib["d"]
    ][-1:]
    assert path == "M0 0v1M100 0v1"
    assert bars(picture) == []


def test_a_hundred_thousand_hits_are_no_bigger_than_a_hundred() -> None:
    story = Story()
    step = story.function("step")
    story.events += [
        ev.CallFinished(EPOCH_S + 0.001 * call + 0.0005, call, step, EPOCH_S + 0.001 * call, "hit")
        for call in range(20_000)
    ]
    assert len(draw_timeline(timeline_of(story.end(20.0)))) < 4_000


def test_many_short_compiles_stay_within_the_bound_of_bars() -> None:
    story = Story()
    step = story.function("step")
    for number in range(200):
        story.miss(step, float(number), (0.1, 0.1, 0.7 + 0.001 * number), 0.0, X, (FIRST,))
    picture = draw_timeline(timeline_of(story.end(200.0)))
    assert len(bars(picture)) == 150
    assert len(picture) < 30_000


def test_an_inner_function_is_set_in_and_threads_other_than_the_main_one_are_named() -> None:
    story = Story()
    outer = story.function("outer")
    call = story.miss(outer, 0.0, (0.1, 0.1, 0.1), 0.5, X, (FIRST,))
    story.miss(story.function("inner"), 0.1, (0.1, 0.1, 0.1), 0.0, X, (FIRST,), parent=call)
    story.events.append(ev.CallFinished(EPOCH_S + 1, 9, outer, EPOCH_S, "hit", thread="loader"))
    picture = ElementTree.fromstring(draw_timeline(timeline_of(story.end(1.0))))
    names = [text.text for text in picture.iter(f"{SVG}text") if text.attrib.get("class") == "n"]
    assert names == ["outer", "└ inner", "outer [loader]"]


def test_more_lanes_than_fit_are_counted() -> None:
    story = Story()
    for number in range(15):
        story.hit(story.function(f"f{number}"), 0.1 * number, 0.01)
    timeline = timeline_of(story.end(2.0))
    picture = ElementTree.fromstring(draw_timeline(timeline))
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert texts[-1] == "3 more lanes"
    assert picture.attrib["height"] == str(height_of(timeline))


def test_the_axis_has_round_steps() -> None:
    story = Story()
    story.hit(story.function("f"), 0.0, 0.01)
    picture = ElementTree.fromstring(draw_timeline(timeline_of(story.end(2.3))))
    assert [text.text for text in picture.iter(f"{SVG}text")] == ["0 s", "500 ms", "1 s", "1.5 s", "2 s", "f"]


def test_what_is_under_way_reaches_to_the_end() -> None:
    kind, start, width = bars(draw_timeline(timeline_of(samples.still_compiling())))[-1]
    assert (kind, round(float(start[:-1]) + float(width[:-1]))) == ("compile", 100)


def test_without_calls_there_is_no_picture() -> None:
    assert draw_timeline(timeline_of(samples.nothing())) == ""
