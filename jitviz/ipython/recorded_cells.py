"""Recording cells: the steps just before and just after a cell runs.

In: IPython's `pre_run_cell` and `post_run_cell` events.  Out: a recording per cell, and its panel.
Must never: run the cell, change what it does, or raise.

Cells nest (a cell may call `run_cell`), and the cell that loads the extension ends without having begun. So the running
cells are a stack, and IPython's `ExecutionInfo` identifies each.
"""

import contextlib
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from IPython.core.error import InputRejected
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell

from .. import capture
from ..errors import note_error
from ..filters.memo import Memo
from ..model import has_compiled, system
from ..recording import Recording
from ..recording.events import CellFinished, CellStarted
from ..recording.unread_programs import Depth, at_prompt, reading, reading_depth
from .cell_panel import LivePanel, load, show_failure, show_notes, show_panel
from .header import Request, find_request
from .rebinding import Rebinding

if TYPE_CHECKING:
    from .cell_function import CompiledCells, WholeCellTransformer

MOST_READ = 4_000_000  # bytes of unread programs that the end of a cell reads; takes a few tenths of a second
_MOST_TEXT = 20_000  # characters of the source of a cell that its recording keeps
_MOST_COMPILED = 64  # cells with --cell whose programs are kept


@dataclass(eq=False)
class _Running:
    info: ExecutionInfo | None  # None for an expression, which has no events and no prompt of its own
    label: str
    request: Request
    recording: Recording
    rebinding: Rebinding
    live: LivePanel | None
    cell: str
    whole: "WholeCellTransformer | None" = None


