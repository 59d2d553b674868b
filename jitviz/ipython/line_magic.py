"""`%jitviz`: the recordings of this session, and which cells are recorded.

In: the line after `%jitviz`.  Out: printed lines and panels, a recording, or a file.
"""

import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path
from textwrap import indent

from IPython.core.error import UsageError

from .. import __version__
from ..errors import explained
from ..model import count
from ..model.printable import print_safely
from ..recording import Recording, load, merge
from .cell_panel import let_go, show_panel
from .header import did_you_mean
from .recorded_cells import Cells

USAGE = "%jitviz on [--max SIZE]|off|status|report|last|clear|save PATH|load PATH|why|help [TERM]"
_LISTED = "Terms of the panel. %jitviz help TERM explains one, as in %jitviz help weak type:"
_NOTHING = "Nothing is recorded yet. Begin a cell with %%filterjit, or write %jitviz on to record every cell."
_SIZE = re.compile(r"(\d+(?:\.\d*)?) ?([kMG]?)(B?)", re.IGNORECASE)
_LEAST_BARE = 10_000  # bytes; a smaller number without a unit is one whose unit was forgotten
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def _nbytes(text: str) -> int:
    """The number of bytes that a text like "64 MB" means.

    Raises:
        UsageError: the text is not a size, or so small a number that a unit must be missing.
    """
    size = _SIZE.fullmatch(text.strip())
    if size is None:
        raise UsageError(f"%jitviz on --max: {text.strip()!r} is not a size. Write 64MB, or a number of bytes.")
    nbytes = int(float(size[1]) * _UNITS[size[2].lower()])
    if nbytes < _LEAST_BARE and not size[2] + size[3]:
        raise UsageError(f"%jitviz on --max: {size[1]} means bytes. Write {size[1]}MB, or {size[1]}B if you mean that.")
    return nbytes


class Session:
    """The verbs of `%jitviz`, one method each."""

    verbs = ("on", "off", "status", "report", "last", "clear", "save", "load", "why", "help")

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._reports: list[Recording] = []  # that were shown

    def run(self, line: str) -> Recording | None:
        """Run the verb on the line. Only `last` returns a recording.

        Raises:
            UsageError: there is no such verb, its file cannot be read or written, or nothing is recorded yet.
        """
        verb, _, rest = line.strip().partition(" ")
        path = rest.strip().strip("\"'")
        if verb not in self.verbs:
            problem = f": there is no command {verb!r}" if verb else " takes a command"
            raise UsageError(f"%jitviz{problem}.{did_you_mean(verb, self.verbs)} Write {USAGE}.")
        if verb == "help":
            self.help(rest)
            return None
        if verb == "on" and path.startswith("--max "):
            self._cells.max_bytes = _nbytes(path.removeprefix("--max "))
            path = ""
        if bool(path) != (verb in ("save", "load")):
            if not path:
                raise UsageError(f"%jitviz {verb} takes a path, as in %jitviz {verb} run.jsonl.")
            given = path.partition(" ")[0]
            meant = did_you_mean(given, ("--max",)) if verb == "on" and given != "--max" else ""
            raise UsageError(f"%jitviz {verb} does not take {path!r}.{meant} Write {USAGE}.")
        if verb in ("report", "save") and not self._cells.recorded:
            print_safely(_NOTHING)
            return None
        try:
            recording: Recording | None = getattr(self, verb)(*([Path(path).expanduser()] if path else []))
        except OSError as error:
            raise UsageError(f"%jitviz {verb} {path}: {error.strerror or error}.") from None
        except ValueError as error:
            raise UsageError(f"%jitviz {verb}: {error}") from None
        return recording

    def on(self) -> None:
        """Record every cell, starting with the next."""
        self._cells.is_on = True
        print_safely("jitviz records every cell, starting with the next. %jitviz off stops it.")

    def off(self) -> None:
        """Record only cells that begin with `%%filterjit`."""
        self._cells.is_on = False
        print_safely("jitviz records cells that begin with %%filterjit.")

    def status(self) -> None:
        """Print which cells are recorded, the versions, how much is recorded, and what jitviz cannot see here."""
        recorded = self._cells.recorded
        calls = sum(len(recording.calls) for recording in recorded)
        compiles = sum(len(recording.compiles) for recording in recorded)
        which = "every cell" if self._cells.is_on else "cells that begin with %%filterjit"
        print_safely(f"jitviz {__version__}, jax {version('jax')}, Python {platform.python_version()}")
        print_safely(f"recording: {which}")
        print_safely(f"recorded:  {count(len(recorded), 'cell')}, {count(calls, 'call')}, {count(compiles, 'compile')}")
        for limit in dict.fromkeys(limit for recording in recorded for limit in recording.facts.limits):
            print_safely(f"limit:     {limit}")

    def report(self) -> None:
        """Show one panel of all recorded cells."""
        self._show(merge(*self._cells.recorded))

    def last(self) -> Recording:
        """The recording of the last panel: of a cell, a report, or a file."""
        if self._cells.shown is None:
            raise UsageError(f"%jitviz last: {_NOTHING}")
        return self._cells.shown

    def why(self) -> None:
        """Explain the last exception of this session: at which leaf it was raised, and what to write instead."""
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if error is None:
            raise UsageError("%jitviz why: no cell of this session has raised.")
        if isinstance(error, UsageError):
            raise UsageError(f"%jitviz why: the last cell that failed has a wrong magic. {error}")
        print_safely(explained(error))

    def clear(self) -> None:
        """Drop all recordings."""
        dropped = count(len(self._cells.recorded), "recorded cell")
        let_go([*self._cells.recorded, *self._reports])
        self._cells.recorded.clear()
        self._cells.shown = None
        self._reports.clear()
        print_safely(f"jitviz dropped {dropped}.")

    def save(self, path: Path) -> None:
        """Write all recorded cells to a file."""
        recording = merge(*self._cells.recorded)
        calls, compiles = count(len(recording.calls), "call"), count(len(recording.compiles), "compile")
        print_safely(f"saved {calls} and {compiles} to {recording.save(path)}")

    def load(self, path: Path) -> None:
        """Show the panel of a saved recording."""
        self._show(load(path))

    def _show(self, recording: Recording) -> None:
        self._reports.append(recording)
        self._cells.shown = recording
        show_panel(recording)

    def help(self, term: str) -> None:
        """Explain a term of the panel, with an example; without a term, list all of them.

        Raises:
            UsageError: there is no such term.
        """
        from ..display.wrapped_lines import wrap  # see `cell_panel`
        from ..views.glossary import GLOSSARY, find_term, suggest_terms

        if not term.strip():
            print_safely("\n".join([_LISTED, *wrap(" · ".join(GLOSSARY), 100, "  ")]))
            return
        name = find_term(term)
        if name is None:
            close = suggest_terms(term)
            hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else "%jitviz help lists all."
            raise UsageError(f"%jitviz help: {term.strip()!r} is not a term of the panel. {hint}")
        entry = GLOSSARY[name]
        print_safely("\n".join([*wrap(f"{name}: {entry.text}", 100), "", *indent(entry.example, "    ").split("\n")]))
