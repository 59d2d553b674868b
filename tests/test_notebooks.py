"""The notebooks: their form, and a run of each. A wrong claim in a notebook raises in one of its own cells."""

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    return nbformat.read(request.param, as_version=4)


def code_of(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def is_magic(line: str) -> bool:
    return line.startswith("%") or " = %" in line


def test_the_notebooks_are_numbered_without_a_gap() -> None:
    assert [int(path.stem[:2]) for path in NOTEBOOKS] == list(range(1, len(NOTEBOOKS) + 1))


def test_a_notebook_is_valid_and_has_no_outputs(notebook: Any) -> None:
    nbformat.validate(notebook)
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert [cell.id for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []
    name = notebook.cells[0].id.rpartition("-")[0]
    assert [cell.id for cell in notebook.cells] == [f"{name}-{number:02}" for number in range(len(notebook.cells))]
    assert notebook.cells[0].cell_type == "markdown"
    assert notebook.cells[0].source.startswith("# ")


def test_a_notebook_loads_jitviz_and_records_cells(notebook: Any) -> None:
    sources = code_of(notebook)
    assert any("%load_ext jitviz" in source for source in sources)
    assert any(source.startswith("%%filterjit") for source in sources)


def test_a_notebook_asserts_what_it_claims(notebook: Any) -> None:
    lines = [line for source in code_of(notebook) for line in source.splitlines()]
    tree = ast.parse("\n".join("" if is_magic(line) else line for line in lines))
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))


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


def test_no_cell_answers_the_quiz_before_the_reader_does(notebook: Any) -> None:
    sources = code_of(notebook)
    after = [sources[place + 1 :] for place, source in enumerate(sources) if "--quiz" in source]
    assert [source for rest in after for source in rest if "assert" in source] == []
