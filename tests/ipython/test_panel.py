import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jitviz.ipython.panel import show_panel
from jitviz.recording import Recording

SETUP = "import jax, jax.numpy as jnp\nx = jnp.ones(3)\ndouble = jax.jit(lambda x: x * 2)"


def shown(shell: InteractiveShell, cell: str) -> list[dict[str, str]]:
    """What the cell displays."""
    with capture_output() as output:
        shell.run_cell(cell, store_history=True)
    return [one.data for one in output.outputs]


def test_the_panel_is_one_display_as_text_and_as_html(shell: InteractiveShell) -> None:
    shell.run_cell(SETUP)
    (panel,) = shown(shell, "%%filterjit\ny = double(x)")
    assert set(panel) == {"text/plain", "text/html"}
    assert panel["text/plain"].startswith("`<lambda>` compiled ")
    assert panel["text/html"].startswith("<div ")


def test_a_cell_without_a_jitted_call_says_so_and_what_to_write(shell: InteractiveShell) -> None:
    (panel,) = shown(shell, "%%filterjit\ny = 1")
    assert panel["text/plain"].startswith("No jitted call was seen in this cell.\n")
    assert "%%filterjit -f NAME" in panel["text/plain"]


def test_notes_stand_under_the_panel(shell: InteractiveShell) -> None:
    with capture_output() as output:
        show_panel(Recording(), ["`f` is jitted already."])
    assert len(output.outputs) == 1
    assert output.stdout == "jitviz: `f` is jitted already.\n"


def test_a_panel_that_fails_is_one_line_and_the_value_is_still_shown(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ValueError("no such colour")

    monkeypatch.setattr("jitviz.ipython.panel.show", fail)
    with capture_output() as output:
        shell.run_cell("%%filterjit\n41 + 1", store_history=True)
    assert output.stdout == "Out[1]: 42\njitviz: capture incomplete: ValueError: no such colour\n"
    assert output.outputs == []
