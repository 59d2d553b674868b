"""Run the notebooks, and keep their outputs in them: `python notebooks/rerun.py`.

In: the notebooks beside this file, or those that are named; it needs the extra `lab`.
Out: the same files, with panels as static HTML, and without the state of widgets, the answers of a quiz and the paths
of this machine.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

_PATH = re.compile(r"/[\w./-]*/(?=site-packages/|ipykernel_\d+/)")


def rerun(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as elsewhere:
        NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": elsewhere}}).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.source.startswith("%%filterjit --quiz"):
            cell.outputs = []  # saved panels tell the answers
        if "outputs" in cell:
            cell.outputs = [_without_paths(output) for output in cell.outputs if not _is_widget(output)]
            for data in (output["data"] for output in cell.outputs if "data" in output):
                if "text/html" in data:
                    data.pop("text/plain", None)  # which nobody sees beside it
    nbformat.write(notebook, path)


def _without_paths(value: Any) -> Any:
    """The same without the folders of this machine, in all texts within."""
    if isinstance(value, str):
        return _PATH.sub("", value)
    if isinstance(value, list):
        return [_without_paths(item) for item in value]
    if isinstance(value, dict):
        return nbformat.from_dict({name: _without_paths(item) for name, item in value.items()})
    return value


def _is_widget(output: nbformat.NotebookNode) -> bool:
    return any(kind.startswith("application/vnd.jupyter.widget") for kind in output.get("data", {}))


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:] or sorted(Path(__file__).parent.glob("*.ipynb"))):
        print(path.name, flush=True)
        rerun(path)
