import inspect
import re

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jitviz import capture, load_ipython_extension, unload_ipython_extension
from jitviz.ipython.extension import Extension
from tests.leftovers import left_by

from .conftest import Run, installed


def test_unloading_leaves_exactly_what_was_there(bare_shell: InteractiveShell) -> None:
    bare_shell.register_magic_function(lambda line, cell: "mine", "cell", "filterjit")
    bare_shell.display_formatter.formatters["text/html"].for_type(int, str)
    before = installed(bare_shell)
    load_ipython_extension(bare_shell)
    assert installed(bare_shell) != before
    unload_ipython_extension(bare_shell)
    assert installed(bare_shell) == before
    assert bare_shell.run_cell_magic("filterjit", "", "1") == "mine"


def test_loading_and_unloading_again_and_again_leaves_nothing(bare_shell: InteractiveShell) -> None:
    def turn() -> None:
        load_ipython_extension(bare_shell)
        unload_ipython_extension(bare_shell)

    there = installed(bare_shell)
    n_threads, n_files, n_objects = left_by(turn, 250)
    assert (n_threads, n_files) == (0, 0)
    assert n_objects < 200  # less than one per turn
    assert installed(bare_shell) == there


@pytest.mark.parametrize("jit", ["jax.jit", "eqx.filter_jit", "jitviz.filter_jit"])
def test_jitviz_may_be_loaded_and_unloaded_during_a_call(bare_shell: InteractiveShell, jit: str) -> None:
    bare_shell.run_cell("import equinox as eqx, jax, jitviz\nmagic = get_ipython().run_line_magic\nstep = outs = None")
    magics = [("load_ext", ""), ("reload_ext", "%%filterjit\n"), ("unload_ext", "%%filterjit\n")]
    bare_shell.run_line_magic("reload_ext", "jitviz")
    bare_shell.run_line_magic("unload_ext", "jitviz")  # after which IPython has loaded its own magics
    before = installed(bare_shell)
    for magic, first in magics:
        step = f"step = {jit}(lambda x: (magic({magic!r}, 'jitviz'), x * 2)[1])"
        with capture_output():
            assert bare_shell.run_cell(f"{first}{step}\nouts = float(step(1.0)), float(step(2.0))").success
        assert bare_shell.user_ns["outs"] == (2.0, 4.0)
        assert capture.is_watching() == (magic != "unload_ext")
    assert installed(bare_shell) == before


def test_loading_twice_is_loading_once(bare_shell: InteractiveShell) -> None:
    before = installed(bare_shell)
    load_ipython_extension(bare_shell)
    load_ipython_extension(bare_shell)
    unload_ipython_extension(bare_shell)
    assert installed(bare_shell) == before
    unload_ipython_extension(bare_shell)
    assert installed(bare_shell) == before


def test_the_cell_that_loads_jitviz_is_not_recorded(bare_shell: InteractiveShell) -> None:
    with capture_output() as output:
        assert bare_shell.run_cell("%load_ext jitviz").success
    assert output.stdout == ""


def test_help_describes_the_magics(shell: InteractiveShell) -> None:
    help_of = {}
    for magic in ("%%filterjit", "%filterjit", "%jitviz"):
        with capture_output() as output:
            shell.run_cell(f"{magic}?")
        help_of[magic] = re.sub(r"\x1b\[[0-9;]*m", "", output.stdout)
    assert "%%filterjit --cell         compile the cell itself, as one filter-jitted function" in help_of["%%filterjit"]
    assert "y = %filterjit EXPRESSION" in help_of["%filterjit"]
    assert "%jitviz save PATH   write all recorded cells to a file (JSON lines)" in help_of["%jitviz"]


def examples_of(doc: str) -> list[str]:
    """The example cells in a docstring: blocks of lines below a cell magic on its own line."""
    return [
        inspect.cleandoc(cell) for cell in re.findall(r"^ *%%filterjit(?: --cell)?\n(?: +\S.*\n)+", doc, re.MULTILINE)
    ]


def test_the_examples_in_the_docstring_do_what_it_says(run: Run) -> None:
    over_calls, whole = examples_of(Extension.filterjit.__doc__ or "")
    run("import jax, jax.numpy as jnp, jitviz\nstep = jitviz.filter_jit(lambda x: x + 1)")
    recording = run(over_calls).recording
    assert [call.outcome for call in recording.calls] == ["compile", "hit", "compile"]
    (reason,) = recording.compiles[1].reasons
    assert (reason.kind, reason.path, reason.before, reason.after) == ("shape", "x", "f32[3]", "f32[4]")
    run("w, x, y = jnp.ones(2), jnp.ones((3, 2)), jnp.zeros(3)\ndef loss(w, x, y): return ((x @ w - y) ** 2).mean()")
    assert [[call.outcome for call in run(whole).recording.calls] for _ in range(2)] == [["compile"], ["hit"]]
