"""Running a script or the cells of a notebook with edited sources, in this process and recorded.

In: a JSON file: the texts that take the place of files, what to run, where to save.  Out: its output, its exit status.
Must never: write to the files that the texts take the place of, or keep bytecode of the texts.

The program sees its own path, folder and arguments: only what is read from the files differs.
"""

import json
import linecache
import os
import re
import runpy
import sys
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from .jax_import import when_jax_is_imported

_CELL = re.compile(r"<ipython-input-(\d+)-\w+>")


def main() -> None:
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    _replace(task["texts"])
    if task["cells"] is not None:
        sys.exit(_run_cells(task["cells"].values(), Path(task["save"]), goes_on=task["goes_on"]))
    sys.argv = ["jitviz", "run", "--save", task["save"], task["path"], *task["args"]]
    runpy.run_module("jitviz", run_name="__main__", alter_sys=True)


def _replace(texts: dict[str, str]) -> None:
    """Let imports and tracebacks read these texts in place of the files."""
    read, status = SourceFileLoader.get_data, SourceFileLoader.path_stats

    def get_data(self: Any, path: str) -> bytes:
        text = texts.get(os.path.realpath(path))
        return read(self, path) if text is None else text.encode()

    def path_stats(self: Any, path: str) -> Any:
        if os.path.realpath(path) in texts:
            raise OSError  # so that its bytecode is neither read nor written
        return status(self, path)

    SourceFileLoader.get_data, SourceFileLoader.path_stats = get_data, path_stats  # type: ignore[method-assign]
    for path, text in texts.items():
        linecache.cache[path] = len(text), None, text.splitlines(keepends=True), path


def _run_cells(cells: Iterable[str], save: Path, *, goes_on: bool) -> int:
    """Run the cells of a notebook, until one raises unless it `goes_on`. Returns the number of those that raised."""
    from IPython.core.interactiveshell import InteractiveShell

    shell: Any = InteractiveShell.instance(colors="NoColor")
    shell.history_manager.enabled = False  # these cells are not the user's
    sys.path[0] = ""
    recordings: list[Any] = []

    def begin() -> None:
        from .. import capture

        capture.sources.name_cell = lambda file: f"In [{found[1]}]" if (found := _CELL.fullmatch(file)) else None
        recordings.append(capture.begin("notebook"))
        recordings[0].save(save)

    with when_jax_is_imported(begin):
        if goes_on:  # a session that has jitviz, whoever loaded it
            shell.run_line_magic("load_ext", "jitviz")
        n_raised = 0
        for cell in cells:
            n_raised += not shell.run_cell(cell, store_history=True).success
            if n_raised and not goes_on:
                break
    for recording in recordings:
        from ..capture import end

        end(recording)
    return n_raised


if __name__ == "__main__":
    main()
