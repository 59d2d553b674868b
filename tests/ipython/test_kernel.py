"""Behaviour that only a real kernel has: messages, execution counts, and Run All."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.display.golden import matches

LOAD = "%load_ext jitviz\nimport asyncio, jax, jax.numpy as jnp\nstep = jax.jit(lambda x: x * 2)"


def executed(folder: Path, cells: Sequence[str], *, continues: bool) -> Any:
    """The notebook after Run All, in a kernel whose working directory is `folder`."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        allow_errors=continues,
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute()
    except CellExecutionError:
        assert not continues
    return notebook


def kinds(cell: Any) -> list[str]:
    """The kinds of a cell's outputs. A panel is a display with HTML, then a widget that replaces it if it can."""
    return [_kind(output) for output in cell.outputs]


def _kind(output: Any) -> str:
    data = output.get("data", {})
    if "application/vnd.jupyter.widget-view+json" in data:
        return "widget"
    is_panel = "text/html" in data and output.output_type == "display_data"
    return "panel" if is_panel else str(output.get("ename", output.output_type))


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    cells = [
        LOAD,
        "%%filterjit\nstep(jnp.ones(3))",
        "%%filterjit\nawait asyncio.sleep(0, 'slept')",
        "%%filterjit\nstep(jnp.ones(4));",
        "%%filterjit\nstep(jnp.ones(5))\n\n1 / 0",
        "%%filterjit\nraise KeyboardInterrupt",
        "%%filterjit\nx = = 1",
        "%%filterjit --cells\nprint('ran')",
        "%%filterjit -f stpe\nprint('ran')",
        "%%time\n%%filterjit\nstep(jnp.ones(6))",
        "%%filterjit\nasync def later():\n    return step(jnp.ones(7))\nawait later()",
        "%%filterjit --cell\ny = 2 * jnp.ones(9)\ny.sum()",
        "%%filterjit --cell\n\nif step(y)[0]:\n    y = 0",
        "%filterjit jnp.tanh(y)",
        "%%filterjit --quiz\nstep(jnp.ones(10))",
        "%filterjit --predict step(jnp.ones(11))",
        "%jitviz status",
        "%jitviz help weak type",
        "%unload_ext jitviz",
        "step(jnp.ones(8))",
    ]
    return executed(tmp_path_factory.mktemp("kernel"), cells, continues=True)


def test_each_cell_has_the_output_of_a_plain_one_and_its_panel(notebook: Any) -> None:
    # The panel opens at the first compile, or at the end of a cell without one.
    assert [kinds(cell) for cell in notebook.cells] == [
        [],
        ["panel", "widget", "execute_result"],
        ["execute_result", "panel", "widget"],
        ["panel", "widget"],
        ["panel", "widget", "ZeroDivisionError"],
        ["KeyboardInterrupt", "panel", "widget"],
        ["SyntaxError"],
        ["stream"],  # one line on stderr, as for every magic
        ["NotAFunction"],
        ["panel", "widget", "stream", "execute_result"],
        ["panel", "widget", "execute_result"],
        ["panel", "widget", "execute_result"],
        ["panel", "widget", "CellError"],
        ["panel", "widget", "execute_result"],
        ["execute_result", "panel", "widget"],
        ["execute_result"],
        ["stream"],
        ["stream"],
        [],
        ["execute_result"],
    ]


