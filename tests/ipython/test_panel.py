"""The text panel of a shell without a kernel. test_kernel.py has the panel in a kernel."""

import re
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jitviz.display.text import render
from jitviz.ipython.cell_panel import show_panel
from jitviz.recording import Recording


def printed(shell: InteractiveShell, cell: str) -> str:
    with capture_output() as output:
        shell.run_cell(cell, store_history=True)
    return output.stdout


def test_the_panel_follows_the_value_of_the_cell(shell: InteractiveShell) -> None:
    shell.run_cell("import jax, jax.numpy as jnp\nx = jnp.ones(3)\ndouble = jax.jit(lambda x: x * 2)")
    out, title, *panel = printed(shell, "%%filterjit\ny = double(x)\n41 + 1").split("\n")
    assert out == "Out[1]: 42"
    assert title.endswith(" compiling, nothing to save")
    assert "<lambda> · jax.jit · defined at In [1]:3" in panel  # the lines above depend on the times


def test_the_panel_of_a_cell_without_a_jitted_call_says_what_to_write(shell: InteractiveShell) -> None:
    panel = printed(shell, "%%filterjit\ny = 1")
    seen = "No jitted call was seen" if sys.version_info >= (3, 12) else "Nothing compiled"
    assert panel.startswith(f"{seen} in this cell\n")
    assert "%%filterjit -f NAME" in panel


def test_what_the_panel_says_to_type_gives_the_code_and_the_program(shell: InteractiveShell) -> None:
    shell.run_cell("import jax, jax.numpy as jnp\ndouble = jax.jit(lambda x: x * 2)")
    panel = printed(shell, "%%filterjit\nfor n in (3, 4, 5): double(jnp.ones(n))")
    (last, shown), (texts, again) = re.findall(r"`(rec[^`]*)`, (?:then|after) `([^`]*rec[^`]*)`", panel)[:2]
    assert (last, again) == ("rec = %jitviz last", "rec = %jitviz last")
    shell.run_cell(last)
    recording = shell.user_ns["rec"]
    assert printed(shell, shown) == recording.findings[0].code + "\n"
    assert shell.ev(texts) == recording.compiles[0]


def test_what_jitviz_cannot_see_and_the_versions_are_said_once_in_a_session(shell: InteractiveShell) -> None:
    shell.run_cell("import jax, jax.numpy as jnp\ndouble = jax.jit(lambda x: x * 2)")
    panels = [printed(shell, f"%%filterjit\ndouble(jnp.ones({n}));") for n in (3, 4)]
    told = [tuple(len(re.findall(rf"\n{word}[:\n]", panel)) for word in ("limits", "environment")) for panel in panels]
    assert told == [(1, 1), (0, 0)]


def test_notes_are_printed_below_the_panel(capsys: pytest.CaptureFixture[str], shell: InteractiveShell) -> None:
    show_panel(Recording(), ["`f` is jitted already."])
    assert capsys.readouterr().out == f"{render(Recording())}\njitviz: `f` is jitted already.\n"


def test_an_error_of_the_panel_is_one_line_and_the_value_is_still_shown(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ValueError("no such colour")

    monkeypatch.setattr("jitviz.display.notebook_output.display", fail)
    assert printed(shell, "%%filterjit\n41 + 1") == (
        "Out[1]: 42\njitviz: capture incomplete: ValueError: no such colour\n"
    )


def test_the_score_marks_the_leaf_of_an_exception_that_left_the_cell(shell: InteractiveShell) -> None:
    shell.run_cell("import jax\n@jax.jit\ndef halve(w, n):\n    return w / n if w > 3 else w")
    panel = printed(shell, "%%filterjit\nhalve(5.0, 2)").split("\n")
    signs = [re.sub(" +", " ", line).strip() for line in panel if re.match(r"  [wn] +[●○✕◆]", line)]
    assert signs == ["w ✕ f32[]", "n ● i32[]"]
