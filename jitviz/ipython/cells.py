"""Cells that are recorded: what happens just before and just after one runs.

In: IPython's `pre_run_cell` and `post_run_cell` events.  Out: a recording per cell, and its panel.
Must never: run the cell, change what it does, or raise.

Cells nest (a cell may call `run_cell`), and an end may come without a beginning (the cell that loaded the extension),
so the running cells are a stack, matched by IPython's `ExecutionInfo`.
"""

from __future__ import annotations

import contextlib
import time
import traceback
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell

from .. import capture
from ..recording import Recording
from ..recording.events import CaptureFailed, CellFinished, CellStarted
from ..recording.unread import leaves_unread, left_unread
from . import expression
from .cell_function import CompiledCells, WholeCellTransformer
from .header import Request, find_request
from .live import LivePanel, load
from .panel import is_worth_a_panel, show_failure, show_notes, show_panel
from .rebinding import Rebinding, Wrappers

MOST_READ = 4_000_000  # see `Recording.unread_nbytes`; some tenths of a second
_MOST_TEXT = 20_000  # characters of a cell that a recording keeps, for its lines to be shown


@dataclass(eq=False)
class _Running:
    info: ExecutionInfo | None  # None for an expression, which has neither events nor a prompt of its own
    label: str
    request: Request
    recording: Recording
    rebinding: Rebinding
    whole: WholeCellTransformer
    live: LivePanel | None
    cell: str


