"""The panel of a cell while the cell runs.

In: an open recording.  Out: a panel as soon as something compiles, kept up to date until the cell is done.
Must never: raise into the user's call, open an output from a thread that is not the cell's, or show a cell of hits.

JAX lets other threads run while XLA compiles, so that a thread of ours can tell the browser how it goes.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from ..recording import Recording
from ..recording.events import CompileStarted, Event
from ..recording.unread import left_unread

if TYPE_CHECKING:
    from ..display.shown import Shown

PERIOD_S = 0.5  # what is over before is drawn once
PATIENCE_S = 1.0  # how long the end of a cell waits for a drawing that is under way
SHARE = 0.1  # of the time may be spent on drawing: a long recording takes longer, and is drawn less often


def load() -> type[Shown]:
    """What draws. It takes as long to load as all the rest: not when jitviz is loaded, nor while a cell is timed."""
    from ..display.shown import Shown

    return Shown


class LivePanel:
    """Opens at the first compile of the recording; `close` settles it and says whether it was ever opened."""

    def __init__(self, recording: Recording) -> None:
        self._open = load()
        self._recording = recording
        self._shown: Shown | None = None
        self._follower: threading.Thread | None = None
        self._done = threading.Event()
        self._stop = recording.listen(self._hear)

    def _hear(self, event: Event) -> None:
        if not isinstance(event, CompileStarted) or event.is_before or self._shown is not None:
            return
        if threading.current_thread() is not threading.main_thread():
            return
        with contextlib.suppress(Exception):  # the panel is shown at the end of the cell all the same
            self._shown = self._open(self._recording)
            self._follower = threading.Thread(target=self._follow, name="jitviz-live", daemon=True)
            self._follower.start()

    def _follow(self) -> None:
        spent_s = 0.0
        while not self._done.wait(max(PERIOD_S, spent_s / SHARE)):
            started_s = time.perf_counter()
            with left_unread(), contextlib.suppress(Exception):  # as above; the next round may fare better
                if self._shown is not None:
                    self._shown.refresh()
            spent_s = time.perf_counter() - started_s

    def close(self) -> bool:
        """Draw the finished recording, if anything was shown of it."""
        self._done.set()
        self._stop()
        if self._shown is None:
            return False
        if self._follower is not None and self._follower.is_alive():
            self._follower.join(PATIENCE_S)  # two drawings at once would draw over one another
        self._shown.settle()
        return True
