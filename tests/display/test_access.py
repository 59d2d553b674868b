"""What a text tells its reader to write, the reader can write: no text uses a name that it does not give."""

import re
from collections.abc import Callable
from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest

import jitviz
from jitviz.display.access import IN_HAND, OF_A_CELL, OF_A_RUN, in_files
from jitviz.display.html import draw_fragment, fragment
from jitviz.display.kept_answers import keep
from jitviz.display.text import begin_panel, render, render_beginning
from jitviz.recording import Recording
from jitviz.views import PANEL, SAVED, shape_panel
from tests.display.samples import recompile_by_treedef
from tests.findings.test_find import forty_sizes

_RECORDING = re.compile(r"(?<![\w./])rec(?:ording)?(?=[.)\[])")  # used as a variable
_GIVEN = "rec = %jitviz last"


def bounded(recording: Recording) -> str:
    return keep(recording, shape_panel(recording, PANEL), 1).note


@pytest.mark.parametrize(
    "written",
    [
        str,
        repr,
        jitviz.explain,
        fragment,
        bounded,
        lambda recording: jitviz.explain(recording.compiles),
        lambda recording: repr(recording.findings),
        lambda recording: str(jitviz.compare(recording, recording)),
        lambda recording: begin_panel(shape_panel(recording, SAVED)),
        lambda recording: render_beginning(recording, access=OF_A_RUN),
        lambda recording: render(recording, 400, access=in_files(["run {1}.jsonl"])),
        lambda recording: render(recording, 400, access=OF_A_CELL),
        lambda recording: begin_panel(shape_panel(recording, SAVED), 400, access=OF_A_CELL),
        lambda recording: draw_fragment(shape_panel(recording, SAVED), recording, None, OF_A_CELL),
    ],
)
def test_a_text_that_uses_the_recording_says_how_to_get_it(
    written: Callable[[Recording], str],
) -> None:
    for recording in (forty_sizes(), recompile_by_treedef()):
        lines = re.split(r"\n|</div>", written(recording))
        assert [line for line in lines if _RECORDING.search(line) and _GIVEN not in line] == []


@pytest.mark.parametrize("make", [forty_sizes, recompile_by_treedef])
def test_what_a_text_says_of_the_recording_in_hand_is_there(make: Callable[[], Recording]) -> None:
    recording = make()
    paths = re.findall(r"`(\.\w+\[\d+\][.\w]*)`", render(recording, 400))
    assert paths
    assert all(eval(f"recording{path}", {"recording": recording}) for path in paths)


def test_a_file_name_with_braces_is_written_as_it_is() -> None:
    access = in_files(["{a}.jsonl"])
    assert access.to_code(2) == "`jitviz show {a}.jsonl --code 2`"
    assert access.to_texts(3, ["hlo"]) == "`.hlo` of `jitviz.load('{a}.jsonl').compiles[3]`"


def test_where_there_is_no_way_to_the_texts_none_is_named() -> None:
    assert in_files(["a.jsonl", "b.jsonl"], are_merged=True).to_texts(0, ["hlo"]) == ""
    assert replace(IN_HAND, version="").to_texts(0, ["hlo"]) == ""


def test_a_function_is_explained_with_the_code_to_paste() -> None:
    grow = jax.jit(lambda x: x + 1)
    with jitviz.record() as recording:
        for length in (3, 4, 5):
            grow(jnp.ones(length))
    text = jitviz.explain(grow)
    assert f"   code to paste:\n\n{recording.findings[0].code.rstrip()}\n\n" in text