class Cells:
    """The cells of one shell. `recorded` are the recordings of those that are done, oldest first.

    With `is_on`, cells without `%%filterjit` are recorded as well; they show a panel if they made a jitted call.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self.is_on = False
        self.max_bytes = capture.MAX_BYTES  # of one recording, and of all together
        self.recorded: list[Recording] = []
        self._shell = shell
        self._wrappers = Wrappers(shell.user_ns)
        self._compiled = CompiledCells()
        self._running: list[_Running] = []
        self._last_runs: dict[str, tuple[str, int, float]] = {}  # by cell: its label, compiles and their seconds

    def begin(self, info: ExecutionInfo) -> None:
        """Start recording, if this cell asks for it."""
        try:
            raw_cell = info.raw_cell or ""
            request = find_request(raw_cell)
            if request is None and self.is_on and not self._running:
                request = Request()
            if request is not None and not self._is_served(raw_cell):
                self._begin(info, request)
        except Exception as error:  # noqa: BLE001  # the user's cell runs all the same
            show_failure(error)

    def end(self, result: ExecutionResult) -> None:
        """Stop recording and show the panel, if this cell was recorded."""
        try:
            while any(running.info is result.info for running in self._running):
                running = self._running.pop()
                with _in_time(running.recording):
                    self._finish(running, result.error_before_exec or result.error_in_exec)
                    if running.info is result.info and result.error_before_exec is None:  # else nothing ran
                        self._keep(running)
                    elif running.live is not None:
                        running.live.close()
        except Exception as error:  # noqa: BLE001  # the user's cell is done, and its result is shown
            show_failure(error)

    def abandon(self) -> None:
        """Stop all that is being recorded, and show nothing."""
        while self._running:
            running = self._running.pop()
            self._finish(running, None)
            if running.live is not None:
                running.live.close()

    def _is_served(self, raw_cell: str) -> bool:
        """Whether this is the rest of a running cell, which a magic above its `%%filterjit` line runs as a cell."""
        return any(raw_cell.strip() == running.request.served.strip() for running in self._running)

    def run_expression(self, line: str) -> Any:
        """The value of an expression that is compiled as one function.

        It has a recording of its own, or is part of that of the cell where it stands.
        """
        tree, filename = expression.parse(line, self._shell)
        label = self._label(has_number=True)
        if self._running:
            whole = WholeCellTransformer(label, self._shell.user_ns, self._compiled)
            return expression.run(tree, filename, whole, self._shell.user_ns)
        running = self._start(None, label, Request(served=line), line)
        error: BaseException | None = None
        try:
            return expression.run(tree, filename, running.whole, self._shell.user_ns)
        except BaseException as caught:
            error = caught
            raise
        finally:
            if running in self._running:  # else the expression unloaded jitviz
                self._running.remove(running)
                with _in_time(running.recording):
                    self._finish(running, error)
                    self._keep(running)

    def _begin(self, info: ExecutionInfo, request: Request) -> None:
        label = self._label(has_number=info.store_history)
        running = self._start(info, label, request, info.raw_cell or "", getattr(info, "cell_id", None) or "")
        if request.names:
            self._shell.ast_transformers.append(running.rebinding)
            running.rebinding.bind()
        if request.is_whole:
            self._shell.ast_transformers.append(running.whole)

    def _start(self, info: ExecutionInfo | None, label: str, request: Request, text: str, cell: str = "") -> _Running:
        # What is seen while the cell runs would answer the quiz.
        is_live = hasattr(self._shell, "kernel") and not request.has_quiz
        if is_live:
            load()  # before the recording begins, whose first second it would fill with nothing
        recording = _begun(label, self.max_bytes, has_profile=request.has_profile)
        rebinding = Rebinding(request.names, self._shell.user_ns, self._wrappers)
        whole = WholeCellTransformer(label, self._shell.user_ns, self._compiled)
        live = LivePanel(recording) if is_live else None
        cell = cell or str(hash(text.strip()))  # a notebook knows one that was edited since; a shell only the same one
        running = _Running(info, label, request, recording, rebinding, whole, live, cell)
        self._running.append(running)
        last = self._last_runs.get(cell, ("", 0, 0.0))
        recording.append(CellStarted(time.time(), label, text if len(text) <= _MOST_TEXT else "", *last))
        return running

    def _finish(self, running: _Running, error: BaseException | None) -> None:
        if running.rebinding in self._shell.ast_transformers:
            self._shell.ast_transformers.remove(running.rebinding)
            running.rebinding.restore()
        if running.whole in self._shell.ast_transformers:
            self._shell.ast_transformers.remove(running.whole)
            running.whole.restore()
        from ..findings.comparison import total  # see `live`

        running.recording.catch_up()
        running.recording.append(CellFinished(time.time(), running.label, _first_line(error)))
        capture.end(running.recording)
        self._last_runs[running.cell] = (running.label, *total(running.recording))

    def _keep(self, running: _Running) -> None:
        recording = running.recording
        if running.live is not None and running.live.close():
            self._add(recording)
            show_notes(running.rebinding.notes)
            return
        if is_worth_a_panel(recording, is_asked_for=bool(running.request.served)):
            self._add(recording)
            notes = [*running.rebinding.notes]
            if leaves_unread() and not hasattr(self._shell, "kernel"):  # a notebook draws again what is read later
                notes.append("the programs are very large and were not read yet; %jitviz report reads them")
            show_panel(recording, notes, has_quiz=running.request.has_quiz)

    def _add(self, recording: Recording) -> None:
        """Keep it. Of all that is kept, hits and texts of the oldest cells go where there are too many."""
        self.recorded.append(recording)
        excess = sum(one.nbytes for one in self.recorded) - self.max_bytes
        for oldest in self.recorded[:-1]:
            if excess > 0 and oldest.nbytes:
                excess -= oldest.nbytes
                oldest.shrink(0)

    def _label(self, *, has_number: bool) -> str:
        """The prompt of this cell, as in `In [3]`; that of the outer one for a cell inside a cell."""
        # Some versions of IPython count a cell before it runs and some after. This is the number its `Out` will have.
        number = self._shell.displayhook.prompt_count
        return f"In [{number}]" if has_number or self._running else "In [ ]"


def _begun(label: str, max_bytes: int, *, has_profile: bool) -> Recording:
    """A recording, without a profile where that is refused."""
    if has_profile:
        try:
            return capture.begin(label, profile=True, max_bytes=max_bytes)
        except RuntimeError as error:
            recording = capture.begin(label, max_bytes=max_bytes)
            recording.append(CaptureFailed(time.time(), "profile", str(error)))
            return recording
    return capture.begin(label, max_bytes=max_bytes)


def _in_time(recording: Recording) -> AbstractContextManager[None]:
    """At the end of a cell, for the prompt to come back: very large programs are not read yet."""
    return left_unread() if recording.unread_nbytes > MOST_READ else contextlib.nullcontext()


def _first_line(error: BaseException | None) -> str | None:
    return None if error is None else traceback.format_exception_only(error)[-1].splitlines()[0]
