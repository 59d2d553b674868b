"""Watching a job that runs for hours: a warning for each new cause of recompiles, again when it has doubled, and a sum.

In: the process-wide history of compiles.  Out: warnings and log records.
Must never: grow with time or the number of compiles, delay a call, or raise in one.
"""

import atexit
import contextlib
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..capture import traces
from ..capture.failures import note
from ..model import Compile, count, is_avoidable, seconds, system
from ..recording import Recording
from ..recording.events import CompileStarted
from .trace_limits import warn

_MOST = 1000  # causes that are warned of
_MOST_LINEAGES = 2048  # with compiles in the history
_SUMMED = 10  # causes in the sum at the end
_log = logging.getLogger("jitviz")
_log.addHandler(logging.NullHandler())  # so that records do not reach stderr, where the warning is


@dataclass
class _WarnedCause:
    """What recompiled for one reason: how often and how long; `told` of them were in the last warning."""

    function: str
    source: str = ""  # of the newest
    count: int = 0
    spent_s: float = 0.0
    told: int = 0

    def text(self) -> str:
        return f"{f' {self.count} times' if self.count > 1 else ''}, in {seconds(self.spent_s)}"


class Watch(contextlib.AbstractContextManager["Watch"]):
    """What `watch` returns. It ends with its `with` block, or when it is told to `stop`."""

    def __init__(self, every: float) -> None:
        self._every_s = every
        self._began_s = system.time()
        self._changed: set[str] = set()  # lineages that compiled since the last look
        self._known: dict[tuple[str, str, str], _WarnedCause] = {}
        self._counted: dict[str, set[int]] = {}  # the compiles of a lineage that the history still holds
        self._is_over = threading.Event()
        self._undo = contextlib.ExitStack()
        self._undo.enter_context(traces.noting(self._changed))
        self._thread = threading.Thread(target=self._keep_looking, name="jitviz watch", daemon=True)
        self._thread.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Look once more, say the sums, and end. Calling it again changes nothing."""
        if self._is_over.is_set():
            return
        self._is_over.set()
        atexit.unregister(self.stop)
        self._thread.join()
        self._undo.close()
        self._look()
        with _noted():
            self._sum_up()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _keep_looking(self) -> None:
        while not self._is_over.wait(self._every_s):
            self._look()

    def _look(self) -> None:
        for lineage in self._changed.copy():
            with _noted():
                self._changed.discard(lineage)  # first, since it may compile again meanwhile
                recording = Recording(traces.with_programs(lineage))
                started = (event for event in recording.events if isinstance(event, CompileStarted))
                rows = dict(zip((event.compile for event in started), recording.compiles, strict=True))
                done = {number for number, row in rows.items() if row.status != "running"}
                if len(done) < len(rows):
                    self._changed.add(lineage)
                counted = self._counted[lineage] = self._counted.pop(lineage, set()) & done
                if len(self._counted) > _MOST_LINEAGES:
                    del self._counted[next(iter(self._counted))]
                told: dict[tuple[str, str, str], Compile] = {}
                for number in sorted(done - counted):
                    with _noted():
                        row = rows[number]
                        if self._is_meant(row) and (cause := self._add(lineage, row)) is not None:
                            counted.add(number)
                            told[cause] = row
                for cause, row in told.items():
                    with _noted():
                        self._warn(self._known[cause], row)

    def _is_meant(self, row: Compile) -> bool:
        began_s: float = row.recording.facts.started_s + row.start_s
        return began_s >= self._began_s and is_avoidable(row)

    def _add(self, lineage: str, row: Compile) -> tuple[str, str, str] | None:
        """Add a recompile to its cause; None if there are too many causes."""
        cause = lineage, row.reasons[0].kind, row.reasons[0].path
        if cause not in self._known and len(self._known) >= _MOST:
            return None
        sums = self._known.setdefault(cause, _WarnedCause(row.function))
        sums.source = row.source or sums.source
        sums.count += 1
        sums.spent_s += row.duration_s
        return cause

    def _warn(self, sums: _WarnedCause, row: Compile) -> None:
        """Warn of a cause that is new, or has doubled since the last warning. `row` is its newest recompile."""
        if sums.count < 2 * sums.told:
            return
        sums.told, reason = sums.count, row.reasons[0]
        text = f"`{row.function}` compiled again{sums.text()}: {reason.summary} {reason.advice}".rstrip()
        about = {
            "function": row.function,
            "kind": reason.kind,
            "path": reason.path,
            "before": reason.before,
            "after": reason.after,
            "source": row.source,
            "seconds": row.duration_s,
            "count": sums.count,
            "total_seconds": sums.spent_s,
        }
        self._say(text, row.source, about)

    def _sum_up(self) -> None:
        """Say what several recompiles took in all, most seconds first, at the line of the first cause."""
        causes = sorted(self._known.items(), key=lambda item: -item[1].spent_s)
        n, spent_s = sum(sums.count for _, sums in causes), sum(sums.spent_s for _, sums in causes)
        if n < 2:
            return
        texts = [
            f"`{sums.function}`{sums.text()} ({' of '.join(filter(None, (key[1].replace('_', ' '), key[2])))})"
            for key, sums in causes
        ]
        rest = f"; and {count(len(texts) - _SUMMED, 'more cause')}" if len(texts) > _SUMMED else ""
        text = f"{count(n, 'recompile')} took {seconds(spent_s)} in all: {'; '.join(texts[:_SUMMED])}{rest}."
        source = next((sums.source for _, sums in causes if sums.source), "")
        self._say(text, source, {"count": n, "total_seconds": spent_s})

    def _say(self, text: str, source: str, about: dict[str, Any]) -> None:
        with _noted():  # whatever the program has put there
            _log.warning(text, extra={"jitviz": about})
        warn(text, source)


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    """Let an error end only this: a warning that the program turns into an error must not end it, or hide the next."""
    try:
        yield
    except Exception as error:  # noqa: BLE001
        note("watch", error)


def watch(*, every: float = 60.0) -> Watch:
    """Warn of avoidable recompiles while a job runs: at each new cause, and again when it has doubled.

    >>> with jitviz.watch(every=60):
    ...     train()

    A thread looks at what has compiled since its last look, on any thread. It gives a `RecompileWarning` at the calling
    line, and writes the same to the logger "jitviz", with `record.jitviz` as a dict. The sums come at the end. `watch`
    needs no recording, costs nothing on a hit, and its memory is bounded. Without `with`, call `stop()`, or let the
    program end.

    Args:
        every: seconds between two looks.

    Raises:
        ValueError: `every` is not a positive number.
    """
    if not isinstance(every, int | float) or not every > 0:
        raise ValueError(f"every must be a positive number of seconds, not {every!r}.")
    return Watch(every)
