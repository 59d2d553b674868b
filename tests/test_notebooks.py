"""The notebooks: their form, their outputs, and a run of each. A wrong claim in a notebook raises in one of its own
cells."""

import ast
import importlib
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
RERUN = "run python notebooks/rerun.py"


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    return nbformat.read(request.param, as_version=4)


def code_of(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def is_magic(line: str) -> bool:
    return line.startswith("%") or " = %" in line


def test_the_notebooks_are_numbered_without_a_gap() -> None:
    assert [int(path.stem[:2]) for path in NOTEBOOKS] == list(range(len(NOTEBOOKS)))


def test_a_notebook_is_valid_and_has_the_outputs_of_one_run(notebook: Any) -> None:
    nbformat.validate(notebook)
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), RERUN
    outputs = [output for cell in code for output in cell.outputs]
    assert any("jitviz-static" in output.get("data", {}).get("text/html", "") for output in outputs), RERUN
    assert [output for output in outputs if "widget" in str([*output.get("data", {})])] == [], RERUN
    assert re.findall(r"/(?:home|Users|tmp|site-packages)/", str(outputs)) == []
    name = notebook.cells[0].id.rpartition("-")[0]
    assert [cell.id for cell in notebook.cells] == [f"{name}-{number:02}" for number in range(len(notebook.cells))]
    assert notebook.cells[0].cell_type == "markdown"
    assert notebook.cells[0].source.startswith("# ")


def test_a_notebook_loads_jitviz_and_records_cells(notebook: Any) -> None:
    sources = code_of(notebook)
    assert any("%load_ext jitviz" in source for source in sources)
    assert any(source.startswith("%%filterjit") for source in sources)


def test_a_notebook_asserts_what_it_claims_in_its_last_cell_which_is_folded(notebook: Any) -> None:
    asserting = [cell for cell in notebook.cells if cell.cell_type == "code" and asserts(cell.source)]
    assert asserting == notebook.cells[-1:]
    assert notebook.cells[-1].metadata == {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}


def asserts(source: str) -> bool:
    tree = ast.parse("\n".join("" if is_magic(line) else line for line in source.splitlines()))
    return any(isinstance(node, ast.Assert) for node in ast.walk(tree))


def test_a_notebook_ends_with_an_exercise_and_its_solution(notebook: Any) -> None:
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert "## Your turn" in texts[-2]
    assert texts[-1].startswith("<details><summary>The solution</summary>\n\n")


def test_the_notebooks_with_their_outputs_are_quick_to_fetch() -> None:
    assert sum(path.stat().st_size for path in NOTEBOOKS) < 2_000_000


@pytest.mark.notebooks
def test_a_notebook_runs_from_top_to_bottom(notebook: Any, tmp_path: Path) -> None:
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    shown = [str(output) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [text for text in shown if "capture incomplete" in text] == []
    assert [text for text in shown if str(Path.home()) in text] == []


@pytest.mark.notebooks
def test_the_gallery_has_pages_that_open_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    gallery = importlib.import_module("gallery")
    cells = ["# Steps", "%load_ext jitviz\nimport jax", "%%filterjit\njax.jit(lambda x: x * 2)(3.0)"]
    kinds = [nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell, nbformat.v4.new_code_cell]
    steps = nbformat.v4.new_notebook(cells=[make(text) for make, text in zip(kinds, cells, strict=True)])
    nbformat.write(steps, tmp_path / "steps.ipynb")
    name = "03_the_learning_rate"
    for folder in ("before", "after"):
        (tmp_path / "puzzles" / folder).mkdir(parents=True)
        shutil.copy(FOLDER / "puzzles" / folder / f"{name}.py", tmp_path / "puzzles" / folder)
    index = gallery.build(tmp_path)
    pages = {path.name: path.read_text() for path in index.parent.iterdir()}
    assert set(pages) == {"index.html", "steps.html", "steps_panel.html", f"{name}_before.html", f"{name}_after.html"}
    assert set(re.findall('href="([^"]*)"', pages["index.html"])) == set(pages) - {"index.html"}
    assert "gone: `update`: `rate` is static and had 3 values" in pages["index.html"]
    assert "-@functools.partial(jax.jit, static_argnames=&quot;rate&quot;)\n+@jax.jit" in pages["index.html"]
    assert "Out[2]:" in pages["steps.html"]
    assert "1 compile" in pages["steps.html"]
    assert all("content=\"default-src 'none'; " in page for page in pages.values())


def test_no_cell_answers_the_quiz_before_the_reader_does(notebook: Any) -> None:
    sources = code_of(notebook)
    after = [sources[place + 1 :] for place, source in enumerate(sources) if "--quiz" in source]
    assert [source for rest in after for source in rest[:-1] if "assert" in source] == []
