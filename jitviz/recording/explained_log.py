"""What is worked out from a log: rows, and the reasons of compiles.

In: the events of a log, which may grow.  Out: a `Fold` of them, and reasons.
Must never: be part of a reference cycle of its own, so that guards can free it without a garbage collection.
"""

from collections.abc import Sequence
from typing import Any

from ..model import RowLinks, TextName
from ..reasons import Explainer
from .events import CaptureFailed, CompileNumber, Event, Heartbeat
from .folding import Fold
from .log_programs import LogPrograms


class ExplainedLog:
    """The rows and reasons of a log. `where` is reported with contradictions between events: "fold", "load" for a file.
    `unread` are the compiles whose events were not all in the log before it was folded. `n_lines` is by packed text."""

    def __init__(self, events: Sequence[Event], links: RowLinks, where: str) -> None:
        self.events = events
        self.fold = Fold(links)
        self.unread: frozenset[CompileNumber] = frozenset()
        self.n_lines: dict[tuple[TextName, bytes], int] = {}
        self.answers: dict[object, Any] = {}  # what others have worked out from all of this
        self._where = where
        self.n_folded = 0
        self.beat: Heartbeat | None = None  # the newest that is folded and not in the log
        fold = self.fold  # which does not refer back
        self.programs = LogPrograms(fold)
        self._explainer = Explainer(
            lambda source: fold.calls.n_at[source] > 1,
            lambda number: fold.newest(fold.misses[number]).dropped,
            lambda number: fold.newest(fold.misses[number]).outputs,
            self.programs,
            lambda: fold.n_added,
            lambda number: fold.misses[number].judgement,  # through the recording, which several threads may read
        )
        self._n_explained = 0

    def add_rest(self, beat: Heartbeat | None) -> None:
        """Fold what was appended to the log until now, and the newest heartbeat of a live one."""
        n_events, had = len(self.events), (self.n_folded, self.beat)
        while self.n_folded < n_events:  # a signal handler or a destructor that reads the recording folds some of them
            event = self.events[self.n_folded]
            self.n_folded += 1
            try:
                self.fold.add(event)
            except (LookupError, TypeError, ValueError, ArithmeticError):
                what = f"{type(event).__name__} events that contradict others were left out"
                self.fold.add(CaptureFailed(event.at_s, self._where, what))
        if beat is not None and beat is not self.beat:
            self.beat = beat
            self.fold.add(beat)
        if had != (self.n_folded, self.beat):
            self.answers = {}

    @property
    def explainer(self) -> Explainer:
        """It has been given every miss so far."""
        misses = self.fold.misses
        while self._n_explained < len(misses):
            self._explainer.add(misses[self._n_explained])
            self._n_explained += 1
        return self._explainer
