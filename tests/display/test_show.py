from __future__ import annotations

import sys

import pytest

import jitviz
from jitviz.display.text import render, render_compile
from tests.display import samples


def test_one_compile_is_drawn_by_itself() -> None:
    compile = samples.error_in_trace().compiles[1]
    assert render_compile(compile, 60) == (
        "Model.loss\n"
        "  version 2, at In [9]:3, failed\n"
        "    6.0 ms: trace 6.0 ms\n"
        "    failed: TypeError: dot_general requires contracting\n"
        "      dimensions to have the same shape, got (4,) and (5,).\n"
        "    shape: `x` has another shape.\n"
        "      → Pad the batch, or drop the last one.\n"
        "    inputs: ● 2 traced, 88 B · ○ 0 static · on cpu:0\n"
        "      ● w  f32[3,4]  48 B\n"
        "      ● x  f32[5,2]  40 B  ◄ shape: f32[4,2] → f32[5,2]"
    )


def test_outside_of_a_notebook_a_recording_is_shown_as_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    jitviz.show(samples.nothing())
    assert capsys.readouterr().out == render(samples.nothing()) + "\n"
