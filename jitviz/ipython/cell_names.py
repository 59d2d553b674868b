"""The prompts of cells, by the file names that IPython compiles them under.

In: IPython's `pre_run_cell` events, file names.  Out: "In [3]", or None for a file that is no cell.
Must never: keep the text of a cell.
"""

from __future__ import annotations

import re
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

_NUMBERED = re.compile(r"<ipython-input-(\d+)-\w+>")


class CellNames:
    """The names of the cells of one shell.

    IPython 8 knows them. In an older shell the file name has the number of the cell, and in an older kernel it depends
    on the text alone: there the number is noted as the cell begins.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._format = getattr(shell.compile, "format_code_name", None)
        self._numbers: dict[str, int] = {}

    def note(self, info: Any) -> None:
        """A cell begins."""
        if self._format is None and info.store_history and info.raw_cell:
            name = self._shell.compile.get_code_name(info.raw_cell, info.raw_cell, self._shell.execution_count)
            self._numbers[name] = self._shell.execution_count

    def name_of(self, filename: str) -> str | None:
        """The prompt of the cell that IPython compiled under this name, as in `In [3]`."""
        if self._format is not None:
            named = self._format(filename)
            return None if named is None else str(named[1]).replace("[", " [")
        numbered = _NUMBERED.fullmatch(filename)
        number = numbered[1] if numbered else self._numbers.get(filename)
        return None if number is None else f"In [{number}]"
