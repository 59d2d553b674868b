"""The panel of a cell, below its output: from the first compile on while the cell runs, and when it has run.

In: a recording, and notes.  Out: the panel, displayed, and the notes, printed below it.
Must never: raise into the user's call or hide its result, open an output from a thread other than the cell's, or open
for hits alone while the cell runs.

JAX lets other threads run while XLA compiles, so that a thread can send the progress to the browser: small messages
about what runs now, and the whole panel from time to time.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..model import system
from ..model.printable import print_safely
from ..recording import Recording
from ..recording.events import CompileStarted, Event, OpCompiled
from ..recording.unread_programs import reading
from .progress import Progress

if TYPE_CHECKING:
    from ..display.notebook_output import Shown

PERIOD_S = 1.0  # a shorter cell is drawn once, at its end
NEWS_S = 0.2  # between two messages about what runs now,
BEAT_S = 1.0  # of which one says at least as often that the kernel is alive
UNSEEN_S = 10.0  # the same, if nobody asked for a panel, and no browser has drawn one so far
PATIENCE_S = 1.0  # the longest time that the end of a cell waits for a drawing to finish
# The largest share of time spent on drawing: a long recording takes longer, and is drawn less often, as is one that
# nobody asked for.
SHARE, SHARE_UNASKED = 0.02, 0.005


def load() -> type[Shown]:
    """Import the class that draws, and the widget. That takes as long as importing jitviz: only when first needed."""
    from ..display.notebook_output import Shown

    with contextlib.suppress(Exception):  # then there is static HTML alone
        from ..display import widget  # noqa: F401
    return Shown


def _is_shown() -> bool:
    from ..display.widget import is_shown  # see `load`

    return is_shown()


def let_go(recordings: Sequence[Recording]) -> None:
    """Have no panel hold one of these recordings any longer."""
    if "jitviz.display.widget" in sys.modules:
        from ..display.widget import let_go

        let_go(recordings)


class LivePanel:
    """A panel that opens at the first compile of the recording. `close` returns whether it was opened."""

    def __init__(self, recording: Recording, *, is_asked: bool = True) -> None:
        self._open = partial(load(), is_asked=is_asked)
        self._share = SHARE if is_asked else SHARE_UNASKED
        self._recording = recording
        self._shown: Shown | None = None
        self._follower: threading.Thread | None = None
        self._done = threading.Event()
        self._progress = Progress(recording.events)
        self._stop = recording.listen(self._hear)

    def _hear(self, event: Event) -> None:
        self._progress.hear(event)
        is_first = isinstance(event, OpCompiled) or (isinstance(event, CompileStarted) and not event.is_before)
        if not is_first or self._shown is not None:
            return
        if system.current_thread() is not threading.main_thread():
            return
        with contextlib.suppress(Exception):  # then the panel is shown at the end of the cell
            self._shown = self._open(self._recording)
            self._follower = threading.Thread(target=self._follow, name="jitviz-live", daemon=True)
            self._follower.start()

    def _follow(self) -> None:
        spent_s, period_s = 0.0, PERIOD_S if self._share == SHARE or _is_shown() else UNSEEN_S
        while not self._is_over(max(period_s, spent_s / self._share)):
            started_s = system.thread_time()  # by the wall, a user's compile would count, which holds the interpreter
            with reading("nothing"), contextlib.suppress(Exception):  # the next round may succeed
                if self._shown is not None:
                    self._shown.refresh()
            spent_s = system.thread_time() - started_s

    def _is_over(self, pause_s: float) -> bool:
        """Whether the cell has ended within this pause, in which the browser hears what runs now."""
        now_s = system.monotonic()
        until_s, beat_s, told = now_s + pause_s, now_s + BEAT_S, dict[str, object]()
        while now_s < until_s and not self._done.wait(min(NEWS_S, until_s - now_s)):
            now_s, news = system.monotonic(), self._progress.tell()
            if now_s >= beat_s or any(news.get(name) != told.get(name) for name in ("compiles", "since_s")):
                beat_s, told = now_s + BEAT_S, news
                with contextlib.suppress(Exception):  # the next message may succeed
                    if self._shown is not None:
                        self._shown.tell(news)
        return self._done.is_set()

    def close(self) -> bool:
        """Draw the finished recording, if the panel was opened."""
        self._done.set()
        self._stop()
        if self._shown is None:
            return False
        if self._follower is not None and self._follower.is_alive():
            self._follower.join(PATIENCE_S)  # two drawings at once would overwrite each other
        self._shown.settle()
        return True


def show_panel(
    recording: Recording, notes: Sequence[str] = (), *, has_quiz: bool = False, is_asked: bool = True
) -> None:
    """Display the panel, with `has_quiz` after a quiz, and print `notes` (plain sentences) below it."""
    try:
        from ..display.access import OF_A_CELL
        from ..display.kept_answers import KEPT_IR_NBYTES
        from ..display.notebook_output import display  # see `load`

        display(recording, OF_A_CELL, has_quiz=has_quiz, most_ir_bytes=KEPT_IR_NBYTES, is_asked=is_asked)
    except Exception as error:  # noqa: BLE001  # the cell has run, and its result is shown
        show_failure(error)
    show_notes(notes)


def show_notes(notes: Sequence[str]) -> None:
    """Print notes below the panel."""
    for note in notes:
        print_safely(f"jitviz: {note}")


def show_failure(error: Exception) -> None:
    """Print in one line that jitviz failed, in place of the panel."""
    print_safely(f"jitviz: capture incomplete: {type(error).__name__}: {error}")
