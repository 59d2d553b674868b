from __future__ import annotations

from jitviz.display.answers import list_program_questions
from jitviz.display.html import fragment
from jitviz.display.text import render
from jitviz.model import Reason, Signature
from jitviz.recording import events as ev
from jitviz.views import TERMINAL, shape_panel
from jitviz.views.schema import FunctionView
from tests.display import samples
from tests.display.samples import EPOCH_S, FIRST, Sample, Story, array
from tests.findings import runs

X = Signature((array("x", (4,)), array("w", (2,))))
SHAPE = Reason("shape", "x", "f32[3]", "f32[4]", "")


def only(recording: Sample) -> FunctionView:
    (function,) = shape_panel(recording).functions
    return function


def test_call_sites_are_sorted_by_seconds() -> None:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.0, 0.0), 0.0, X, (FIRST,), source="a.py:1")
    story.miss(step, 1.0, (0.5, 0.0, 0.0), 0.0, X, (SHAPE,), source="b.py:2")
    story.hit(step, 2.0, 0.1, source="a.py:1")
    sites = [(site.source, site.told, round(site.compile_s, 3)) for site in only(story.end(3.0)).call_sites]
    assert sites == [
        ("b.py:2", "1 call, 1 compile", 0.5),
        ("a.py:1", "2 calls, 1 hit, 1 compile", 0.1),
    ]


def test_outputs_are_drawn_again_only_if_they_changed() -> None:
    story = Story()
    step = story.function("step")
    for at_s, shape in ((0.0, (3,)), (1.0, (3,)), (2.0, (5,))):
        reasons = (FIRST,) if at_s == 0.0 else (SHAPE,)
        story.miss(step, at_s, (0.1, 0.1, 0.1), 0.0, X, reasons, outputs=(array("out", shape),))
    outputs = [version.outputs for version in only(story.end(3.0)).versions]
    assert [[row.aval for row in one.rows] for one in outputs if one] == [["f32[3]"], [], ["f32[5]"]]


def test_the_program_of_a_transform_is_drawn_whole() -> None:
    story = Story()
    step = story.function("step")
    story.miss(step, 0.0, (0.1, 0.1, 0.1), 0.0, X, (FIRST,))
    transform = Reason("transform", "", "", "transpose", "its backward program")
    story.miss(step, 1.0, (0.1, 0.1, 0.1), 0.0, X, (transform,))
    started = [event for event in story.events if isinstance(event, ev.CompileStarted)][-1]
    story.events[story.events.index(started)] = ev.CompileStarted(
        started.at_s, started.compile, started.call, step, X, transform="transpose"
    )
    backward = only(story.end(2.0)).versions[1]
    assert backward.inputs is not None
    assert backward.name == "version 2 (transpose of the function, from outside)"
    assert (backward.inputs.is_diff, len(backward.inputs.rows)) == (False, 2)


def test_a_version_from_before_the_recording_is_listed_if_it_ran() -> None:
    story = Story()
    step = story.function("step")
    story.events += [
        ev.CompileStarted(EPOCH_S - 60, 7, None, step, X, is_before=True),
        ev.CompileStarted(EPOCH_S - 50, 8, None, step, X, is_before=True),
        ev.CallFinished(EPOCH_S + 0.2, 0, step, EPOCH_S + 0.1, "hit", compile=8),
    ]
    function = only(story.end(1.0))
    assert [(version.version, version.is_before, version.hits) for version in function.versions] == [(2, True, 1)]
    assert function.n_more_versions == 0
    assert function.called_with is not None
    assert len(function.called_with.rows) == 2


def test_the_lines_of_each_program_text_are_counted() -> None:
    listings = only(samples.recompile_by_treedef()).versions[0].listings
    assert [(listing.name, listing.n_lines) for listing in listings] == [("jaxpr", 9), ("stablehlo", 42), ("hlo", 82)]


def test_an_unknown_source_is_not_a_call_site() -> None:
    story = Story()
    story.hit(story.function("step"), 0.0, 0.1, source="")
    assert only(story.end(1.0)).call_sites == ()


def test_a_version_says_which_one_its_reasons_compare_it_with() -> None:
    story = Story()
    step = story.function("step")
    for number, lengths in enumerate(((3, 3), (7, 8), (3, 4))):
        leaves = tuple(array(name, (length,)) for name, length in zip("xy", lengths, strict=True))
        story.miss(step, number * 0.5, (0.1, 0.1, 0.1), 0.0, Signature(leaves), (FIRST,), jaxpr="{ lambda ; }")
    panel = shape_panel(story.end(2.0))
    assert [version.compared_with for version in panel.functions[0].versions] == [-1, 0, 0]
    compared = [
        (asked["before"], asked["after"]) for kind, asked in list_program_questions(panel) if kind == "difference"
    ]
    assert compared == [(0, 1), (0, 2)]


