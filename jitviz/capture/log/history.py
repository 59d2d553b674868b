"""The process-wide history: what has compiled since jitviz began to watch, as a bounded window of events.

In: misses as they are logged, how they ended, and clearings of JAX's caches.  Out: events, for a recording that opens
later or that is built from them alone.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from ...recording import events as ev
from ...recording import redaction
from ...recording.folding import widest_scope
from ...recording.unread_programs import Unread
from .known_functions import KnownFunctions

PER_LINEAGE = 64  # compiles that a later one can be compared with
IN_PROCESS = 2048
PROGRAMS_NBYTES = 32 << 20  # of programs that later ones are compared with, before they are compressed

End = ev.PhaseFinished | ev.CompileFinished | ev.ProgramLoaded
Scope = Literal["all", "function"]


@dataclass
class _Past:
    """One compile: its start, what was cleared between the previous one and this one, and how it ended."""

    started: ev.CompileStarted
    lineage: str
    cleared: Scope | Literal[""]
    ends: list[End] = field(default_factory=list)
    _clean: tuple[ev.Event, ...] = ()
    _as_of: tuple[int, int] = (-1, -1)

    def before(self) -> tuple[ev.Event, ...]:
        """Its events for a recording that began after it, without secrets; made once, since each cell has them."""
        moment = len(self.ends), redaction.moment()
        if moment != self._as_of:
            self._as_of = moment
            events = (replace(self.started, is_before=True, call=None), *self.ends)
            self._clean = tuple(map(redaction.cleaned, events))
        return self._clean


class History:
    """The window. `functions` holds the rows that its events refer to."""

    def __init__(self, functions: KnownFunctions) -> None:
        self._functions = functions
        self._compiles: dict[int, _Past] = {}  # by compile number, oldest first
        self._of_lineage: dict[str, dict[int, _Past]] = {}  # the same, lineage by lineage
        self._programs: dict[int, Unread] = {}  # by compile number, oldest first
        self._programs_nbytes = 0
        self._clearings: dict[Scope, tuple[int, ev.CachesCleared]] = {}  # the newest of each scope, numbered
        self._n_clearings = 0
        self._seen_clearings: dict[str, int] = {}  # lineage -> how many came before its newest compile

    def knows(self, lineage: str) -> bool:
        """Whether the window holds a compile of this lineage."""
        return lineage in self._of_lineage

    def note_clearing(self, event: ev.CachesCleared) -> None:
        """JAX's caches were cleared."""
        self._n_clearings += 1
        self._clearings[event.scope] = self._n_clearings, event

    def note_start(self, event: ev.CompileStarted) -> None:
        """A compile began; it replaces the oldest in a full window."""
        lineage = self._functions[event.function].lineage
        cleared = widest_scope(clearing.scope for clearing in self.clearings_since(lineage))
        mine = self._of_lineage.setdefault(lineage, {})
        mine[event.compile] = self._compiles[event.compile] = _Past(event, lineage, cleared)
        self._seen_clearings[lineage] = self._n_clearings
        if len(mine) > PER_LINEAGE:
            self.forget(next(iter(mine)))
        if len(self._compiles) > IN_PROCESS:
            self.forget(next(iter(self._compiles)))
        if self._functions.is_full():
            self._functions.drop_dead({past.started.function for past in self._compiles.values()})

    def note_end(self, event: End) -> None:
        """A phase of a compile ended, or the whole compile."""
        past = self._compiles.get(event.compile)
        if past is not None:
            past.ends.append(event)

    def note_program(self, unread: Unread) -> None:
        """Keep the program of a compile, in place of the oldest ones where there are too many."""
        if unread.compile is None or unread.compile not in self._compiles:
            return
        self._programs[unread.compile] = unread
        self._programs_nbytes += unread.nbytes
        while self._programs_nbytes > PROGRAMS_NBYTES:
            self._forget_program(next(iter(self._programs)))

    def _forget_program(self, compile: int) -> None:
        if (unread := self._programs.pop(compile, None)) is not None:
            self._programs_nbytes -= unread.nbytes

    def drop_unread(self) -> None:
        """Let go of the programs that nobody has read: what they need is about to go."""
        for number in [number for number, unread in list(self._programs.items()) if not unread.is_read]:
            self._forget_program(number)

    def programs(self, lineage: str) -> list[Unread]:
        """The programs of the compiles of a lineage that are still kept, to be read once more without what failed."""
        kept = map(self._programs.get, self._of_lineage.get(lineage, {}))
        return [
            Unread(
                0 if unread.is_read else unread.nbytes,
                partial(_texts, unread.events),
                unread.compile,
                is_compared=True,
                for_findings=partial(_texts, unread.events_for_findings),
            )
            for unread in kept
            if unread is not None
        ]

    def forget(self, compile: int) -> None:
        """Drop a compile from the window."""
        self._forget_program(compile)
        past = self._compiles.pop(compile, None)
        if past is None:
            return
        mine = self._of_lineage[past.lineage]
        del mine[compile]
        if not mine:
            del self._of_lineage[past.lineage], self._seen_clearings[past.lineage]

    def clearings_since(self, lineage: str) -> list[ev.CachesCleared]:
        """The clearings since the newest compile of this lineage, the newest of each scope."""
        seen = self._seen_clearings.get(lineage, self._n_clearings)
        return [event for number, event in sorted(self._clearings.values()) if number > seen]

    def earlier(self, lineage: str) -> list[ev.Event]:
        """The compiles of a lineage, for a recording that began after them, without secrets."""
        return [event for past in self._of_lineage.get(lineage, {}).values() for event in past.before()]

    def starts(self) -> list[ev.CompileStarted]:
        """The compiles of the window, oldest first."""
        return [past.started for past in list(self._compiles.values())]

    def replay(self, lineage: str, among: Container[int] | None = None) -> Iterator[ev.Event]:
        """The compiles of a lineage as a recording of their own; only those with a number in `among`, if given."""
        pasts = self._of_lineage.get(lineage, {}).values()
        kept = [past for past in pasts if among is None or past.started.compile in among]
        for number in dict.fromkeys(past.started.function for past in kept):
            yield ev.FunctionSeen(kept[0].started.at_s, number, self._functions[number])
        for past in kept:
            if past.cleared:
                yield ev.CachesCleared(past.started.at_s, past.cleared)
            yield replace(past.started, call=None)
            yield from past.ends


def _texts(read: Callable[[], Iterable[ev.Event]]) -> list[ev.Event]:
    return [event for event in read() if isinstance(event, ev.TextSeen)]
