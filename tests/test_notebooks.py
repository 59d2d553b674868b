from pathlib import Path
from typing import Any

import nbformat
import pytest

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    return nbformat.read(request.param, as_version=4)


def test_there_is_a_first_notebook() -> None:
    assert FOLDER / "01_first_look.ipynb" in NOTEBOOKS


def test_a_notebook_is_valid_and_names_its_kernel(notebook: Any) -> None:
    nbformat.validate(notebook)
    assert notebook.metadata["kernelspec"]["name"] == "python3"


def test_outputs_are_stripped(notebook: Any) -> None:
    kept = [cell.id for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")]
    assert kept == []


def test_a_notebook_loads_jitviz_and_looks_at_cells(notebook: Any) -> None:
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert any("%load_ext jitviz" in source for source in sources)
    assert any(source.startswith("%%filterjit") for source in sources)