def test_leaves_that_changed_together_get_their_advice_once() -> None:
    run = runs.Run()
    for size in (20, 32):
        run.call("step", array("x", (size, 8)), array("y", (size,)))
    (function,) = shape_panel(run.end(), TERMINAL).functions
    assert [(reason.path, reason.advice) for reason in function.versions[1].reasons] == [
        ("x", "Pad `x` and `y` to 32 with `np.pad`, and mask out the padding: 1 compile instead of 2."),
        ("y", ""),
    ]


def test_a_jitted_gradient_is_distinguished_from_its_function() -> None:
    story = Story()
    story.miss(story.function("loss"), 0.0, (0.1, 0.1, 0.1), 0.0, X, (FIRST,), output_transform="grad")
    assert only(story.end(2.0)).api == "equinox.filter_jit of grad"


def story_of_versions(*shapes: int) -> tuple[Story, int]:
    """A story of a function that was compiled for these shapes before the recording, as compiles 100, 101 ..."""
    story = Story()
    step = story.function("step", "jax.jit")
    for number, shape in enumerate(shapes):
        signature = Signature((array("x", (shape,)),))
        before = ev.CompileStarted(EPOCH_S - 60, 100 + number, None, step, signature, is_before=True)
        story.events.append(before)
    return story, step


def told_of(recording: Sample) -> tuple[list[str], list[str]]:
    """What is said of the version of the calls, and the headings and types of the arguments, as text."""
    lines = [line.strip() for line in render(recording).splitlines()]
    shown = [line for line in lines if line.startswith(("called with", "inputs", "● x"))]
    return [line for line in lines if " of one of " in line or " of version " in line], shown


def test_hits_of_an_unknown_version_are_said_to_be_one_of_those_that_are_named() -> None:
    story, step = story_of_versions(3, 4)
    for at_s in (0.1, 0.2):
        story.hit(step, at_s, 0.01)
    recording = story.end(1.0)
    assert told_of(recording) == (["2 hits of one of versions 1–2"], [])
    assert only(recording).called_with is None
    html = fragment(recording)
    assert "2 hits of one of versions 1–2" in html
    assert "f32[" not in html


def test_versions_that_came_after_a_hit_cannot_have_run() -> None:
    story, step = story_of_versions(3, 4)
    story.hit(step, 0.1, 0.01)
    story.miss(step, 0.5, (0.1, 0.1, 0.1), 0.0, X, (FIRST,))
    assert only(story.end(1.0)).unknown_version == "one of versions 1–2"


def test_a_function_is_called_with_the_arguments_of_the_version_that_ran_and_not_of_the_newest() -> None:
    story, step = story_of_versions(3, 4)
    for at_s in (0.1, 0.2):
        story.hit(step, at_s, 0.01, version=100)
    _, shown = told_of(story.end(1.0))
    assert shown == ["called with: ● 1 traced, 12 B · ○ 0 static · on cpu:0", "● x  f32[3]  12 B"]


def test_arguments_that_are_known_of_one_call_are_not_those_of_all_calls() -> None:
    story, step = story_of_versions(3, 4, 5)
    story.hit(step, 0.1, 0.01)
    story.hit(step, 0.2, 0.01, version=101)
    said, shown = told_of(story.end(1.0))
    assert "1 hit of one of versions 1–3" in said
    assert shown == ["called with, in call 2: ● 1 traced, 16 B · ○ 0 static · on cpu:0", "● x  f32[4]  16 B"]


def test_versions_that_ran_in_turn_each_show_their_own_arguments() -> None:
    story, step = story_of_versions(3, 4)
    for at_s, version in ((0.1, 100), (0.2, 101)):
        story.hit(step, at_s, 0.01, version=version)
    _, shown = told_of(story.end(1.0))
    assert [line.split()[0:3] for line in shown] == [
        ["inputs:", "●", "1"],
        ["●", "x", "f32[3]"],
        ["inputs:", "●", "1"],
        ["●", "x", "f32[4]"],
    ]


def test_the_hits_of_a_version_are_not_those_of_its_function() -> None:
    story, step = story_of_versions(3, 4)
    for number, version in enumerate((100, 101, 101, None, 101)):
        story.hit(step, 0.1 * number, 0.01, version=version)
    function = only(story.end(1.0))
    assert [(version.version, version.hits) for version in function.versions] == [(1, 1), (2, 3)]
    assert (function.hits_of_unknown_version, function.unknown_version) == (1, "one of versions 1–2")
    assert function.told == "5 calls: 5 hits, 0 compiles"


def test_the_arguments_of_an_inlined_call_are_its_own() -> None:
    story, step = story_of_versions(3, 4)
    own = Signature((array("x", (5,)),), is_partial=True)
    for number, signature in enumerate((None, own)):
        call = ev.CallFinished(EPOCH_S + 1, 900 + number, step, EPOCH_S, "inlined", signature=signature)
        story.events.append(call)
    said, shown = told_of(story.end(1.0))
    assert said == []
    assert [line.split(":")[0] for line in shown] == ["called with, in call 2", "● x  f32[5]  20 B"]