class Cells:
    """The cells of one shell. `recorded` are the recordings of finished cells, oldest first, `shown` that of the
    last panel. With `is_on`, cells without `%%filterjit` are recorded as well, and show a panel if they called a jitted
    function."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.is_on = False
        self.max_bytes = capture.MAX_BYTES  # the limit for one recording, and for all together
        self.recorded: list[Recording] = []
        self.shown: Recording | None = None
        self._shell = shell
        self._compiled: CompiledCells | None = None
        self._running: list[_Running] = []
        self._last_runs: dict[str, tuple[str, int, float]] = {}  # by cell: label, number of compiles, their seconds
        self._last: WeakValueDictionary[str, Recording] = WeakValueDictionary()  # by cell, while it is kept

    def begin(self, info: ExecutionInfo) -> None:
        """Start recording, if this cell is to be recorded."""
        at_prompt.clear()
        try:
            raw_cell = info.raw_cell or ""
            request = find_request(raw_cell)
            if request is None and self.is_on and not self._running:
                request = Request()
            # A magic above the `%%filterjit` line of a running cell may run the rest of that cell as a cell.
            known = {running.request.text.strip() for running in self._running}
            if request is not None and request.text.strip() not in known:
                self._begin(info, request)
        except Exception as error:  # noqa: BLE001  # the user's cell still runs
            show_failure(error)

    def end(self, result: ExecutionResult) -> None:
        """Stop recording and show the panel, if this cell was recorded."""
        at_prompt.set()
        try:
            while any(running.info is result.info for running in self._running):
                running = self._running.pop()
                has_run = running.info is result.info and result.error_before_exec is None
                self._finish(running, result.error_before_exec or result.error_in_exec, is_kept=has_run)
        except Exception as error:  # noqa: BLE001  # the user's cell has run, and its result is shown
            show_failure(error)

    def abandon(self) -> None:
        """Stop all recordings without showing a panel."""
        at_prompt.set()
        while self._running:
            self._finish(self._running.pop(), None, is_kept=False)

    def run_expression(self, line: str) -> Any:
        """Compile an expression as one function, and return its value. In a recorded cell it is part of that recording;
        otherwise it has a recording of its own."""
        __tracebackhide__ = True
        from . import expression  # see `_whole`

        tree, filename = expression.parse(line, self._shell)
        label = self._label(has_number=True)
        whole = self._whole(label)
        if self._running:
            return expression.run(tree, filename, whole, self._shell.user_ns)
        running = self._start(None, label, Request(text=line), line)
        error: BaseException | None = None
        try:
            return expression.run(tree, filename, whole, self._shell.user_ns)
        except BaseException as caught:
            error = caught
            raise
        finally:
            if running in self._running:  # else the expression unloaded jitviz
                self._running.remove(running)
                self._finish(running, error, is_kept=True)

    def _begin(self, info: ExecutionInfo, request: Request) -> None:
        label = self._label(has_number=info.store_history)
        running = self._start(info, label, request, info.raw_cell or "", getattr(info, "cell_id", None) or "")
        if request.names:
            self._shell.ast_transformers.append(running.rebinding)
            running.rebinding.bind()
        if request.is_whole:
            running.whole = self._whole(label)
            self._shell.ast_transformers.append(running.whole)

    def _whole(self, label: str) -> "WholeCellTransformer":
        """What compiles a cell or an expression. It takes long to import, and most cells need none."""
        from .cell_function import CompiledCell, WholeCellTransformer

        if self._compiled is None:
            self._compiled = Memo(CompiledCell, _MOST_COMPILED)
        return WholeCellTransformer(label, self._shell.user_ns, self._compiled)

    def _start(self, info: ExecutionInfo | None, label: str, request: Request, text: str, cell: str = "") -> _Running:
        # A panel that opens while the cell runs would give away the answers of the quiz.
        is_live = hasattr(self._shell, "kernel") and not request.has_quiz
        if is_live:
            load()  # before the recording begins, because it takes a second
        recording = capture.begin(label, max_bytes=self.max_bytes)
        rebinding = Rebinding(request.names, self._shell.user_ns)
        live = LivePanel(recording, is_asked=bool(request.text)) if is_live else None
        cell = cell or str(hash(text.strip()))  # only a notebook can identify a cell that was edited
        recording.remember(self._last.get(cell))
        running = _Running(info, label, request, recording, rebinding, live, cell)
        self._running.append(running)
        last = self._last_runs.get(cell, ("", 0, 0.0))
        recording.append(CellStarted(system.time(), label, text if len(text) <= _MOST_TEXT else "", *last))
        return running

    def _finish(self, running: _Running, error: BaseException | None, *, is_kept: bool) -> None:
        for transformer in (running.rebinding, running.whole):
            if transformer is not None and transformer in self._shell.ast_transformers:
                self._shell.ast_transformers.remove(transformer)
                transformer.restore()
        recording = running.recording
        with reading(self._depth(running)):
            recording.catch_up()
            raised = error.__cause__ if isinstance(error, InputRejected) else None  # in a cell that was refused
            note_error(recording, raised or error)
            recording.append(CellFinished(system.time(), running.label, _first_line(error)))
            capture.end(recording)
            with reading("nothing"):
                rows = list(filter(has_compiled, recording.compiles))
            self._last_runs[running.cell] = running.label, len(rows), sum(row.duration_s for row in rows)
            self._last[running.cell] = recording
            is_drawn = running.live is not None and running.live.close()
            if is_kept and (is_drawn or running.request.text or recording.calls or recording.compiles):
                self._keep(running, is_drawn=is_drawn)

    def _depth(self, running: _Running) -> Depth:
        """How much the end of a cell reads of its programs."""
        if running.recording.unread_nbytes > MOST_READ and self._has_prompt():
            return "nothing"  # very large ones are read later, so that the prompt returns soon
        return "findings" if running.live is not None and not running.request.text else "whole"

    def _keep(self, running: _Running, *, is_drawn: bool) -> None:
        """Keep and show the recording. Above the limit, the oldest recordings lose their hits and texts."""
        recording, notes = running.recording, running.rebinding.notes
        self.recorded.append(recording)
        self.shown = recording
        excess = sum(kept.nbytes for kept in self.recorded) - self.max_bytes
        for oldest in self.recorded[:-1]:
            if excess > 0 and oldest.nbytes:
                excess -= oldest.nbytes
                oldest.shrink(0)
        if is_drawn:
            show_notes(notes)
            return
        # A notebook draws them when they are read.
        if reading_depth() == "nothing" and not hasattr(self._shell, "kernel"):
            notes.append("some programs are large and were not read yet; %jitviz report reads them")
        request = running.request
        show_panel(recording, notes, has_quiz=request.has_quiz, is_asked=bool(request.text))

    def _has_prompt(self) -> bool:
        """Whether somebody waits for the prompt. A program that executes a notebook (nbclient, papermill) answers no
        `input()`; it keeps only what a cell shows until its end."""
        with contextlib.suppress(Exception):  # a kernel of another kind
            kernel: Any = getattr(self._shell, "kernel", None)
            return bool(kernel.get_parent()["content"].get("allow_stdin", True))
        return True

    def _label(self, *, has_number: bool) -> str:
        """The prompt of this cell, as in `In [3]`; a cell inside a cell has that of the outer one."""
        # Some versions of IPython count a cell before it runs, some after. This is the number of its `Out`.
        number = self._shell.displayhook.prompt_count
        return f"In [{number}]" if has_number or self._running else "In [ ]"


def _first_line(error: BaseException | None) -> str | None:
    return None if error is None else traceback.format_exception_only(error)[-1].splitlines()[0]
