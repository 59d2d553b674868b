"""Watching a job that runs for hours: one warning for each new cause of recompiles.

In: the process-wide history of compiles.  Out: warnings and log records.
Must never: grow with time or the number of compiles, delay a call, or raise in one.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

from ..capture import traces
from ..capture.failures import note
from ..model import Compile
from ..model.counting import is_avoidable
from ..recording import Recording
from .trace_limits import warn

_MOST = 1000  # causes that are warned of
_log = logging.getLogger("jitviz")
_log.addHandler(logging.NullHandler())  # so that records do not reach stderr, where the warning is


class Watch(contextlib.AbstractContextManager["Watch"]):
    """What `watch` returns. It ends with its `with` block, or when it is told to `stop`."""

    def __init__(self, every: float) -> None:
        self._every_s = every
        self._began_s = time.time()
        self._changed: set[str] = set()  # lineages that compiled since the last look
        self._known: set[tuple[str, str, str]] = set()
        self._is_over = threading.Event()
        self._undo = contextlib.ExitStack()
        self._undo.enter_context(traces.noting(self._changed))
        self._thread = threading.Thread(target=self._keep_looking, name="jitviz watch", daemon=True)
        self._thread.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Look once more, and end. Calling it again changes nothing."""
        if self._is_over.is_set():
            return
        self._is_over.set()
        atexit.unregister(self.stop)
        self._thread.join()
        self._undo.close()
        self._look()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _keep_looking(self) -> None:
        while not self._is_over.wait(self._every_s):
            self._look()

    def _look(self) -> None:
        for lineage in self._changed.copy():
            with _noted():
                self._changed.discard(lineage)  # first, since it may compile again meanwhile
                rows = Recording(traces.replayed(lineage)).compiles
                if any(row.status == "running" for row in rows):
                    self._changed.add(lineage)
                for row in rows:
                    with _noted():
                        self._warn(lineage, row)

    def _warn(self, lineage: str, row: Compile) -> None:
        began_s = row.recording.facts.started_s + row.start_s
        if began_s < self._began_s or not is_avoidable(row):
            return
        reason = row.reasons[0]
        cause = lineage, reason.kind, reason.path
        if cause in self._known or len(self._known) >= _MOST:
            return
        self._known.add(cause)
        text = f"`{row.function}` compiled again, in {row.duration_s:.2g} s: {reason.summary} {reason.advice}".rstrip()
        about: dict[str, Any] = {
            "function": row.function,
            "kind": reason.kind,
            "path": reason.path,
            "before": reason.before,
            "after": reason.after,
            "source": row.source,
            "seconds": row.duration_s,
        }
        with _noted():  # whatever the program has put there
            _log.warning(text, extra={"jitviz": about})
        warn(text, row.source)


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    """Let an error end only this: a warning that the program turns into an error must not end it, or hide the next."""
    try:
        yield
    except Exception as error:  # noqa: BLE001
        note("watch", error)


def watch(*, every: float = 60.0) -> Watch:
    """Warn of recompiles that could be avoided, once for each cause, while a job runs.

    >>> with jitviz.watch(every=60):
    ...     train()

    Every so many seconds, a thread looks at what compiled since, on any thread. It warns with a `RecompileWarning` at
    the calling line, and logs the same to the logger "jitviz", with `record.jitviz` as a dict. It needs no recording,
    costs nothing on a hit, and its memory is bounded. Without `with`, call `stop()`, or let the program end.

    Raises:
        ValueError: `every` is not positive.
    """
    if not every > 0:
        raise ValueError(f"every must be a positive number of seconds, not {every!r}.")
    return Watch(every)
