"""The prompts of cells, by the file names that IPython compiles them under.

In: file names, the inputs of a shell.  Out: "In [3]", or None for a file that is no cell.
"""

from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from ..model.patterns import pattern

_NUMBERED = pattern(r"<ipython-input-(\d+)-\w+>")


class CellNames:
    """The names of the cells of one shell.

    IPython knows them from version 8 on. Before, the file name of a cell has its number, and in a kernel it depends on
    the text alone: then the inputs of the shell are looked through, and those that the shell has not yet stored.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._format = getattr(shell.compile, "format_code_name", None)
        self._numbers: dict[str, int] = {}
        self._count = 0
        self._stored: list[str] = getattr(shell.history_manager, "input_hist_raw", [])

    def note(self, info: Any) -> None:
        """A cell begins."""
        if info.store_history and info.raw_cell:
            self.note_text(info.raw_cell)

    def note_text(self, text: str) -> None:
        """A text is compiled as part of the current cell."""
        if self._format is None:
            self._put(text, self._shell.execution_count)

    def name_of(self, filename: str) -> str | None:
        """The prompt of the cell that IPython compiled under this name, as in `In [3]`."""
        if self._format is not None:
            named = self._format(filename)
            return None if named is None else str(named[1]).replace("[", " [")
        for number in range(self._count, len(self._stored)):
            self._put(self._stored[number], number)
        self._count = len(self._stored)
        numbered = _NUMBERED.fullmatch(filename)
        number = int(numbered[1]) if numbered else self._numbers.get(filename, 0)
        return f"In [{number}]" if number else None

    def _put(self, text: str, number: int) -> None:
        self._numbers[self._shell.compile.get_code_name(text, text, number)] = number
