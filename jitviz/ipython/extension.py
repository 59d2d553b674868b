"""Loading jitviz into a shell, and unloading it.

In: a shell.  Out: the shell with the magics, their completion, the recording of cells, and the prompts of cells as the
names of their files: "In [3]".
Must never: leave anything behind after unloading.
"""

import re
from collections.abc import MutableMapping
from contextlib import ExitStack
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import no_var_expand

from .. import capture
from ..capture import sources
from ..recording import Recording
from . import completion
from .header import HeaderRemover, did_you_mean, parse_options
from .line_magic import Session
from .recorded_cells import Cells

_NUMBERED = re.compile(r"<ipython-input-(\d+)-\w+>")


class Extension:
    """jitviz in one shell, from `%load_ext` to `%unload_ext`."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._cells = Cells(shell)
        self._names = CellNames(shell)
        self._session = Session(self._cells)
        self._undo = ExitStack()

    def load(self) -> None:
        """Add every part to the shell, or none if one fails."""
        shell = self._shell
        with ExitStack() as undo:
            undo.callback(sources.name_cells, sources.name_cells(self._names.name_of))
            capture.watch()
            undo.callback(capture.unwatch)
            undo.callback(self._cells.abandon)
            callbacks = (
                ("pre_run_cell", self._names.note),
                ("pre_run_cell", self._cells.begin),
                ("post_run_cell", self._cells.end),
            )
            for event, callback in callbacks:
                shell.events.register(event, callback)
                undo.callback(shell.events.unregister, event, callback)
            _append(undo, shell.input_transformers_cleanup, HeaderRemover())
            completion.install(shell, undo)
            magics = shell.magics_manager.magics
            _put(undo, magics["cell"], "filterjit", self.filterjit)
            _put(undo, magics["line"], "filterjit", self.filterjit_line)
            _put(undo, magics["line"], "jitviz", self.jitviz)
            self._undo = undo.pop_all()

    def unload(self) -> None:
        """Remove every part, in reverse order."""
        self._undo.close()

    def filterjit(self, line: str, cell: str) -> None:
        """Run this cell as usual, record every jitted call in it, and show what JIT compilation did.

        Usage:
          %%filterjit                the cell stays as it is; every jitted call in it is recorded
          %%filterjit -f NAME ...    also filter-jit these functions, for this cell only: functions of earlier cells,
                                     and functions that the cell defines with `def`
          %%filterjit --cell         compile the cell itself, as one filter-jitted function
          %%filterjit --quiz         guess before you look; combines with the others
          %filterjit EXPRESSION      compile one expression; y = %filterjit f(x) keeps its value

        Example:
          %%filterjit
          for x in (jnp.ones(3), jnp.ones(3), jnp.ones(4)):
              step(x)

          The first call compiles `step`, the second is a hit. The third compiles again, and the panel says why: `x`
          changed its shape from f32[3] to f32[4].

        Output:
          The printed output and the value of the cell, as usual, then the panel, even if the cell raises:
            above the tabs          what could be saved of how many seconds
            Score                   calls across, the leaves of the arguments down, seconds above: traced is filled,
                                    static hollow, and what made a call compile is marked. A column opens to its
                                    reasons, both sides, and programs. Below it each cause and what to do, and the
                                    lines of the cell with their wall time
            Time                    where the time went, by function and line
            Program                 the source beside jaxpr, StableHLO and HLO, line by line: the operations of each
                                    line, where the work comes from, changes between versions, the jaxpr as a graph
            Notes                   what jitviz could not see, once in a notebook
          Functions jitted with jax.jit, jitviz.filter_jit, equinox.filter_jit or flax's nnx.jit are recorded without
          -f. In a terminal, the panel is text.

        With --quiz:
          When the cell has run, you see the covered score of the function that compiled again. It asks of each call
          whether it was a hit, then what made it compile: click its row, or go there with the arrow keys and press
          Enter. You see the answer, and after the last one the panel. Your answers are not stored. To show the calls
          to others without guessing, press → in the score: it uncovers one after another.

        With --cell:
          The inputs are the names that the cell reads, the outputs are those that it assigns; the value of the last
          line is shown as usual. The panel lists both. Arrays are traced. Numbers, strings, functions and
          modules are static: a new value compiles a new version. Run again with arrays of the same shapes and equal
          static values, the cell is a hit: one program runs, and no Python.

            %%filterjit --cell
            grads = jax.grad(loss)(w, x, y)
            w = w - 0.1 * grads
            loss(w, x, y)

          So Python runs only when a version is compiled:
            print(x)            prints once per version, without numbers; jax.debug.print prints them in every run
            rng.normal()        NumPy's random numbers would be those of the first run; use jax.random with a key
            if x.sum() > 0:     cannot be decided; use jnp.where or jax.lax.cond. `if` and `for` on static values work
            losses.append(x)    would change a copy; write losses = [*losses, x]
            def f(t): ...       works, and is an output; arrays that it reads from the cell are those of the last run
          Values that a function of an earlier cell reads from the notebook are not inputs of this cell: they are fixed
          when the version is compiled, as with jax.jit.

          `return`, `yield`, `await`, `global`, `import *`, magics and shell commands cannot be compiled, nor can code
          that needs the numbers in a traced array, as in f"{x:.2f}", or hides its names, as `exec` and `globals()` do.
          The error names the line and the next step; nothing is assigned.

        Next steps:
          %jitviz help [TERM]        explains a term of the panel, with an example
          %jitviz?                   record all cells, show them in one panel, save and load them
          rec = %jitviz last         the recording as a value: rec.compiles[0].reasons, rec.to_html("panel.html");
                                     jitviz.work(rec.compiles[0]) and jitviz.diff(...) describe programs in text
          with jitviz.record()       the same in a script; `jitviz run script.py` needs no change to the script
          jitviz.no_recompiles()     fails a test that compiles again, with the reason
          jitviz demo --lab          opens the course in JupyterLab; type it in a terminal
        """
        # IPython calls this for wrong options, which raise here, and for programs that run the magic by name.
        parse_options(line)
        self._shell.run_cell(f"%%filterjit {line}\n{cell}").raise_error()

    @no_var_expand
    def filterjit_line(self, line: str) -> Any:
        """Compile one expression as one filter-jitted function, run it, and show what JIT compilation did.

        Usage:
          %filterjit EXPRESSION
          y = %filterjit EXPRESSION
          %filterjit --predict f(x)     print whether a jitted function would hit or compile, and why, without a call

        The names in the expression are its inputs: arrays are traced, everything else is static. The same expression
        with arrays of the same shapes and equal static values is a hit. %%filterjit? describes which code can be
        compiled, and how to compile a whole cell.

        Example:
          %filterjit loss(model, x)
        """
        __tracebackhide__ = True
        from . import expression  # see `Cells`

        first, _, rest = line.strip().partition(" ")
        if first == "--predict":
            return expression.predict_call(rest.strip(), self._shell)
        if first in ("-f", "--cell", "--quiz"):
            raise UsageError(f"{first} belongs to %%filterjit, with two %, in the first line of a cell.")
        if meant := did_you_mean(first, ("--predict",)):
            raise UsageError(f"%filterjit: there is no option {first}.{meant}")
        self._names.note_text(expression.text_of(line))
        return self._cells.run_expression(line)

    def jitviz(self, line: str) -> Recording | None:
        """Choose which cells are recorded, and show, save or load the recordings of this session.

        Usage:
          %jitviz on          record every cell, as if each began with %%filterjit; with --max 16MB, keep at most that
                              much of hits and program texts: the oldest hits become totals, and compiles stay
          %jitviz off         record only cells that begin with %%filterjit, the default
          %jitviz status      print which cells are recorded, the versions, and what jitviz cannot see here
          %jitviz report      show one panel of all recorded cells
          %jitviz last        return the recording of the last panel: rec = %jitviz last
          %jitviz clear       drop all recorded cells
          %jitviz save PATH   write all recorded cells to a file (JSON lines)
          %jitviz load PATH   show the panel of a saved recording
          %jitviz why         explain the last exception: the leaf, the line, and what to write instead
          %jitviz help [TERM] explain a term of the panel, with an example, as in %jitviz help weak type
        """
        return self._session.run(line)


def _append(undo: ExitStack, items: list[Any], item: Any) -> None:
    items.append(item)
    undo.callback(items.remove, item)


def _put(undo: ExitStack, items: MutableMapping[str, Any], key: str, value: Any) -> None:
    if key in items:
        undo.callback(items.__setitem__, key, items[key])
    else:
        undo.callback(items.pop, key)
    items[key] = value


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
