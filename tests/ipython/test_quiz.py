"""Cells with a quiz before the panel. tests/browser/test_quiz.py has its display in a browser."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jitviz.display.access import OF_A_CELL
from jitviz.display.text import render

from .conftest import Run

SETUP = """
import jax, jax.numpy as jnp
x = jnp.ones(3)
double = jax.jit(lambda x: x * 2)
def triple(x, mode):
    return x * 3
"""


def test_the_panel_of_a_quiz_has_questions(run: Run) -> None:
    run(SETUP)
    assert run("%%filterjit --quiz\ndouble(x)").quizzes == [True]
    assert run("%%filterjit\ndouble(x)").quizzes == [False]


def test_what_the_cell_prints_and_its_value_are_shown_as_usual(run: Run) -> None:
    run(SETUP)
    ran = run("%%filterjit --quiz\nprint('printed')\ndouble(x)\n41 + 1")
    assert ran.value == 42
    assert ran.stdout == "printed\nOut[2]: 42\n"


def test_a_quiz_combines_with_every_other_option(run: Run) -> None:
    run(SETUP)
    ran = run("%%filterjit -f triple --quiz\ntriple(x, 'train')")
    assert [call.function for call in ran.recording.calls] == ["triple"]
    assert ran.quizzes == [True]
    ran = run("%%filterjit --quiz --cell\ny = x + 1")
    assert [call.outcome for call in ran.recording.calls] == ["compile"]
    assert ran.quizzes == [True]


def test_cells_without_a_header_have_no_quiz(run: Run) -> None:
    run(SETUP)
    run("%jitviz on")
    assert run("double(x)").quizzes == [False]


def test_a_cell_that_raises_has_a_quiz_as_well(run: Run) -> None:
    run(SETUP)
    ran = run("%%filterjit --quiz\ndouble(x)\n1 / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    assert ran.quizzes == [True]


def test_nothing_is_shown_while_the_cell_runs(
    run: Run, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    monkeypatch.setattr(shell, "kernel", object(), raising=False)
    monkeypatch.setattr("jitviz.display.notebook_output.Shown", opened.append)
    run(SETUP)
    run("%%filterjit --quiz\ndouble(x)")
    assert opened == []


def test_a_terminal_prints_questions_then_answers_then_the_panel(shell: InteractiveShell) -> None:
    shell.run_cell(SETUP)
    with capture_output() as output:
        calls = "y = triple(x, 'train'); z = triple(x, 'eval')"
        shell.run_cell(f"%%filterjit -f triple --quiz\n{calls}", store_history=True)
    recording = shell.run_line_magic("jitviz", "last")
    assert output.stdout == render(recording, has_quiz=True, access=OF_A_CELL) + "\n"
    asked, _, answered = output.stdout.partition("The answers are below.")
    assert asked.splitlines()[1:3] == ["1. What made call 1 compile?", "2. What made call 2 compile?"]
    assert "2. `mode` 'train' → 'eval'" in answered