# What depends on the machine (seconds and what is ordered by them, the timeline), or is JAX's (its texts and versions).
OF_THE_MACHINE = {
    r"\x1b\[[0-9;]*m": "",
    r"<?[\d.]+ (m?s )?of ([\d.]+|the [\d.]+) m?s": "A s",
    r"<?[\d.]+ [nmµμ]?s\b": "A s",
    r"(?<=spent compiling\.) (?:A s|All) of that [^.]*\.": "",
    r"After A s of compiling, ": "",
    r"(?m)^░ trace .*\n(?:.+\n)+": "",
    r"Where A s went:\n(?: .*\n)+": "Where A s went\n",
    r"(?m)^( +(?:jaxpr|StableHLO|HLO)): .*": r"\1",
    r"(?m)^( +cost): .*": r"\1",
    r"(?m)^.* · jax\.jit · defined at .*\n(?: .*\n)*(?=… and more)": "",
    r"(?m)^(?:limits: +|limit: +)On jax .*\n(?:  .*\n)*": "",
    r"(?m)^(?:environment: |… and more: ).*\n?": "",
    r"(?m)^(jitviz 0).*": r"\1",
    r"(?m)^Also: .*\n?": "",  # what of it is told depends on how long it took
    r"\s*\n\s*": "\n",
    r"(?m)^On jax .*\n?": "",
    r"(?<=\S) {3,}": "  ",  # as wide as the seconds above
    r"(?m)^limits:?\s(Hits of jax\.jit functions[^:]*):[^.]*\.\n(On jax (.|\n)*?your function\.\n)?": r"limits: \1\n",
}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="hits are not seen before Python 3.12")
def test_the_whole_outputs_are_the_same_with_all_versions(notebook: Any) -> None:
    told = "\n".join(f"=== {cell.source}\n{_text(output)}" for cell in notebook.cells for output in cell.outputs)
    for pattern, instead in OF_THE_MACHINE.items():
        told = re.sub(pattern, instead, told)
    assert matches("cells_of_a_notebook.txt", told)


def _text(output: Any) -> str:
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    text = str(output.text if output.output_type == "stream" else output.data.get("text/plain", "widget"))
    if _kind(output) == "panel":  # how its first sentences are broken into lines depends on the seconds in them
        head, blank, rest = text.partition("\n\n")
        text = " ".join(head.split()) + blank + rest
    return text


def test_await_works_at_top_level(notebook: Any) -> None:
    assert notebook.cells[2].outputs[0].data["text/plain"] == "'slept'"


def test_cells_are_numbered_as_in_the_notebook(notebook: Any) -> None:
    assert [cell.execution_count for cell in notebook.cells] == list(range(1, 21))
    text = notebook.cells[4].outputs[0].data["text/plain"]
    assert "In [5]:2" in text
    assert "defined at In [1]:3" in text
    assert "defined at In [14]:1" in notebook.cells[13].outputs[0].data["text/plain"]


def test_the_traceback_names_the_line_of_the_cell(notebook: Any) -> None:
    error = notebook.cells[4].outputs[-1]
    traceback = re.sub(r"\x1b\[[0-9;]*m", "", "".join(error.traceback))
    assert "----> 4 1 / 0" in traceback


def test_a_compiled_cell_shows_its_value_or_the_line_that_cannot_be_compiled(notebook: Any) -> None:
    assert notebook.cells[11].outputs[-1].data["text/plain"] == "Array(18., dtype=float32)"
    assert notebook.cells[12].outputs[-1].evalue.startswith("In [13], line 3: `if` needs a value, but `y` is traced")


def test_saved_output_does_not_contain_the_home_folder(notebook: Any) -> None:
    assert str(Path.home()) not in nbformat.writes(notebook)


def test_run_all_stops_at_a_cell_that_raises(tmp_path: Path) -> None:
    notebook = executed(tmp_path, [LOAD, "%%filterjit\n1 / 0", "print('went on')"], continues=False)
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, None]
    assert kinds(notebook.cells[1]) == ["ZeroDivisionError", "panel", "widget"]


def test_the_panel_of_a_large_program_is_complete_in_a_notebook_that_a_program_executes(tmp_path: Path) -> None:
    unrolled = "@jax.jit\ndef f(x):\n    for _ in range(100):\n        x = jnp.sin(x) * 2 + 1\n    return x"
    small = "import jitviz.ipython.recorded_cells\njitviz.ipython.cells.MOST_READ = 0"
    compiles = "%%filterjit\ny = f(jnp.ones(4))"
    notebook = executed(tmp_path, [LOAD, small, unrolled, compiles], continues=True)
    told = notebook.cells[3].outputs[0].data["text/plain"]  # the kernel was shut down right after it
    assert "was unrolled into 100 iterations" in told
    assert "not read" not in told
