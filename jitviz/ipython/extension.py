"""Loading and unloading: what jitviz puts into a shell, and takes out again.

In: a shell.  Out: the shell with the magics, their completion, and cells that are watched.
Must never: leave anything behind after unloading. Each part knows how to remove itself.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import ExitStack
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import no_var_expand

from .. import capture
from ..capture import sources
from ..recording import Recording
from . import expression
from .cells import Cells
from .completion import Completion
from .header import HeaderRemover, parse_options
from .line_magic import Session


class Extension:
    """jitviz in one shell, from `%load_ext` to `%unload_ext`."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._cells = Cells(shell)
        self._session = Session(self._cells)
        self._undo = ExitStack()

    def load(self) -> None:
        """Put everything in; if anything goes wrong, nothing."""
        shell = self._shell
        with ExitStack() as undo:
            undo.callback(setattr, sources, "name_cell", sources.name_cell)
            sources.name_cell = self._name_cell
            capture.watch()
            undo.callback(capture.unwatch)
            undo.callback(self._cells.abandon)
            for event, callback in (("pre_run_cell", self._cells.begin), ("post_run_cell", self._cells.end)):
                shell.events.register(event, callback)
                undo.callback(shell.events.unregister, event, callback)
            _append(undo, shell.input_transformers_cleanup, HeaderRemover())
            _append(undo, shell.Completer.custom_matchers, Completion(shell).match)
            magics = shell.magics_manager.magics
            _put(undo, magics["cell"], "filterjit", self.filterjit)
            _put(undo, magics["line"], "filterjit", self.filterjit_line)
            _put(undo, magics["line"], "jitviz", self.jitviz)
            self._undo = undo.pop_all()

    def unload(self) -> None:
        """Take everything out, last in first."""
        self._undo.close()

    def filterjit(self, line: str, cell: str) -> None:
        """Run this cell as usual, record every jitted call in it, and show what JIT compilation did.

        Usage:
          %%filterjit                the cell stays as it is; every jitted call in it is recorded
          %%filterjit -f NAME ...    also filter-jit these functions, for this cell only: functions of earlier cells,
                                     and those that the cell defines with `def`
          %%filterjit --cell         compile the cell itself, as one filter-jitted function
          %%filterjit --quiz         guess before you look; goes with the others
          %%filterjit --profile      tell of XLA's own passes as well; goes with the others
          %filterjit EXPRESSION      compile this one expression; y = %filterjit f(x) keeps its value

        Example:
          %%filterjit
          for x in (jnp.ones(3), jnp.ones(3), jnp.ones(4)):
              step(x)

          The first call compiles `step`, the second is a hit. The third compiles again, and the panel says why: `x`
          changed its shape from f32[3] to f32[4].

        What you see:
          What the cell prints and its value, as always. Then the panel, which is there too when the cell raises:
            the verdict             what compiled and what it took, in a sentence; if it could be avoided, how
            Timeline & partition    each call as a bar: traced, lowered, compiled, run. Beside it the arguments of the
                                    chosen call as a tree, its leaves traced (arrays) or static (all else), and what
                                    changed since the version before
            Versions                what each function was compiled to: cost, memory, program texts, how often it ran
            Program                 the source beside jaxpr, StableHLO and HLO, line by line: what became of each line,
                                    where the work comes from, what differs between versions, the jaxpr as a graph
            Why                     the reason for every recompile: the leaf, what it was and is, what to do about it
            Notes                   what could not be seen here
          Functions that are jitted with jax.jit, jitviz.filter_jit, equinox.filter_jit or flax's nnx.jit are recorded
          by themselves; -f is for those that are not. In a terminal, the panel is text.

        With --quiz:
          When the cell is done, you are asked of each call whether it hit or compiled, and which leaves of the
          arguments of the first one are traced. The panel opens behind your answers, with the truth and the reason
          beside each. Nothing of it is stored.

        With --profile:
          A session of jax.profiler lasts as long as each compile, and tells which passes of XLA took the time:
          rec.compiles[0].passes, and the versions in text. There can be only one session: where yours is open, the
          panel says so, and nothing is profiled.

        With --cell:
          The inputs are the names that the cell reads, the outputs are those that it assigns; the value of the last
          line is shown as usual. The panel shows both as trees. Arrays are traced. Numbers, strings, functions and
          modules are static: another value is another version. The same cell, run again with arrays of the same
          shapes and equal static values, is a hit, and runs in one go without Python.

            %%filterjit --cell
            grads = jax.grad(loss)(w, x, y)
            w = w - 0.1 * grads
            loss(w, x, y)

          So Python runs only when a version is compiled:
            print(x)            prints once per version, and no numbers; jax.debug.print prints them at each run
            rng.normal()        NumPy's random numbers would be those of the first run; use jax.random with a key
            if x.sum() > 0:     cannot be decided; use jnp.where or jax.lax.cond. `if` and `for` on static values work
            losses.append(x)    would change a copy; write losses = [*losses, x]
            def f(t): ...       works, and comes out; an array that it reads from the cell is that of the last run
          What a function of an earlier cell reads from the notebook is no input of this cell: it is fixed when the
          version is compiled, as with jax.jit.

          `return`, `yield`, `await`, `global`, `import *`, magics and shell commands cannot be compiled, nor can what
          hangs on the numbers of a traced array. The error names the line and what to do; nothing is assigned then.

        Where to go on:
          %jitviz help [TERM]        what a word in the panel means, with an example
          %jitviz?                   record all cells, one panel of them all, save them, load them
          rec = %jitviz last         the recording as a value: rec.compiles[0].reasons, rec.to_html("panel.html");
                                     jitviz.work(rec.compiles[0]) and jitviz.diff(...) tell of programs in text
          with jitviz.record()       the same in a script; `jitviz run script.py` needs no change to it
          jitviz.no_recompiles()     fails a test that compiles again, with the reason
          jitviz demo --lab          the first notebook, opened in JupyterLab; typed in a terminal
        """
        # Reached with wrong options, which are told here, or when a program asks for this magic by name.
        parse_options(line)
        self._shell.run_cell(f"%%filterjit {line}\n{cell}").raise_error()

    @no_var_expand
    def filterjit_line(self, line: str) -> Any:
        """Compile one expression as one filter-jitted function, run it, and show what JIT compilation did.

        Usage:
          %filterjit EXPRESSION
          y = %filterjit EXPRESSION
          %filterjit --predict f(x)     say whether the jitted function f would hit or compile, and why; f is not called

        The names in the expression are its inputs: arrays are traced, all else is static. The same expression with
        arrays of the same shapes and equal static values is a hit. %%filterjit? tells what can be compiled, and how
        to do the same with a whole cell.

        Example:
          %filterjit loss(model, x)
        """
        return expression.ask(line, self._shell) if expression.is_question(line) else self._cells.run_expression(line)

    def jitviz(self, line: str) -> Recording | None:
        """Look at what was recorded in this session, and say what is.

        Usage:
          %jitviz on          record every cell, as if each began with %%filterjit; with --max 16MB, keep no more of
                              hits and program texts: the oldest hits become sums, and compiles stay
          %jitviz off         record cells that begin with %%filterjit, as at the start
          %jitviz status      what is recorded, by which versions, and what cannot be seen here
          %jitviz report      one panel of all recorded cells
          %jitviz last        the recording of the newest recorded cell, as a value: rec = %jitviz last
          %jitviz clear       forget all recorded cells
          %jitviz save PATH   write all recorded cells to a file (JSON lines)
          %jitviz load PATH   show the panel of a saved recording
          %jitviz help [TERM] what a word in the panel means, with an example, as in %jitviz help weak type
        """
        return self._session.run(line)

    def _name_cell(self, filename: str) -> str | None:
        """The prompt of the cell that IPython compiled under this name, as in `In [3]`."""
        named = self._shell.compile.format_code_name(filename)
        return None if named is None else named[1].replace("[", " [")


def _append(undo: ExitStack, items: list[Any], item: Any) -> None:
    items.append(item)
    undo.callback(items.remove, item)


def _put(undo: ExitStack, items: MutableMapping[str, Any], key: str, value: Any) -> None:
    if key in items:
        undo.callback(items.__setitem__, key, items[key])
    else:
        undo.callback(items.pop, key)
    items[key] = value
